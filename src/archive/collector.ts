/** Bytes that come out of archives and tools, bounded while they come. */

import { concatBytes } from "../bytes.ts";

/** More came out of an archive than there is room for. */
export class TooLarge extends Error {
  override name = "TooLarge";
}

/** Pieces up to this many bytes are put together: an object for each would be larger than what is in it. */
const SMALL = 4096;
const BLOCK = 64 * 1024;

/** Collects bytes that come in pieces, up to a bound. */
export class Collector {
  readonly #pieces: Uint8Array[] = [];
  #block = new Uint8Array(0);
  /** How many bytes at the beginning of the block are used, and not among the pieces yet. */
  #used = 0;
  #bytes = 0;

  /** @param holder What holds no more, for people. */
  constructor(readonly maxBytes: number, readonly holder = "the workspace holds") {}

  /** @throws {TooLarge} */
  readonly add = (piece: Uint8Array): void => {
    this.#bytes += piece.length;
    if (this.#bytes > this.maxBytes) {
      throw new TooLarge(`more than ${this.maxBytes} bytes come out, which is all that ${this.holder}`);
    }
    if (piece.length > SMALL) {
      this.#flush();
      this.#pieces.push(piece);
      return;
    }
    if (this.#used + piece.length > this.#block.length) {
      this.#flush();
      this.#block = new Uint8Array(BLOCK);
    }
    this.#block.set(piece, this.#used);
    this.#used += piece.length;
  };

  bytes(): Uint8Array<ArrayBuffer> {
    this.#flush();
    return concatBytes(this.#pieces);
  }

  #flush(): void {
    if (this.#used > 0) this.#pieces.push(this.#block.subarray(0, this.#used));
    this.#block = this.#block.subarray(this.#used);
    this.#used = 0;
  }
}
