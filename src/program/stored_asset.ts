/** An asset that can still be read when the process has given up its permissions. */

import { discard } from "../garbage.ts";

/** Of a compressed asset, so much is a block: what of it is read at a time. */
export const BLOCK_BYTES = 1 << 20;

/** Memory is given out in these, bytes: to those that nobody has written to there is none. */
const PAGE = 4096;
const WORD = Int32Array.BYTES_PER_ELEMENT;

/** How an asset lies there that takes less room than it has bytes. */
export interface Compressed {
  /** What each {@link BLOCK_BYTES} of it take, as frames of Zstandard (RFC 8878); 0 where all of them are zeros. */
  readonly blocks: readonly number[];
  /** Of what is not compressed: each block has so many bytes, and is there as it is, unless all of them are zeros. */
  readonly sparse?: number;
  /** SHA-256 of all that, hexadecimal. */
  readonly sha256: string;
}

export class StoredAsset {
  /**
   * @param file Read from where it is; closed after that.
   * @param size Bytes.
   */
  constructor(readonly file: Deno.FsFile, readonly size: number, readonly compressed?: Compressed) {}

  /**
   * Reads all of it; once.
   *
   * @throws {Error} if the file is shorter than it was, or what is compressed is damaged.
   */
  async read(): Promise<Uint8Array<ArrayBuffer>> {
    if (!this.compressed) return await this.readStored();
    const bytes = new Uint8Array(this.size);
    await this.share(bytes);
    return bytes;
  }

  /** As {@link read} does, what is compressed as it lies there. */
  async readStored(): Promise<Uint8Array<ArrayBuffer>> {
    using file = this.file;
    const length = this.compressed?.blocks.reduce((sum, block) => sum + block, 0) ?? this.size;
    const bytes = new Uint8Array(length);
    await fill(bytes, file);
    return bytes;
  }

  /**
   * As {@link read} does, into shared memory of `size` bytes, which files can't be read into.
   *
   * @param target All zeros.
   */
  async share(target: Uint8Array): Promise<void> {
    using file = this.file;
    const { compressed, size } = this;
    const blockBytes = compressed?.sparse ?? BLOCK_BYTES;
    const expand = compressed && compressed.sparse === undefined ? await expander() : undefined;
    const piece = new Uint8Array(blockBytes);
    for (let at = 0, block = 0; at < size; at += blockBytes, block++) {
      const length = Math.min(blockBytes, size - at);
      const stored = compressed?.blocks[block] ?? length;
      if (stored === 0) continue;
      const part = stored > piece.length ? new Uint8Array(stored) : piece.subarray(0, stored);
      await fill(part, file);
      const expanded = expand?.(part, length);
      copyPages(expanded ?? part, target.subarray(at));
      if (expanded) discard(expanded.buffer);
    }
  }
}

/** Copies the pages that are not all zeros. @param target All zeros. */
function copyPages(bytes: Uint8Array, target: Uint8Array): void {
  if (bytes.byteOffset % WORD !== 0) return target.set(bytes);
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.length / WORD));
  let first = 0;
  for (let page = 0; page + PAGE <= bytes.length; page += PAGE) {
    if (!isZeros(words, page / WORD, (page + PAGE) / WORD)) continue;
    target.set(bytes.subarray(first, page), first);
    first = page + PAGE;
  }
  target.set(bytes.subarray(first), first);
}

function isZeros(words: Int32Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (words[at] !== 0) return false;
  return true;
}

/** Loaded with the first compressed asset that somebody needs. */
async function expander(): Promise<(block: Uint8Array, length: number) => Uint8Array<ArrayBuffer>> {
  const { zstdDecompressSync } = await import("node:zlib");
  return (block, length) => {
    // In one piece, which is not put together of many, and too large for what Node's buffers share: it can be given back.
    const bytes = zstdDecompressSync(block, { chunkSize: BLOCK_BYTES + 1 });
    if (bytes.length !== length) {
      throw new Error(`a block of it has ${bytes.length} bytes, and not ${length}`);
    }
    return bytes as Uint8Array<ArrayBuffer>;
  };
}

/** @throws {Error} if the file ends before. */
export async function fill(bytes: Uint8Array<ArrayBuffer>, file: Deno.FsFile): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    const read = await file.read(bytes.subarray(at));
    if (read === null) throw new Error(`the file ends ${bytes.length - at} bytes too early`);
    at += read;
  }
}
