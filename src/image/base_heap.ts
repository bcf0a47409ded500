/** A heap that many sessions start from, in shared memory: neither copied nor written by any of them. */

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
  const memory = sharedMemory(parsed.wasmPages);
  restoreHeap(parsed, memory);
  const parts = parsed.parts.map(({ address, bytes }) => ({
    address,
    bytes: new Uint8Array(memory.buffer, address, bytes.length),
  }));
  return { ...parsed, parts, memory };
}

/** For a module whose instances start from different heaps: every page is compared with zeros. */
export function emptyBaseHeap(): BaseHeap {
  return { memory: sharedMemory(0), wasmPages: 0, stackPointer: 0, parts: [] };
}

function sharedMemory(pages: number): WebAssembly.Memory {
  try {
    return new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
  } catch {
    throw new ImageError(`there is no memory for a heap of ${pages * WASM_PAGE} bytes`);
  }
}
