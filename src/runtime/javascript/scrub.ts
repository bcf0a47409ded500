/** Makes zeros of memory that is free, so that a base image is small and sessions change few of its pages. */

import type { Pointer } from "./abi.ts";
import type { LinearMemory } from "./linear_memory.ts";

/** More than any call has used of the stack. */
const DEAD_STACK_BYTES = 512 * 1024;
/** Deeper than most programs call. */
const SHALLOW_BYTES = 64 * 1024;
/** What is looked at in one: more than a frame, and little, as every call looks at one. */
const PROBED_BYTES = 512;
/** The smallest of the free parts of memory that are made zeros. */
const SCRUBBED_BYTES = 4096;

/** Makes zeros of what was stack, and of the free parts of memory that are as large as a page: no image needs them. */
export function scrub(memory: LinearMemory): void {
  const stack = memory.stackPointer;
  memory.view().fill(0, Math.max(0, stack - DEAD_STACK_BYTES), stack);
  const end = memory.view().findLastIndex((byte) => byte !== 0);
  const blocks: Pointer[] = [];
  for (let bytes = 1 << 20; bytes >= SCRUBBED_BYTES; bytes /= 2) {
    for (;;) {
      const at = memory.allocate(bytes);
      blocks.push(at);
      if (at > end) break;
      memory.view().fill(0, at, at + bytes);
    }
  }
  fillHoles(memory, end);
  for (const at of blocks) memory.free(at);
}

/**
 * Makes zeros of what deep recursion left below the stack, so that no image holds it: megabytes otherwise. What any program
 * takes of the stack is left alone.
 */
export function clearDeepStack(memory: LinearMemory): void {
  const view = memory.view();
  for (let end = memory.stackPointer - SHALLOW_BYTES; end > 0; end -= PROBED_BYTES) {
    const piece = view.subarray(Math.max(0, end - PROBED_BYTES), end);
    if (piece.every((byte) => byte === 0)) return;
    piece.fill(0);
  }
}

/**
 * Takes what is free between the objects below an address, for ever: sessions then make theirs one beside the other, and
 * change fewer pages.
 */
function fillHoles(memory: LinearMemory, end: Pointer): void {
  for (let bytes = SCRUBBED_BYTES; bytes > 0; bytes -= 8) {
    let at = memory.allocate(bytes);
    while (at < end) at = memory.allocate(bytes);
    memory.free(at);
  }
}
