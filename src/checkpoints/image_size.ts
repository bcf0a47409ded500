/** What an image takes, of whose entries each takes the place of the one of its key. */

import { entryBytes, entryKey, type ImageEntry } from "../executor/wire/entry.ts";
import { anotherTurn, ENTRIES_PER_TURN } from "./image_entries.ts";

export class ImageSize {
  /** What each key takes; undefined until the image was looked at. */
  #sizes: Map<string, number> | undefined;
  #bytes = 0;

  /** Undefined as long as the image was not looked at. */
  get bytes(): number | undefined {
    return this.#sizes && this.#bytes;
  }

  /** Counts entries that are applied to the image, in order. @returns What it takes with them. */
  async add(entries: readonly ImageEntry[]): Promise<number> {
    const sizes = this.#sizes ??= new Map();
    for (const [index, entry] of entries.entries()) {
      if (index % ENTRIES_PER_TURN === ENTRIES_PER_TURN - 1) await anotherTurn();
      const key = entryKey(entry);
      this.#bytes -= sizes.get(key) ?? 0;
      if (entry.bytes === null) {
        sizes.delete(key);
        continue;
      }
      const bytes = entryBytes(entry.bytes.length);
      sizes.set(key, bytes);
      this.#bytes += bytes;
    }
    return this.#bytes;
  }

  /** The image is another one, which nobody has looked at yet. */
  forget(): void {
    this.#sizes = undefined;
    this.#bytes = 0;
  }
}
