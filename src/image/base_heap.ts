/** A heap that many sessions start from, in shared memory: neither copied nor written by any of them. */

import * as z from "zod/mini";
import { fileBelow } from "./copy_on_write.ts";
import { type HeapImage, parseHeap, restoreHeap } from "./heap_image.ts";
import { ImageError } from "../executor/wire/image_error.ts";
import { WASM_PAGE } from "./pages.ts";

/** Plain data that can be posted to Workers. Its parts are views of its memory. */
export interface BaseHeap extends HeapImage {
  /** Exactly as big as the heap, and shared. */
  readonly memory: WebAssembly.Memory;
}

/**
 * Expands a heap's image, for all Workers of a process.
 *
 * @throws {ImageError} if the image is damaged.
 */
export function expandBaseHeap(image: Uint8Array): BaseHeap {
  const parsed = parseHeap(image);
  const { memory, file } = sharedMemory(parsed.wasmPages);
  restoreHeap(parsed, memory);
  const parts = parsed.parts.map(({ address, bytes }) => ({
    address,
    bytes: new Uint8Array(memory.buffer, address, bytes.length),
  }));
  return { ...parsed, parts, memory, ...(file !== undefined && { file }) };
}

/** What of an expanded heap its memory does not say. Plain data; addresses and lengths in bytes. */
export const expandedHeap = z.object({
  stackPointer: z.int().check(z.nonnegative()),
  parts: z.array(z.tuple([z.int().check(z.nonnegative()), z.int().check(z.nonnegative())])),
});
export type ExpandedHeap = z.infer<typeof expandedHeap>;

/** Takes a heap apart, into its memory and the rest: what {@link baseHeapIn} puts together. */
export function describeBaseHeap({ stackPointer, parts }: BaseHeap): ExpandedHeap {
  return { stackPointer, parts: parts.map(({ address, bytes }) => [address, bytes.length]) };
}

/** @param memory Exactly as big as the heap; it may be filled later. */
export function baseHeapIn(
  { memory, file }: SharedMemory,
  { stackPointer, parts }: ExpandedHeap,
): BaseHeap {
  return {
    memory,
    ...(file !== undefined && { file }),
    wasmPages: memory.buffer.byteLength / WASM_PAGE,
    stackPointer,
    parts: parts.map(([address, length]) => ({
      address,
      bytes: new Uint8Array(memory.buffer, address, length),
    })),
  };
}

/** For a module whose instances start from different heaps: every page is compared with zeros. */
export function emptyBaseHeap(): BaseHeap {
  return { memory: sharedMemory(0).memory, wasmPages: 0, stackPointer: 0, parts: [] };
}

/** Memory of a base heap. Plain data that can be posted to Workers. */
export interface SharedMemory {
  readonly memory: WebAssembly.Memory;
  /** As {@link HeapImage.file}. */
  readonly file?: number;
}

/** Shared memory of so many wasm pages. Until it is written to it takes none. @throws {ImageError} */
export function sharedMemory(pages: number): SharedMemory {
  let memory: WebAssembly.Memory;
  try {
    memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
  } catch {
    throw new ImageError(`there is no memory for a heap of ${pages * WASM_PAGE} bytes`);
  }
  const file = fileBelow(memory);
  return { memory, ...(file !== undefined && { file }) };
}
