/** Grows a buffer of bytes in the primitive encodings of the binary format (spec §5.2). */
export class ByteWriter {
  #bytes: Uint8Array<ArrayBuffer>;
  #length = 0;

  constructor(capacity = 256) {
    this.#bytes = new Uint8Array(capacity);
  }

  get length(): number {
    return this.#length;
  }

  /** What was written so far. A view: valid until the next write. */
  get written(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  u32(value: number): void {
    this.#reserve(5);
    let rest = value >>> 0;
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = rest & 0x7f | 0x80;
      rest >>>= 7;
    }
    this.#bytes[this.#length++] = rest;
  }

  s32(value: number): void {
    let rest = value | 0;
    while (rest < -0x40 || rest >= 0x40) {
      this.byte(rest & 0x7f | 0x80);
      rest >>= 7;
    }
    this.byte(rest & 0x7f);
  }

  raw(...values: number[]): void {
    for (const value of values) this.byte(value);
  }

  /** Copies `source[start, end)`. */
  copy(source: Uint8Array, start = 0, end = source.length): void {
    this.#reserve(end - start);
    this.#bytes.set(source.subarray(start, end), this.#length);
    this.#length += end - start;
  }

  /** Writes the size of `content`, then `content`. */
  sized(content: ByteWriter): void {
    this.u32(content.length);
    this.copy(content.written);
  }

  name(value: string): void {
    const encoded = new TextEncoder().encode(value);
    this.u32(encoded.length);
    this.copy(encoded);
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    grown.set(this.written);
    this.#bytes = grown;
  }
}
