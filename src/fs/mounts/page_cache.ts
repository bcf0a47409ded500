/** Pieces of remote files that were just read: programs read in much smaller ones. */

import { MOUNT_PIECE_BYTES, type MountSource, type Names } from "./mount.ts";
import { FRESH_MS } from "./seen.ts";

const MAX_PAGES = 16;

interface Page {
  readonly bytes: Uint8Array;
  readonly version: number;
  checked: number;
}

export class PageCache {
  /** The one used last is the last. */
  readonly #pages = new Map<string, Page>();

  /**
   * The page of a file, and what of it there is.
   *
   * @param path Absolute, which names it here. @throws {FsError}
   */
  page(path: string, source: MountSource, names: Names, id: number | undefined, index: number): Uint8Array {
    const key = `${index} ${path}`;
    const known = this.#pages.get(key);
    this.#pages.delete(key);
    if (known && performance.now() - known.checked < FRESH_MS) {
      this.#pages.set(key, known);
      return known.bytes;
    }
    const position = index * MOUNT_PIECE_BYTES;
    const { version, bytes } = source.read(names, id, position, MOUNT_PIECE_BYTES, known?.version);
    const page = { bytes: bytes ?? known!.bytes, version, checked: performance.now() };
    this.#pages.set(key, page);
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= MAX_PAGES) break;
      this.#pages.delete(oldest);
    }
    return page.bytes;
  }

  /** Forgets a file, or all files. */
  forget(path?: string): void {
    for (const key of this.#pages.keys()) {
      if (path === undefined || key.slice(key.indexOf(" ") + 1) === path) this.#pages.delete(key);
    }
  }
}
