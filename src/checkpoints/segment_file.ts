/** A segment as bytes: what stores keep that have no other form for it. */

import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import * as zlib from "node:zlib";
import { decodeEntries, encodeEntries, type ImageEntry } from "../executor/wire/entry.ts";
import { ImageRefused } from "./store.ts";

/** "WBXSEG" and the form; then the length of what follows (u32, little-endian), then that, in Zstandard (RFC 8878). */
const MAGIC = {
  /** The entries. */
  whole: Buffer.from("WBXSEG\0\x01", "latin1"),
  /** Number of entries (u32), for each what it has in a chunk (u32; 0: nothing), the entries without that. */
  chunked: Buffer.from("WBXSEG\0\x02", "latin1"),
} as const;
type Form = keyof typeof MAGIC;

const HEADER_BYTES = MAGIC.whole.length + 4;
/** Memory of guests: the first level takes most of what there is to be had. */
const LEVEL = 1;
/**
 * What is (un)packed on the spot: it takes a millisecond or two. Deno's asynchronous form does its work in the same thread,
 * with turns of the event loop between pieces, which is right for more, and three times as long for little.
 */
const AT_ONCE_BYTES = 1024 * 1024;
/** Node's least for what it unpacks into at a time. */
const LEAST_CHUNK_BYTES = 64;

const zstdCompress = promisify(zlib.zstdCompress);
const zstdDecompress = promisify(zlib.zstdDecompress);

export async function encodeSegment(
  entries: readonly ImageEntry[],
): Promise<{ bytes: Uint8Array; sha256: string }> {
  const bytes = await packSegment("whole", entries);
  return { bytes, sha256: digest(bytes) };
}

/**
 * @param maxBytes Most that its entries may hold. @throws {ImageRefused} if they are not those of the digest.
 */
export async function decodeSegment(
  bytes: Uint8Array,
  sha256: string,
  maxBytes: number,
): Promise<readonly ImageEntry[]> {
  if (digest(bytes) !== sha256) throw new ImageRefused("a part of its image is damaged");
  return (await unpackSegment("whole", bytes, maxBytes)).entries;
}

/** @param before What comes before the entries. */
export async function packSegment(
  form: Form,
  entries: readonly ImageEntry[],
  before: readonly Uint8Array[] = [],
): Promise<Uint8Array> {
  const raw = Buffer.concat([...before, ...encodeEntries(entries, Infinity)]);
  const header = Buffer.alloc(HEADER_BYTES);
  MAGIC[form].copy(header);
  header.writeUInt32LE(raw.length, MAGIC[form].length);
  return Buffer.concat([header, await compress(raw)]);
}

/**
 * @param beforeBytes How much comes before the entries.
 * @throws {ImageRefused} if it is of another form, or larger than it may be.
 */
export async function unpackSegment(
  form: Form,
  bytes: Uint8Array,
  maxBytes: number,
  beforeBytes: (raw: Uint8Array) => number = () => 0,
): Promise<{ before: Uint8Array; entries: readonly ImageEntry[] }> {
  const header = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!header.subarray(0, MAGIC[form].length).equals(MAGIC[form])) {
    throw new ImageRefused("a part of its image is of no known form");
  }
  const length = header.readUInt32LE(MAGIC[form].length);
  if (length > maxBytes) throw new ImageRefused("a part of its image is too large");
  const raw = await decompress(bytes.subarray(HEADER_BYTES), length);
  const start = beforeBytes(raw);
  if (start > raw.length) throw new ImageRefused("a part of its image is of no known form");
  return { before: raw.subarray(0, start), entries: decodeEntries(raw.subarray(start)) };
}

export async function compress(raw: Uint8Array): Promise<Uint8Array> {
  const options = { params: { [zlib.constants.ZSTD_c_compressionLevel]: LEVEL } };
  return raw.length > AT_ONCE_BYTES ? await zstdCompress(raw, options) : zlib.zstdCompressSync(raw, options);
}

/** @param length Of what comes out. */
export async function decompress(packed: Uint8Array, length: number): Promise<Uint8Array> {
  const most = Math.max(LEAST_CHUNK_BYTES, length);
  const options = { maxOutputLength: Math.max(1, length), chunkSize: Math.min(most, AT_ONCE_BYTES) };
  return length > AT_ONCE_BYTES
    ? await zstdDecompress(packed, options)
    : zlib.zstdDecompressSync(packed, options);
}

/** SHA-256, hexadecimal. */
export function digest(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
