/** What a program has printed that was not handed on yet, in its order. */

import { GrowingBytes } from "../../../bytes.ts";

export interface Piece {
  readonly stream: "stdout" | "stderr";
  readonly bytes: GrowingBytes;
}

export class HeldOutput {
  #pieces: Piece[] = [];
  #length = 0;
  #since = 0;

  /** Bytes of all of it. */
  get length(): number {
    return this.#length;
  }

  get isEmpty(): boolean {
    return this.#pieces.length === 0;
  }

  /** How long the first of it has been held. */
  get ms(): number {
    return this.isEmpty ? 0 : performance.now() - this.#since;
  }

  push(stream: Piece["stream"], bytes: Uint8Array): void {
    if (this.isEmpty) this.#since = performance.now();
    let last = this.#pieces.at(-1);
    if (last?.stream !== stream) this.#pieces.push(last = { stream, bytes: new GrowingBytes() });
    last.bytes.push(bytes);
    this.#length += bytes.length;
  }

  /** The first of it, as far as it is of one stream. */
  take(): Piece | undefined {
    const first = this.#pieces.shift();
    this.#length -= first?.bytes.length ?? 0;
    return first;
  }

  drop(): void {
    this.#pieces = [];
    this.#length = 0;
  }
}
