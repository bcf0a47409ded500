/**
 * Images of a heap: linear memory without its zero pages, and the stack pointer.
 *
 * An image belongs to one exact wasm module. Between the host's calls no wasm frame is alive, so that memory and stack
 * pointer are all of an instance that WASI's descriptors and the file system don't hold.
 *
 * Layout, little-endian: magic and version (8 bytes); memory in wasm pages, stack pointer, number of runs (u32 each);
 * per run its first 4 KiB page and its number of pages (u32 each), ascending and apart; then the pages.
 */

import { ImageError } from "../executor/wire/image_error.ts";
import { mapOver } from "./copy_on_write.ts";
import { MAX_WASM_PAGES, PAGE, WASM_PAGE } from "./pages.ts";

const PAGE_WORDS = PAGE / Int32Array.BYTES_PER_ELEMENT;
/** "WBXHEAP", version 1. */
const MAGIC = [0x57, 0x42, 0x58, 0x48, 0x45, 0x41, 0x50, 1];
const HEADER_BYTES = MAGIC.length + 12;
const RUN_BYTES = 8;

/** Pages that follow each other in memory: a few big copies are faster than many small ones. */
interface PageRun {
  readonly first: number;
  readonly count: number;
}

/** An image whose bounds were checked. Its pages are views of the bytes it was read from. */
export interface HeapImage {
  /** Size of the memory, in wasm pages of 64 KiB. */
  readonly wasmPages: number;
  readonly stackPointer: number;
  /** Byte addresses and contents, ascending. All other memory is zero. */
  readonly parts: readonly { readonly address: number; readonly bytes: Uint8Array }[];
  /** A memory file that has all of the memory, at the same addresses (`copy_on_write.ts`). */
  readonly file?: number;
}

/**
 * Makes an image of a memory. No call into its instance may be running.
 *
 * @param fresh Memory of another, untouched instance of the module: what its data segments set is part of the image
 * even where it has become zero.
 */
export function captureHeap(
  memory: WebAssembly.Memory,
  stackPointer: number,
  fresh: WebAssembly.Memory,
): Uint8Array<ArrayBuffer> {
  return encodeHeap(memory, stackPointer, keptRuns(memory.buffer, fresh.buffer));
}

/**
 * Makes an image of what a memory has that a base heap has not, to be restored over that one.
 *
 * @param base What the memory's instance started from.
 */
export function captureHeapOver(
  memory: WebAssembly.Memory,
  stackPointer: number,
  base: WebAssembly.Memory,
): Uint8Array<ArrayBuffer> {
  return encodeHeap(memory, stackPointer, changedRuns(memory.buffer, base.buffer));
}

function encodeHeap(
  memory: WebAssembly.Memory,
  stackPointer: number,
  runs: readonly PageRun[],
): Uint8Array<ArrayBuffer> {
  const source = new Uint8Array(memory.buffer);
  const dataStart = HEADER_BYTES + runs.length * RUN_BYTES;
  const pages = runs.reduce((sum, { count }) => sum + count, 0);
  const image = new Uint8Array(dataStart + pages * PAGE);
  const view = new DataView(image.buffer);
  image.set(MAGIC);
  [source.length / WASM_PAGE, stackPointer, runs.length].forEach((value, index) => {
    view.setUint32(MAGIC.length + index * 4, value, true);
  });
  let at = dataStart;
  runs.forEach(({ first, count }, index) => {
    view.setUint32(HEADER_BYTES + index * RUN_BYTES, first, true);
    view.setUint32(HEADER_BYTES + index * RUN_BYTES + 4, count, true);
    image.set(source.subarray(first * PAGE, (first + count) * PAGE), at);
    at += count * PAGE;
  });
  return image;
}

/**
 * Reads an image.
 *
 * @param bytes May be shared memory; never copied here.
 * @throws {ImageError} if anything in it is out of bounds.
 */
