/** Bytes that come out of archives and tools, bounded while they come. */

import type { StopSign } from "../control/stop_sign.ts";
import { pieces } from "./pieces.ts";

/** More came out of an archive than there is room for. */
export class TooLarge extends Error {
  override name = "TooLarge";
}

/** Pieces up to this many bytes are put together: an object for each would be larger than what is in it. */
const SMALL = 4096;
const BLOCK = 64 * 1024;
/** Bytes that are copied between two looks at the stop sign. */
const COPIED = 4 * 1024 * 1024;

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

  /** How many came so far. */
  get length(): number {
    return this.#bytes;
  }

  /** All of them. @param stop Looked at on the way. @throws {Stopped} */
  bytes(stop: StopSign): Uint8Array<ArrayBuffer> {
    this.#flush();
    const whole = new Uint8Array(this.#bytes);
    let at = 0;
    for (const each of this.#pieces) {
      for (const [piece] of pieces(each, stop, COPIED)) {
        whole.set(piece, at);
        at += piece.length;
      }
    }
    return whole;
  }

  #flush(): void {
    if (this.#used > 0) this.#pieces.push(this.#block.subarray(0, this.#used));
    this.#block = this.#block.subarray(this.#used);
    this.#used = 0;
  }
}
