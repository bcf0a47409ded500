/**
 * Buffers of which many are made and soon no longer needed, such as chunks of files that are written again and again.
 *
 * V8 counts their bytes for little: those of guests' memories, which are given back without it, are many times as many, and
 * would have it collect all the time. So who makes such buffers says so, and enough of them are a reason to collect.
 */

/** How many bytes of them may be garbage: to make so many takes ten times as long as to collect them. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Of `--expose-gc`, taken at load time: a locked-down Worker has none on its global object. Without it V8 has to see to it. */
const collect = (globalThis as { gc?: () => void }).gc;

let made = 0;

/** A buffer was made that may soon be garbage, or something as large is. */
export function countBuffer(bytes: number): void {
  made += bytes;
  if (made < MAX_BYTES) return;
  made = 0;
  collect?.();
}

/** Gives the memory of a buffer back that nobody uses any more, without waiting for it to be collected. */
export function discard(buffer: ArrayBuffer): void {
  buffer.transfer(0);
}
