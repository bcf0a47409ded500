/** Contents of files: chunks that are written in place while their epoch lasts, and copied on write after it. */

import { countBuffer } from "../garbage.ts";
import { FsError } from "./errors.ts";
import type { FileInode } from "./inode.ts";
import type { Epoch } from "./persistent_map.ts";

export const CHUNK_BYTES = 64 * 1024;
const CAPACITY_STEP = 64;
/** Far above any quota; keeps offsets exact in numbers. */
export const MAX_FILE_BYTES = 2 ** 44;

/** Copies bytes from `position` on into `target`. @returns How many; 0 at the end of the file. */
export function readContents(file: FileInode, position: number, target: Uint8Array): number {
  const length = Math.max(0, Math.min(target.length, file.size - position));
  for (let done = 0; done < length;) {
    const offset = (position + done) % CHUNK_BYTES;
    const count = Math.min(CHUNK_BYTES - offset, length - done);
    const bytes = file.chunks[Math.floor((position + done) / CHUNK_BYTES)]?.bytes;
    const stored = bytes === undefined ? 0 : Math.max(0, Math.min(count, bytes.length - offset));
    if (stored > 0) target.set(bytes!.subarray(offset, offset + stored), done);
    if (stored < count) target.fill(0, done + stored, done + count);
    done += count;
  }
  return length;
}

/** Writes all of `source` at `position`, which must be charged for already. `file` must be of `epoch`. */
export function writeContents(file: FileInode, position: number, source: Uint8Array, epoch: Epoch): void {
  for (let done = 0; done < source.length;) {
    const index = Math.floor((position + done) / CHUNK_BYTES);
    const offset = (position + done) % CHUNK_BYTES;
    const count = Math.min(CHUNK_BYTES - offset, source.length - done);
    const piece = source.subarray(done, done + count);
    if (count === CHUNK_BYTES && file.chunks[index]?.epoch !== epoch) {
      countBuffer(count);
      file.chunks[index] = { epoch, bytes: piece.slice() };
    } else {
      writableChunk(file, index, offset + count, epoch).set(piece, offset);
    }
    done += count;
  }
  file.size = Math.max(file.size, position + source.length);
}

/** Cuts or extends with zeros; what it grows by must be charged for already. `file` must be of `epoch`. */
export function resizeContents(file: FileInode, size: number, epoch: Epoch): void {
  if (size < file.size) {
    const count = Math.ceil(size / CHUNK_BYTES);
    if (file.chunks.length > count) file.chunks.length = count;
    const kept = size % CHUNK_BYTES;
    const last = kept === 0 ? undefined : file.chunks[count - 1];
    if (last !== undefined && last.bytes.length > kept) {
      // Bytes past the end must read as zeros after growing again, and must not hold memory nobody pays for.
      if (last.epoch === epoch && last.bytes.length <= 2 * kept) last.bytes.fill(0, kept);
      else file.chunks[count - 1] = { epoch, bytes: last.bytes.slice(0, kept) };
    }
  }
  file.size = size;
}

/** @throws {FsError} EINVAL, EFBIG */
export function checkFileSize(size: number, path = ""): void {
  if (!Number.isInteger(size) || size < 0) throw new FsError("EINVAL", path);
  if (size > MAX_FILE_BYTES) throw new FsError("EFBIG", path);
}

function writableChunk(file: FileInode, index: number, needed: number, epoch: Epoch): Uint8Array {
  const old = file.chunks[index];
  if (old !== undefined && old.epoch === epoch && old.bytes.length >= needed) return old.bytes;
  const bytes = new Uint8Array(capacityFor(old?.bytes.length ?? 0, needed));
  countBuffer(bytes.length);
  if (old !== undefined) bytes.set(old.bytes);
  file.chunks[index] = { epoch, bytes };
  return bytes;
}

/** Exact at first, then doubling: what is written once wastes nothing, and small appends are amortised O(1). */
function capacityFor(held: number, needed: number): number {
  if (held >= needed) return held;
  const wanted = Math.max(needed, 2 * held);
  return Math.min(CHUNK_BYTES, Math.ceil(wanted / CAPACITY_STEP) * CAPACITY_STEP);
}
