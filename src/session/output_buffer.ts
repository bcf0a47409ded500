import { concatBytes } from "../bytes.ts";

/** Collects one stream of an execution as text, bounded a second time: what an executor sends is not trusted. */
export class OutputBuffer {
  readonly #chunks: Uint8Array[] = [];
  readonly #decoder = new TextDecoder();
  #bytes = 0;

  constructor(readonly maxBytes: number) {}

  /** Takes bytes and returns their text as far as it is complete, for those who follow along. */
  push(bytes: Uint8Array): string {
    const taken = bytes.subarray(0, this.maxBytes - this.#bytes);
    if (taken.length === 0) return "";
    this.#chunks.push(taken.slice());
    this.#bytes += taken.length;
    return this.#decoder.decode(taken, { stream: true });
  }

  /**
   * All of it; bytes that are not UTF-8 become U+FFFD.
   *
   * @param truncated Cuts off a character that the bound left incomplete.
   */
  text(truncated: boolean): string {
    return new TextDecoder().decode(concatBytes(this.#chunks), { stream: truncated });
  }
}
