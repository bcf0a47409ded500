/**
 * Entries: what an image of a session is made of.
 *
 * An image is a map from keys to bytes, cut so finely that a capture gives only what changed since the one before. Who
 * stores it applies each capture's entries to its map and understands nothing of them; a restore gets the whole map, in
 * any order. What is in an entry is looked at in the executor alone.
 */

import { ImageError } from "./image_error.ts";

/** Kinds of entries, and what their keys mean. */
export const Section = {
  /** JSON in pieces. `a`: 0. `b`: the piece's number. */
  pythonState: 1,
  /** A page of the heap, as what it is more than the base's. `a`: its number. `b`: 0. */
  pythonPage: 2,
  javascriptState: 3,
  javascriptPage: 4,
  /** What is of no single file. `a`, `b`: 0. */
  filesState: 5,
  /** Everything of an inode but its contents, in pieces. `a`: the inode's number. `b`: the piece's number. */
  inode: 6,
  /** A piece of a file. `a`: the inode's number. `b`: the chunk's number. */
  chunk: 7,
  /** Clock and random numbers, JSON. `a`, `b`: 0. */
  entropy: 8,
  /** JSON in pieces. `a`: 0. `b`: the piece's number. */
  shellState: 9,
  shellPage: 10,
} as const;

/** One key with its value. The key is `section`, `a` and `b` together. */
export interface ImageEntry {
  /** 1–255, of {@link Section}. */
  readonly section: number;
  /** 0 to 2^53 - 1. */
  readonly a: number;
  /** 0 to 2^32 - 1. */
  readonly b: number;
  /** At most {@link ENTRY_MAX_BYTES}; null: the key is no longer part of the image. */
  readonly bytes: Uint8Array | null;
}

/** Most bytes of one entry. */
export const ENTRY_MAX_BYTES = 64 * 1024;
/** What an encoded entry takes beside its bytes. */
export const ENTRY_HEADER_BYTES = 20;

const SECTION_MAX = 255;
const DELETED = 1;
const U32 = 2 ** 32;
/** `a` is below 2^53: its upper half has 21 bits. */
const UPPER_MAX = 2 ** 21 - 1;

/** A text that stands for an entry's key, and for no other key. */
export function entryKey({ section, a, b }: ImageEntry): string {
  return `${section}:${a}:${b}`;
}

/** What whoever holds an entry needs for it beside its bytes: its key, its place in a map, the objects around it. */
const ENTRY_OVERHEAD_BYTES = 256;

/** What one entry adds to the size of an image: many small ones cost more than their bytes. */
export function entryBytes(bytes: number): number {
  return ENTRY_OVERHEAD_BYTES + bytes;
}

/**
 * Encodes entries one after another into batches. Lazily: an entry's bytes are copied when its batch is asked for.
 *
 * Layout of an entry, little-endian: section (u8), flags (u8: 1 = deleted), two bytes of zero, `a` (u64), `b` (u32),
 * length (u32), bytes.
 *
 * @param batchBytes Size to stay below where possible; a batch has at least one entry.
 */
export function* encodeEntries(
  entries: Iterable<ImageEntry>,
  batchBytes: number,
): Generator<Uint8Array<ArrayBuffer>> {
  let batch: ImageEntry[] = [];
  let size = 0;
  for (const { section, a, b, bytes: value } of entries) {
    const bytes = ENTRY_HEADER_BYTES + (value?.length ?? 0);
    if (batch.length > 0 && size + bytes > batchBytes) {
      yield encodeBatch(batch, size);
      batch = [];
      size = 0;
    }
    batch.push({ section, a, b, bytes: value });
    size += bytes;
  }
  if (batch.length > 0) yield encodeBatch(batch, size);
}

/**
 * Decodes a batch.
 *
 * @returns entries whose bytes are views of `bytes`.
 * @throws {ImageError} if anything in it is out of bounds.
 */
export function decodeEntries(bytes: Uint8Array): ImageEntry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries: ImageEntry[] = [];
  for (let at = 0; at < bytes.length;) {
    if (bytes.length - at < ENTRY_HEADER_BYTES) throw new ImageError("an entry is cut short");
    const [section, flags, zero] = [view.getUint8(at), view.getUint8(at + 1), view.getUint16(at + 2, true)];
    const [lower, upper] = [view.getUint32(at + 4, true), view.getUint32(at + 8, true)];
    const [b, length] = [view.getUint32(at + 12, true), view.getUint32(at + 16, true)];
    at += ENTRY_HEADER_BYTES;
    if (section === 0 || flags > DELETED || zero !== 0 || upper > UPPER_MAX) {
      throw new ImageError("an entry's header is invalid");
    }
    if (length > ENTRY_MAX_BYTES || flags === DELETED && length > 0) {
      throw new ImageError("an entry is too long");
    }
    if (length > bytes.length - at) throw new ImageError("an entry is cut short");
    const value = flags === DELETED ? null : bytes.subarray(at, at + length);
    entries.push({ section, a: upper * U32 + lower, b, bytes: value });
    at += length;
  }
  return entries;
}

function encodeBatch(entries: readonly ImageEntry[], size: number): Uint8Array<ArrayBuffer> {
  const batch = new Uint8Array(size);
  const view = new DataView(batch.buffer);
  let at = 0;
  for (const { section, a, b, bytes } of entries) {
    if (section < 1 || section > SECTION_MAX || (bytes?.length ?? 0) > ENTRY_MAX_BYTES) {
      throw new ImageError("an entry is out of bounds");
    }
    view.setUint8(at, section);
    view.setUint8(at + 1, bytes === null ? DELETED : 0);
    view.setUint32(at + 4, a % U32, true);
    view.setUint32(at + 8, Math.floor(a / U32), true);
    view.setUint32(at + 12, b, true);
    view.setUint32(at + 16, bytes?.length ?? 0, true);
    at += ENTRY_HEADER_BYTES;
    if (bytes !== null) batch.set(bytes, at);
    at += bytes?.length ?? 0;
  }
  return batch;
}
