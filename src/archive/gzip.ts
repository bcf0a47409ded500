/** Compression in pieces: bounded in what comes out, and stopped between two pieces. */

import { concatBytes } from "../bytes.ts";
import type { StopSign } from "../control/stop_sign.ts";
import { Gunzip, Gzip, Inflate } from "fflate/browser";

const PIECE = 256 * 1024;
/** A thousand times as much may come out of one: it must not be more than what may be held besides. */
const COMPRESSED_PIECE = 16 * 1024;
type Level = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;

/** More came out of an archive than there is room for. */
export class TooLarge extends Error {
  override name = "TooLarge";
}

/** Bytes in pieces, each after a look at the stop sign. @param size Of a piece. */
export function* pieces(
  bytes: Uint8Array,
  stop: StopSign,
  size = PIECE,
): Generator<readonly [Uint8Array, boolean]> {
  for (let at = 0; at === 0 || at < bytes.length; at += size) {
    stop.checkNow();
    yield [bytes.subarray(at, at + size), at + size >= bytes.length];
  }
}

/** Collects what a compressor gives, up to a bound. */
export class Collector {
  readonly #pieces: Uint8Array[] = [];
  #bytes = 0;

  /** @param holder What holds no more, for people. */
  constructor(readonly maxBytes: number, readonly holder = "the workspace holds") {}

  /** @throws {TooLarge} */
  readonly add = (piece: Uint8Array): void => {
    this.#bytes += piece.length;
    if (this.#bytes > this.maxBytes) {
      throw new TooLarge(`more than ${this.maxBytes} bytes come out, which is all that ${this.holder}`);
    }
    this.#pieces.push(piece);
  };

  bytes(): Uint8Array {
    return concatBytes(this.#pieces);
  }
}

/** @param filename Noted in the header. */
export function gzip(
  bytes: Uint8Array,
  stop: StopSign,
  { level = 6, filename }: { readonly level?: number; readonly filename?: string } = {},
): Uint8Array {
  const collector = new Collector(Infinity);
  const stream = new Gzip({
    level: level as Level,
    mtime: 0,
    ...(filename !== undefined && { filename }),
  }, collector.add);
  for (const [piece, last] of pieces(bytes, stop)) stream.push(piece, last);
  return collector.bytes();
}

/** @throws {TooLarge} @throws {Error} if it is damaged. */
export function gunzip(bytes: Uint8Array, stop: StopSign, maxBytes: number): Uint8Array {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) throw new Error("not in gzip format");
  const collector = new Collector(maxBytes);
  const stream = new Gunzip(collector.add);
  for (const [piece, last] of pieces(bytes, stop, COMPRESSED_PIECE)) stream.push(piece, last);
  return collector.bytes();
}

/** What a raw deflate stream holds. @throws {TooLarge} @throws {Error} if it is damaged. */
export function inflate(bytes: Uint8Array, stop: StopSign, maxBytes: number): Uint8Array {
  const collector = new Collector(maxBytes);
  const stream = new Inflate(collector.add);
  for (const [piece, last] of pieces(bytes, stop, COMPRESSED_PIECE)) stream.push(piece, last);
  return collector.bytes();
}
