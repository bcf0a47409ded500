/**
 * The store that is the server's own memory.
 *
 * It merges entries by their keys and never looks into them; they are guest-controlled.
 */

import type { Budget } from "../budget.ts";
import { IMAGE_BATCH_BYTES } from "../executor/wire/bounds.ts";
import { encodeEntries, entryBytes, entryKey, type ImageEntry } from "../executor/wire/entry.ts";
import type { Bases } from "../executor/wire/protocol.ts";
import { ImageTooLarge } from "./image_budget.ts";
import type { Capture, CheckpointStore, SessionKey, StoredImage, StoredSession } from "./store.ts";

/** Entries that are merged before other sessions get their turn: about a millisecond's work. */
const ENTRIES_PER_TURN = 2000;

export class MemoryStore implements CheckpointStore {
  /** @param budget What all images share. */
  constructor(readonly budget: Budget) {}

  session(_key: SessionKey, maxBytes: number): StoredSession {
    return new MemorySession(maxBytes, this.budget);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}

class MemorySession implements StoredSession {
  readonly #entries = new Map<string, ImageEntry>();
  /** Of the entries. */
  #bytes = 0;
  /** Of that, what the budget knows of. */
  #charged = 0;
  #label: { readonly change: number; readonly bases: Bases } | undefined;

  constructor(readonly maxBytes: number, readonly budget: Budget) {}

  async append({ change, bases, entries }: Capture): Promise<void> {
    for (const [index, entry] of entries.entries()) {
      if (index % ENTRIES_PER_TURN === ENTRIES_PER_TURN - 1) await anotherTurn();
      this.#apply(entry);
    }
    try {
      this.#charge();
      if (this.#bytes > this.maxBytes) throw new ImageTooLarge(`the image exceeds ${this.maxBytes} bytes`);
    } catch (error) {
      this.#clear();
      throw error;
    }
    this.#label = { change, bases };
  }

  read(): Promise<StoredImage | undefined> {
    const label = this.#label;
    if (!label) return Promise.resolve(undefined);
    const batches = () => encodeEntries(this.#entries.values(), IMAGE_BATCH_BYTES);
    return Promise.resolve({ ...label, batches });
  }

  delete(): Promise<void> {
    this.#clear();
    return Promise.resolve();
  }

  #apply(entry: ImageEntry): void {
    const key = entryKey(entry);
    const old = this.#entries.get(key);
    if (old) this.#bytes -= entryBytes(old.bytes?.length ?? 0);
    if (entry.bytes === null) {
      this.#entries.delete(key);
    } else {
      this.#entries.set(key, entry);
      this.#bytes += entryBytes(entry.bytes.length);
    }
  }

  #clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
    this.#label = undefined;
    this.#charge();
  }

  /** Takes from the budget, or gives back. @throws {ImageTooLarge} */
  #charge(): void {
    this.budget.take(this.#bytes - this.#charged);
    this.#charged = this.#bytes;
  }
}

function anotherTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
