/** A capture on its way from an executor: entries that count only once their checkpoint is complete. */

import type { Budget } from "../budget.ts";
import { countBuffer } from "../garbage.ts";
import { decodeEntries, entryBytes, type ImageEntry } from "../executor/wire/entry.ts";
import { ImageTooLarge } from "./image_budget.ts";

export class ArrivingCapture implements Disposable {
  #entries: ImageEntry[] = [];
  #bytes = 0;

  /** @param maxBytes Most that may arrive. @param budget What all images share. */
  constructor(readonly maxBytes: number, readonly budget: Budget) {}

  /** Takes a batch. @throws {ImageTooLarge} @throws {ImageError} if it is invalid. */
  receive(batch: Uint8Array): void {
    countBuffer(batch.length); // of what it replaces, as much is garbage soon
    for (const entry of decodeEntries(batch)) {
      const bytes = entryBytes(entry.bytes?.length ?? 0);
      if (this.#bytes + bytes > this.maxBytes) {
        throw new ImageTooLarge("checkpoint_max_bytes", this.maxBytes);
      }
      this.budget.take(bytes);
      this.#bytes += bytes;
      this.#entries.push({ ...entry, bytes: entry.bytes?.slice() ?? null }); // else it would hold the whole batch
    }
  }

  get entries(): readonly ImageEntry[] {
    return this.#entries;
  }

  /** Gives back what it holds. */
  [Symbol.dispose](): void {
    this.#entries = [];
    this.budget.take(-this.#bytes);
    this.#bytes = 0;
  }
}
