import { concatBytes, GrowingBytes, LastBytes } from "../bytes.ts";

/** A cut is moved to the end of a line if there is one so near, bytes. */
const LINE_BYTES = 400;

/**
 * Collects one stream of an execution as text, bounded a second time: what an executor sends is not trusted. Of what is
 * longer than the bound the first and the last half are kept.
 */
export class OutputBuffer {
  readonly #first = new GrowingBytes();
  /** Of what comes after the bound. */
  readonly #last: LastBytes;
  readonly #decoder = new TextDecoder();

  constructor(readonly maxBytes: number) {
    this.#last = new LastBytes(Math.floor(maxBytes / 2));
  }

  /** Takes bytes and returns their text as far as it is complete and within the bound, for those who follow along. */
  push(bytes: Uint8Array): string {
    const room = this.maxBytes - this.#first.length;
    const taken = bytes.subarray(0, room);
    if (bytes.length > room) this.#last.push(bytes.subarray(room));
    if (taken.length === 0) return "";
    this.#first.push(taken);
    return this.#decoder.decode(taken, { stream: true });
  }

  /** Whether more came than the bound allows. @param dropped Bytes that never came. */
  isTruncated(dropped: number): boolean {
    return this.#last.total + dropped > 0;
  }

  /**
   * All of it, or what is kept and how much is not; bytes that are not UTF-8 become U+FFFD.
   *
   * @param dropped Bytes that never came, before the last ones.
   */
  text(dropped = 0): string {
    const first = this.#first.view;
    if (!this.isTruncated(dropped)) return new TextDecoder().decode(first);
    const head = first.subarray(0, headEnd(first, this.maxBytes - this.#last.capacity));
    const end = this.#end(dropped);
    const tail = end.subarray(tailStart(end));
    const left = first.length + this.#last.total + dropped - head.length - tail.length;
    const mark = `[… ${left} bytes left out …]\n`;
    const opening = new TextDecoder().decode(head);
    const separator = opening === "" || opening.endsWith("\n") ? "" : "\n";
    return opening + separator + mark + new TextDecoder().decode(tail);
  }

  /** The last half, as far as it came. */
  #end(dropped: number): Uint8Array {
    const last = this.#last.take();
    const missing = this.#last.capacity - last.length;
    if (dropped > 0 || missing === 0) return last;
    return concatBytes([this.#first.view.subarray(-missing), last]);
  }
}

/** Where the beginning ends: after a line, or at least between two characters. */
function headEnd(bytes: Uint8Array, at: number): number {
  const line = bytes.subarray(Math.max(0, at - LINE_BYTES), at).lastIndexOf(NEWLINE);
  if (line >= 0) return Math.max(0, at - LINE_BYTES) + line + 1;
  let end = at;
  while (end > 0 && at - end < 3 && isContinuation(bytes[end])) end--;
  return end;
}

function tailStart(bytes: Uint8Array): number {
  // The last line itself is no reason to leave it out.
  const line = bytes.subarray(0, Math.min(LINE_BYTES, bytes.length - 1)).indexOf(NEWLINE);
  if (line >= 0) return line + 1;
  let start = 0;
  while (start < 3 && isContinuation(bytes[start])) start++;
  return start;
}

const NEWLINE = 10;

/** Whether a byte goes on with a character of UTF-8. */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
