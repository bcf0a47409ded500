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

/** @param page Aligned; it may be what is returned. */
export function packPage(page: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const words = new Int32Array(page.buffer, page.byteOffset, PAGE / WORD_BYTES);
  let count = 0;
  for (const word of words) if (word !== 0) count++;
  if (count > MOST_WORDS) return page;
  if (count === 0) return new Uint8Array(STORED_BYTES); // nothing at all would be no entry of an image
  const packed = new ArrayBuffer(count * STORED_BYTES);
  const values = new Int32Array(packed, 0, count);
  const numbers = new Uint16Array(packed, count * WORD_BYTES, count);
  let at = 0;
  for (let number = 0; at < count; number++) {
    const word = words[number]!;
    if (word === 0) continue;
    values[at] = word;
    numbers[at++] = number;
  }
  return new Uint8Array(packed);
}

/** The page that {@link packPage} was given; a copy. @throws {ImageError} if it can't have given this. */
export function unpackPage(stored: Uint8Array): Uint8Array<ArrayBuffer> {
  if (stored.length === PAGE) return new Uint8Array(stored);
  const count = stored.length / STORED_BYTES;
  if (!Number.isInteger(count) || count > MOST_WORDS) throw new ImageError("a page of the heap is invalid");
  const { buffer } = new Uint8Array(stored);
  const values = new Int32Array(buffer, 0, count);
  const numbers = new Uint16Array(buffer, count * WORD_BYTES, count);
  const words = new Int32Array(PAGE / WORD_BYTES);
  let free = 0;
  numbers.forEach((number, index) => {
    if (number < free || number >= words.length) throw new ImageError("a page of the heap is invalid");
    words[number] = values[index]!;
    free = number + 1;
  });
  return new Uint8Array(words.buffer);
}
