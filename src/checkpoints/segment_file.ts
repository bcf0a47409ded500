/** A segment as bytes: what stores keep that have no other form for it. */

import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import * as zlib from "node:zlib";
import { decodeEntries, encodeEntries, type ImageEntry } from "../executor/wire/entry.ts";
import { ImageRefused } from "./store.ts";

/** "WBXSEG", version 1; then the length of the entries (u32, little-endian), then those, in Zstandard (RFC 8878). */
const MAGIC = Buffer.from("WBXSEG\0\x01", "latin1");
const HEADER_BYTES = MAGIC.length + 4;
/** Memory of guests: the first level takes most of what there is to be had. */
const LEVEL = 1;

const compress = promisify(zlib.zstdCompress);
const decompress = promisify(zlib.zstdDecompress);

export async function encodeSegment(
  entries: readonly ImageEntry[],
): Promise<{ bytes: Uint8Array; sha256: string }> {
  const raw = Buffer.concat([...encodeEntries(entries, Infinity)]);
  const packed = await compress(raw, { params: { [zlib.constants.ZSTD_c_compressionLevel]: LEVEL } });
  const header = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(header);
  header.writeUInt32LE(raw.length, MAGIC.length);
  const bytes = Buffer.concat([header, packed]);
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
  const header = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!header.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw new ImageRefused("a part of its image is of no known form");
  }
  const length = header.readUInt32LE(MAGIC.length);
  if (length > maxBytes) throw new ImageRefused("a part of its image is too large");
  const raw = await decompress(bytes.subarray(HEADER_BYTES), { maxOutputLength: Math.max(1, length) });
  return decodeEntries(raw);
}

function digest(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
