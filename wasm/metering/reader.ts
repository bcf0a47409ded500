import { MeteringError } from "./error.ts";

/** Reads the primitive encodings of the binary format (spec §5.2) from a range of a module. */
export class ByteReader {
  position: number;

  /** @param start @param end The range, as offsets in `bytes`; nothing outside it is ever read. */
  constructor(readonly bytes: Uint8Array, start = 0, readonly end = bytes.length) {
    this.position = start;
  }

  get done(): boolean {
    return this.position >= this.end;
  }

  fail(reason: string, offset = this.position): never {
    throw new MeteringError(reason, offset);
  }

  byte(): number {
    if (this.position >= this.end) this.fail("unexpected end");
    return this.bytes[this.position++]!;
  }

  u32(): number {
    const start = this.position;
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte();
      if (shift === 28 && byte > 0x0f) break;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    this.fail("integer too large", start);
  }

  /** A signed integer of 33 bits: what block types and heap types are. */
  s33(): number {
    const start = this.position;
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return byte & 0x40 ? value - 2 ** (shift + 7) : value;
    }
    this.fail("integer too large", start);
  }

  /** Skips an integer in LEB128 whose value does not matter. @param bits Its width. */
  skipInteger(bits: 32 | 64): void {
    const start = this.position;
    const last = start + Math.ceil(bits / 7);
    while (this.byte() >= 0x80) {
      if (this.position >= last) this.fail("integer too large", start);
    }
  }

  skip(count: number): void {
    if (count > this.end - this.position) this.fail("unexpected end", this.end);
    this.position += count;
  }

  /** Reads a size and returns a reader of that many of the bytes that follow, which are skipped here. */
  sized(): ByteReader {
    const size = this.u32();
    const start = this.position;
    this.skip(size);
    return new ByteReader(this.bytes, start, start + size);
  }

  name(): string {
    const { position, end } = this.sized();
    return new TextDecoder().decode(this.bytes.subarray(position, end));
  }

  /** Fails unless the range was read to its end. @param what Names the range. */
  expectEnd(what: string): void {
    if (!this.done) this.fail(`unexpected bytes after the ${what}`);
  }
}