export function parseHeap(bytes: Uint8Array): HeapImage {
  if (bytes.length < HEADER_BYTES || MAGIC.some((byte, index) => bytes[index] !== byte)) {
    throw new ImageError("not a heap image of this version");
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [wasmPages, stackPointer, runCount] = [0, 4, 8].map((offset) =>
    view.getUint32(MAGIC.length + offset, true)
  ) as [number, number, number];
  const dataStart = HEADER_BYTES + runCount * RUN_BYTES;
  if (wasmPages > MAX_WASM_PAGES || stackPointer > wasmPages * WASM_PAGE) {
    throw new ImageError("the image's memory is impossible");
  }
  if (dataStart > bytes.length) throw new ImageError("the image is cut short");
  const parts = [];
  let free = 0;
  let at = dataStart;
  for (let index = 0; index < runCount; index++) {
    const first = view.getUint32(HEADER_BYTES + index * RUN_BYTES, true);
    const count = view.getUint32(HEADER_BYTES + index * RUN_BYTES + 4, true);
    if (first < free || count === 0 || (first + count) * PAGE > wasmPages * WASM_PAGE) {
      throw new ImageError("the image's pages are out of order or outside of its memory");
    }
    parts.push({ address: first * PAGE, bytes: bytes.subarray(at, at + count * PAGE) });
    free = first + count;
    at += count * PAGE;
  }
  if (at !== bytes.length) throw new ImageError("the image's length is not that of its pages");
  return { wasmPages, stackPointer, parts };
}

/**
 * Fills the memory of a fresh instance, growing it as needed.
 *
 * @param memory Of the image's own module, as instantiation left it: what its data segments set, the image sets again.
 * @throws {ImageError} if the memory is bigger than the image's, or can't grow to its size.
 */
export function restoreHeap(image: HeapImage, memory: WebAssembly.Memory): void {
  const missing = image.wasmPages - memory.buffer.byteLength / WASM_PAGE;
  if (missing < 0) throw new ImageError("the image is of another module: its memory is smaller");
  if (missing > 0) {
    try {
      memory.grow(missing);
    } catch {
      throw new ImageError("there is no memory for the image");
    }
  }
  fillHeap(image, memory);
}

/** Gives a memory that is big enough, and as instantiation left it, what the image has. */
export function fillHeap({ file, wasmPages, parts }: HeapImage, memory: WebAssembly.Memory): void {
  const start = parts[0]?.address;
  if (start === undefined) return;
  if (file !== undefined && mapOver(memory, file, start, wasmPages * WASM_PAGE)) return;
  const target = new Uint8Array(memory.buffer);
  for (const { address, bytes } of parts) target.set(bytes, address);
}

/** The pages that are not zero in the memory or in the fresh one. */
function keptRuns(buffer: ArrayBufferLike, fresh: ArrayBufferLike): PageRun[] {
  const [words, freshWords] = [new Int32Array(buffer), new Int32Array(fresh)];
  return runsOf(words.length / PAGE_WORDS, (page) => !isZero(words, page) || !isZero(freshWords, page));
}

/** The pages that differ from those of the base, which ends in zeros. */
function changedRuns(buffer: ArrayBufferLike, base: ArrayBufferLike): PageRun[] {
  const [words, baseWords] = [new Int32Array(buffer), new Int32Array(base)];
  return runsOf(words.length / PAGE_WORDS, (page) => {
    for (let index = page * PAGE_WORDS; index < (page + 1) * PAGE_WORDS; index++) {
      if (words[index] !== (baseWords[index] ?? 0)) return true;
    }
    return false;
  });
}

function runsOf(pages: number, kept: (page: number) => boolean): PageRun[] {
  const runs: { first: number; count: number }[] = [];
  for (let page = 0; page < pages; page++) {
    if (!kept(page)) continue;
    const last = runs.at(-1);
    if (last !== undefined && last.first + last.count === page) last.count++;
    else runs.push({ first: page, count: 1 });
  }
  return runs;
}

function isZero(words: Int32Array, page: number): boolean {
  const end = Math.min((page + 1) * PAGE_WORDS, words.length);
  for (let index = page * PAGE_WORDS; index < end; index++) if (words[index] !== 0) return false;
  return true;
}
