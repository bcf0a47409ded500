/** Lines of a byte stream, each bounded. */

import { concatBytes } from "../bytes.ts";

const NEWLINE = 0x0a;

/** Cuts bytes into lines; a line that is too long is reported once and skipped to its end. */
export class LineReader {
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #skipping = false;

  constructor(readonly maxBytes: number) {}

  /** Lines completed by `chunk`, which may change later, without their newline; "too long" in place of one that exceeds the bound. */
  *push(chunk: Uint8Array): Generator<Uint8Array | "too long"> {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      const line = this.#take(chunk.subarray(from, end));
      from = end + 1;
      yield line;
    }
    this.#hold(chunk.slice(from));
  }

  /** What came after the last newline, at the end of the stream. */
  rest(): Uint8Array | "too long" {
    return this.#take(new Uint8Array());
  }

  #take(end: Uint8Array): Uint8Array | "too long" {
    this.#hold(end);
    const line = this.#skipping ? "too long" : concatBytes(this.#pieces);
    this.#pieces = [];
    this.#bytes = 0;
    this.#skipping = false;
    return line;
  }

  #hold(piece: Uint8Array): void {
    this.#bytes += piece.length;
    if (this.#bytes > this.maxBytes) {
      this.#skipping = true;
      this.#pieces = [];
    }
    if (!this.#skipping && piece.length > 0) this.#pieces.push(piece);
  }
}
