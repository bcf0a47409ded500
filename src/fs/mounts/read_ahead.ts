/** Small files that were read before anybody asked for them, with one that somebody did ask for. */

import { isFresh } from "./seen.ts";
import type { Names } from "./mount.ts";

/** A small file as a whole. */
export interface SmallFile {
  readonly id: number;
  readonly version: number;
  readonly bytes: Uint8Array;
}

/**
 * Of all mounted trees of a session together: who has heard of anything new, in whichever of them, must not read what is
 * older than that.
 */
export class ReadAhead {
  readonly #files = new Map<string, SmallFile & { readonly at: number }>();

  keep(volume: string, names: Names, file: SmallFile): void {
    this.#files.set(key(volume, names), { ...file, at: performance.now() });
  }

  /** A file, for who reads it first. */
  take(volume: string, names: Names): SmallFile | undefined {
    const path = key(volume, names);
    const file = this.#files.get(path);
    this.#files.delete(path);
    return file && isFresh(file) ? file : undefined;
  }

  /** To be called before anything new may be heard of. */
  forget(): void {
    this.#files.clear();
  }
}

function key(volume: string, names: Names): string {
  return [volume, ...names].join("/");
}
