/**
 * Segments whose contents are stored by what they are: sessions of one principal that hold the same (an installed package,
 * a data set, a heap that the same program made) keep it once.
 *
 * Contents are put together in chunks that end where the contents themselves say (content-defined chunking), so that what
 * comes before or after something that two sessions share does not move the cuts within it.
 */

import { Buffer } from "node:buffer";
import type { ImageEntry } from "../executor/wire/entry.ts";
import {
  decodeSegment,
  decompress,
  digest,
  encodeSegment,
  packSegment,
  unpackSegment,
} from "./segment_file.ts";
import { type ChunkRecord, ImageRefused, type SegmentRecord } from "./store.ts";

/** Below that a segment is stored as a whole: what a call changes as a rule. */
const SMALLEST_BYTES = 512 * 1024;
/** Shorter contents stay beside their keys. */
const SHORTEST_BYTES = 256;
/** What a chunk holds on average, and at most. */
const USUAL_BYTES = 128 * 1024;
const MOST_BYTES = 1024 * 1024;
/** Places of an entry's contents that are looked at for whether a chunk ends with it. */
const SAMPLES = 16;
/** Chunks that are read or written at once. */
const AT_ONCE = 4;

/** Contents of some entries, one after another. */
export interface Chunk {
  /** SHA-256, hexadecimal. */
  readonly id: string;
  readonly bytes: Uint8Array;
}

export interface SplitSegment {
  /** What is stored beside its chunks. */
  readonly bytes: Uint8Array;
  /** Of those. */
  readonly sha256: string;
  /** In order; a chunk may be there more than once. */
  readonly chunks: readonly ChunkRecord[];
}

/**
 * Prepares a segment for a store.
 *
 * @param keep Stores a chunk, if it is not there; of several at once each is another one.
 */
export async function splitSegment(
  entries: readonly ImageEntry[],
  keep: (chunk: Chunk) => Promise<ChunkRecord>,
): Promise<SplitSegment> {
  if (entries.reduce((sum, { bytes }) => sum + (bytes?.length ?? 0), 0) < SMALLEST_BYTES) {
    return { ...await encodeSegment(entries), chunks: [] };
  }
  const lengths = new Uint32Array(entries.length);
  const beside = entries.map((entry, index) => {
    const length = entry.bytes?.length ?? 0;
    if (length < SHORTEST_BYTES) return entry;
    lengths[index] = length;
    return { ...entry, bytes: new Uint8Array() };
  });
  const chunks = await eachOnce(cut(entries), keep);
  const head = Buffer.alloc(4);
  head.writeUInt32LE(entries.length);
  const bytes = await packSegment("chunked", beside, [head, new Uint8Array(lengths.buffer)]);
  return { bytes, sha256: digest(bytes), chunks };
}

/**
 * @param maxBytes Most that its entries may hold. @param read What {@link ChunkRecord} stands for.
 * @throws {ImageRefused} if it is not what was stored.
 */
export async function joinSegment(
  bytes: Uint8Array,
  { sha256, chunks = [] }: Pick<SegmentRecord, "sha256" | "chunks">,
  read: (chunk: ChunkRecord) => Promise<Uint8Array>,
  maxBytes: number,
): Promise<readonly ImageEntry[]> {
  if (chunks.length === 0) return await decodeSegment(bytes, sha256, maxBytes);
  if (digest(bytes) !== sha256) throw new ImageRefused("a part of its image is damaged");
  const size = chunks.reduce((sum, chunk) => sum + chunk.bytes, 0);
  if (size > maxBytes) throw new ImageRefused("a part of its image is too large");
  const { entries, before } = await unpackSegment(
    "chunked",
    bytes,
    maxBytes,
    (raw) => raw.length < 4 ? 0 : 4 + 4 * Buffer.from(raw.buffer, raw.byteOffset, 4).readUInt32LE(),
  );
  const lengths = new DataView(before.buffer, before.byteOffset + 4, before.length - 4);
  if (lengths.byteLength !== 4 * entries.length) {
    throw new ImageRefused("a part of its image is of no known form");
  }
  const contents = await inTurns(chunks, read);
  let at = 0;
  let chunk = contents.shift();
  return entries.map((entry, index) => {
    const length = lengths.getUint32(4 * index, true);
    if (length === 0) return entry;
    if (chunk && at === chunk.length) [chunk, at] = [contents.shift(), 0];
    if (!chunk || length > chunk.length - at) {
      throw new ImageRefused("a part of its image is of no known form");
    }
    return { ...entry, bytes: chunk.subarray(at, at += length) };
  });
}

/** Contents that are long enough, in chunks. */
function cut(entries: readonly ImageEntry[]): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  let part: Uint8Array[] = [];
  let size = 0;
  for (const { bytes } of entries) {
    if (!bytes || bytes.length < SHORTEST_BYTES) continue;
    if (size + bytes.length > MOST_BYTES) close();
    part.push(bytes);
    size += bytes.length;
    if (endsChunk(bytes)) close();
  }
  close();
  return chunks;

  function close(): void {
    if (part.length > 0) chunks.push(Buffer.concat(part));
    part = [];
    size = 0;
  }
}

/** Whether a chunk ends with these contents: by what some of their bytes are, as often as their length makes it due. */
function endsChunk(bytes: Uint8Array): boolean {
  let hash = bytes.length;
  for (let sample = 0; sample < SAMPLES; sample++) {
    const at = Math.floor((bytes.length - 4) * sample / (SAMPLES - 1));
    const word = bytes[at]! | bytes[at + 1]! << 8 | bytes[at + 2]! << 16 | bytes[at + 3]! << 24;
    hash = Math.imul(hash ^ word, 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return (hash >>> 0) / 2 ** 32 < bytes.length / USUAL_BYTES;
}

/** Of chunks that are the same one is stored. */
async function eachOnce(
  contents: readonly Uint8Array[],
  keep: (chunk: Chunk) => Promise<ChunkRecord>,
): Promise<ChunkRecord[]> {
  const known = new Map<string, Promise<ChunkRecord>>();
  return await inTurns(contents, async (bytes) => {
    const id = digest(bytes);
    const kept = known.get(id) ?? keep({ id, bytes });
    known.set(id, kept);
    return await kept;
  });
}

/** @throws {ImageRefused} if it is not the chunk of that name. */
export async function unpackChunk(packed: Uint8Array, { id, bytes }: ChunkRecord): Promise<Uint8Array> {
  const contents = await decompress(packed, bytes).catch(() => new Uint8Array());
  if (digest(contents) !== id) throw new ImageRefused("a part of its image is damaged");
  return contents;
}

/** The results of some calls, in order; a few at a time. No call is under way any more once it settles. */
async function inTurns<T, R>(items: readonly T[], call: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < items.length) {
      const place = next++;
      try {
        results[place] = await call(items[place]!);
      } catch (error) {
        next = items.length;
        throw error;
      }
    }
  };
  const settled = await Promise.allSettled(Array.from({ length: AT_ONCE }, work));
  for (const one of settled) if (one.status === "rejected") throw one.reason;
  return results;
}
