/**
 * Pages as they are stored: of one of which a few words are not zero, only those. A small program changes a word or two
 * in each of a hundred pages.
 *
 * Layout, little-endian: the words that are not zero (i32 each), then their numbers in the page (u16 each), ascending. A
 * page with more of them than that saves is stored as it is.
 */

import { ImageError } from "../executor/wire/image_error.ts";
import { PAGE } from "./pages.ts";

const WORD_BYTES = Int32Array.BYTES_PER_ELEMENT;
const STORED_BYTES = WORD_BYTES + Uint16Array.BYTES_PER_ELEMENT;
const MOST_WORDS = Math.floor((PAGE - 1) / STORED_BYTES);

/**
 * A page of which these words are not zero.
 *
 * @param values The words. @param numbers Of as many, ascending.
 * @returns Undefined if there are so many that the page itself is no longer.
 */
export function packWords(values: Int32Array, numbers: Uint16Array): Uint8Array<ArrayBuffer> | undefined {
  const count = values.length;
  if (count > MOST_WORDS) return undefined;
  if (count === 0) return new Uint8Array(STORED_BYTES); // nothing at all would be no entry of an image
  const packed = new ArrayBuffer(count * STORED_BYTES);
  new Int32Array(packed, 0, count).set(values);
  new Uint16Array(packed, count * WORD_BYTES, count).set(numbers);
  return new Uint8Array(packed);
}

/**
 * Makes a page of what {@link packWords} gave, or the page as it was.
 *
 * @param page Gets it; all zeros. @throws {ImageError} if it can't have given this.
 */
export function unpackPage(stored: Uint8Array, page: Uint8Array): void {
  if (stored.length === PAGE) return page.set(stored);
  const count = stored.length / STORED_BYTES;
  if (!Number.isInteger(count) || count > MOST_WORDS) throw new ImageError("a page of the heap is invalid");
  const { buffer } = new Uint8Array(stored);
  const values = new Int32Array(buffer, 0, count);
  const numbers = new Uint16Array(buffer, count * WORD_BYTES, count);
  const words = new Int32Array(page.buffer, page.byteOffset, PAGE / WORD_BYTES);
  let free = 0;
  numbers.forEach((number, index) => {
    if (number < free || number >= words.length) throw new ImageError("a page of the heap is invalid");
    words[number] = values[index]!;
    free = number + 1;
  });
}
