/** Makes pieces of one size of bytes that come in any. */
export class PieceCutter {
  #piece: Uint8Array;
  #length = 0;

  constructor(readonly size: number) {
    this.#piece = new Uint8Array(0);
  }

  /** Pieces that `chunk` completes. */
  *push(chunk: Uint8Array): Generator<Uint8Array> {
    for (let at = 0; at < chunk.length;) {
      if (this.#length === 0 && chunk.length - at >= this.size) {
        yield chunk.subarray(at, at + this.size);
        at += this.size;
        continue;
      }
      const part = chunk.subarray(at, at + this.size - this.#length);
      if (this.#piece.length === 0) this.#piece = new Uint8Array(this.size);
      this.#piece.set(part, this.#length);
      this.#length += part.length;
      at += part.length;
      if (this.#length < this.size) continue;
      const whole = this.#piece;
      this.#piece = new Uint8Array(0);
      this.#length = 0;
      yield whole;
    }
  }

  /** What is left over: less than a piece. */
  rest(): Uint8Array {
    return this.#piece.subarray(0, this.#length);
  }
}
