/** Gzip's format (RFC 1952): bounded in what comes out, and stopped between two pieces. */

import { Gzip } from "fflate/browser";
import type { StopSign } from "../control/stop_sign.ts";
import { Collector } from "./collector.ts";
import { crc32 } from "./crc32.ts";
import { DamagedArchive } from "./damaged.ts";
import { inflateAt } from "./inflate.ts";
import { pieces } from "./pieces.ts";

type Level = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;

const HEADER_BYTES = 10;
/** Longest header with names and notes. */
const HEADER_MAX = 1024 * 1024;
export const TRAILER_BYTES = 8;
const DEFLATED = 8;
const HEADER_SUM = 2;
const EXTRA = 4;
const NAME = 8;
const COMMENT = 16;
const UNKNOWN_FLAGS = 0xe0;

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
  return collector.bytes(stop);
}

export function isGzip(bytes: Uint8Array, at = 0): boolean {
  return bytes[at] === 0x1f && bytes[at + 1] === 0x8b;
}

export interface Gunzipped {
  readonly bytes: Uint8Array;
  /** Whether something that is no gzip follows; zeros do not count, with which tapes are filled. */
  readonly trailingGarbage: boolean;
}

/**
 * What all members hold, one after the other.
 *
 * @throws {DamagedArchive} if one is not what it says, in the words of gzip. @throws {TooLarge} @throws {Stopped}
 */
export function gunzip(bytes: Uint8Array, stop: StopSign, maxBytes: number): Gunzipped {
  const collector = new Collector(maxBytes);
  let at = 0;
  do at = readMember(bytes, at, stop, collector); while (isGzip(bytes, at));
  // One byte of a header is the beginning of a member, not garbage.
  if (at === bytes.length - 1 && bytes[at] === 0x1f) throw new DamagedArchive("unexpected end of file");
  return { bytes: collector.bytes(stop), trailingGarbage: !isZeros(bytes, at, stop) };
}

/** @returns The index behind it. */
function readMember(bytes: Uint8Array, start: number, stop: StopSign, collector: Collector): number {
  let sum = 0;
  let length = 0;
  const end = inflateAt(bytes, endOfHeader(bytes, start), stop, (piece) => {
    if (piece.length === 0) return;
    collector.add(piece);
    sum = crc32(piece, sum);
    length += piece.length;
  });
  if (end + TRAILER_BYTES > bytes.length) throw new DamagedArchive("unexpected end of file");
  const trailer = new DataView(bytes.buffer, bytes.byteOffset + end, TRAILER_BYTES);
  if (trailer.getUint32(0, true) !== sum) throw new DamagedArchive("invalid compressed data--crc error");
  if (trailer.getUint32(4, true) !== length >>> 0) {
    throw new DamagedArchive("invalid compressed data--length error");
  }
  return end + TRAILER_BYTES;
}

/** The index at which what is compressed begins. */
export function endOfHeader(bytes: Uint8Array, start: number): number {
  const byte = (at: number): number => {
    if (at >= bytes.length) throw new DamagedArchive("unexpected end of file");
    return bytes[at]!;
  };
  const skipText = (at: number): number => {
    const end = bytes.subarray(0, start + HEADER_MAX).indexOf(0, at);
    if (end >= 0) return end + 1;
    throw new DamagedArchive(
      bytes.length > start + HEADER_MAX ? "its header is too long" : "unexpected end of file",
    );
  };
  if (byte(start) !== 0x1f || byte(start + 1) !== 0x8b) throw new DamagedArchive("not in gzip format");
  const method = byte(start + 2);
  if (method !== DEFLATED) throw new DamagedArchive(`unknown method ${method} -- not supported`);
  const flags = byte(start + 3);
  if ((flags & UNKNOWN_FLAGS) !== 0) {
    throw new DamagedArchive(`has flags 0x${flags.toString(16)} -- not supported`);
  }
  let at = start + HEADER_BYTES;
  if ((flags & EXTRA) !== 0) at += 2 + (byte(at) | byte(at + 1) << 8);
  if ((flags & NAME) !== 0) at = skipText(at);
  if ((flags & COMMENT) !== 0) at = skipText(at);
  if ((flags & HEADER_SUM) !== 0) {
    const told = byte(at) | byte(at + 1) << 8;
    if (told !== (crc32(bytes.subarray(start, at)) & 0xffff)) {
      throw new DamagedArchive("header checksum is not the computed one");
    }
    at += 2;
  }
  return at;
}

function isZeros(bytes: Uint8Array, start: number, stop: StopSign): boolean {
  for (const [piece] of pieces(bytes.subarray(start), stop)) {
    if (!piece.every((byte) => byte === 0)) return false;
  }
  return true;
}
