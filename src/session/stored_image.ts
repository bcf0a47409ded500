/**
 * The image of one session as the server holds it: what a new executor needs to go on from its last checkpoint.
 *
 * The server merges entries by their keys and never looks into them; they are guest-controlled.
 */

import { IMAGE_BATCH_BYTES } from "../executor/bounds.ts";
import { decodeEntries, encodeEntries, entryBytes, entryKey, type ImageEntry } from "../image/entry.ts";
import { type Budget, ImageTooLarge } from "./budget.ts";

export class StoredImage implements Disposable {
  readonly #entries = new Map<string, ImageEntry>();
  #pending: ImageEntry[] = [];
  #pendingBytes = 0;
  #bytes = 0;
  /** What the budget knows of, of all that is held here. */
  #charged = 0;
  #checkpoint: number | undefined;

  /** @param maxBytes Most that the image may hold, and most that may wait for its checkpoint. */
  constructor(readonly maxBytes: number, readonly budget: Budget) {}

  /** Number of the execution whose end state this is; 0 if it is of before the first; undefined if there is none. */
  get checkpoint(): number | undefined {
    return this.#checkpoint;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Takes a batch of entries; they count when their checkpoint is complete.
   *
   * @throws {ImageTooLarge | ImageError}
   */
  receive(batch: Uint8Array): void {
    for (const entry of decodeEntries(batch)) {
      this.#pendingBytes += costOf(entry);
      if (this.#pendingBytes > this.maxBytes) {
        throw new ImageTooLarge(`a checkpoint exceeds ${this.maxBytes} bytes`);
      }
      this.#pending.push({ ...entry, bytes: entry.bytes?.slice() ?? null }); // else it would hold the whole batch
    }
    this.#charge();
  }

  /** All entries of the state after `execution` have arrived. @throws {ImageTooLarge} */
  commit(execution: number): void {
    for (const entry of this.#pending) {
      const key = entryKey(entry);
      const old = this.#entries.get(key);
      if (old) this.#bytes -= costOf(old);
      if (entry.bytes === null) {
        this.#entries.delete(key);
      } else {
        this.#entries.set(key, entry);
        this.#bytes += costOf(entry);
      }
    }
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#checkpoint = execution;
    this.#charge();
    if (this.#bytes > this.maxBytes) throw new ImageTooLarge(`the image exceeds ${this.maxBytes} bytes`);
  }

  /** Gives back what it holds; it is of no use then. */
  [Symbol.dispose](): void {
    this.#entries.clear();
    this.#bytes = 0;
    this.dropPending();
    this.#checkpoint = undefined;
  }

  /** Forgets what arrived of a checkpoint that will not be completed. */
  dropPending(): void {
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#charge();
  }

  /** Takes from the budget, or gives back. @throws {ImageTooLarge} */
  #charge(): void {
    const held = this.#bytes + this.#pendingBytes;
    this.budget.take(held - this.#charged);
    this.#charged = held;
  }

  /** All of it, in batches for the pipe. */
  batches(): Iterable<Uint8Array> {
    return encodeEntries(this.#entries.values(), IMAGE_BATCH_BYTES);
  }
}

function costOf(entry: ImageEntry): number {
  return entryBytes(entry.bytes?.length ?? 0);
}
