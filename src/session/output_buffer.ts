import { GrowingBytes } from "../bytes.ts";

/** Collects one stream of an execution as text, bounded a second time: what an executor sends is not trusted. */
export class OutputBuffer {
  readonly #bytes = new GrowingBytes();
  readonly #decoder = new TextDecoder();

  constructor(readonly maxBytes: number) {}

  /** Takes bytes and returns their text as far as it is complete, for those who follow along. */
  push(bytes: Uint8Array): string {
    const taken = bytes.subarray(0, this.maxBytes - this.#bytes.length);
    if (taken.length === 0) return "";
    this.#bytes.push(taken);
    return this.#decoder.decode(taken, { stream: true });
  }

  /**
   * All of it; bytes that are not UTF-8 become U+FFFD.
   *
   * @param truncated Cuts off a character that the bound left incomplete.
   */
  text(truncated: boolean): string {
    return new TextDecoder().decode(this.#bytes.view, { stream: truncated });
  }
}
