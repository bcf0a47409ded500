/** Values that are too long for one entry. */

import { concatBytes } from "../bytes.ts";
import { ImageError } from "../executor/wire/image_error.ts";
import type { ImageEntry } from "../executor/wire/entry.ts";

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

/** The entries that make the pieces of a value, by their numbers, those of another one. */
export function pieceChanges(
  section: number,
  before: readonly Uint8Array[],
  now: readonly Uint8Array[],
): ImageEntry[] {
  const entries: ImageEntry[] = [];
  for (let b = 0; b < Math.max(now.length, before.length); b++) {
    const bytes = now[b] ?? null;
    if (bytes !== null && sameBytes(bytes, before[b])) continue;
    entries.push({ section, a: 0, b, bytes });
  }
  return entries;
}

function sameBytes(one: Uint8Array, other: Uint8Array | undefined): boolean {
  return one.length === other?.length && one.every((byte, index) => byte === other[index]);
}
