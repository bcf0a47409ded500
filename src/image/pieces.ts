/** Values that are too long for one entry. */

import { concatBytes } from "../bytes.ts";
import { ImageError } from "../executor/wire/image_error.ts";

/** Pieces of at most `most` bytes, as views; at least one. */
export function cut(bytes: Uint8Array, most: number): Uint8Array[] {
  const pieces = [bytes.subarray(0, most)];
  for (let at = most; at < bytes.length; at += most) pieces.push(bytes.subarray(at, at + most));
  return pieces;
}

/** @throws {ImageError} if they are longer than `maxBytes` together. */
export function join(pieces: readonly Uint8Array[], maxBytes: number): Uint8Array {
  if (pieces.reduce((sum, piece) => sum + piece.length, 0) > maxBytes) {
    throw new ImageError(`a value of the image exceeds ${maxBytes} bytes`);
  }
  return concatBytes(pieces);
}
