/** What a program is given to read. What none of it was read of is still there for the commands after it. */
export class StandardInput {
  #position = 0;
  #wasRead = false;

  /** @param bytes All of it. Not read by who looks at them here. */
  constructor(readonly bytes: Uint8Array = new Uint8Array(0)) {}

  get wasRead(): boolean {
    return this.#wasRead;
  }

  /** Fills a buffer with what comes next; 0 bytes: its end. */
  read(buffer: Uint8Array): number {
    this.#wasRead = true;
    const piece = this.bytes.subarray(this.#position, this.#position + buffer.length);
    buffer.set(piece);
    this.#position += piece.length;
    return piece.length;
  }

  /** All that there is. */
  all(): Uint8Array {
    this.#wasRead = true;
    return this.bytes;
  }
}
