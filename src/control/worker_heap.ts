/**
 * V8's heap of the Worker itself. What works for guests outside of wasm holds what it works on there, and no instance's
 * memory bounds it; where it ends, the whole process does.
 */

const MiB = 1024 * 1024;
/** What a script may bring the heap to: three quarters of what `spawn.ts` gives one isolate. */
const MAX_BYTES = 1536 * MiB;
/** What it may add in any case: what an earlier script has left may not have been collected yet. */
const MIN_ROOM_BYTES = 256 * MiB;
/** Between two looks, each of which takes 10 to 50 µs. */
const INTERVAL_MS = 20;

// Taken at load time: a locked-down Worker has none on its global object.
const { memoryUsage } = Deno;

export class WorkerHeap {
  #max = MAX_BYTES;
  #next = 0;
  #full = false;

  /** Work begins. */
  begin(): void {
    this.#full = false;
    this.#max = Math.max(MAX_BYTES, memoryUsage().heapUsed + MIN_ROOM_BYTES);
  }

  /** Whether it must end. Once it must, that stays so. */
  get full(): boolean {
    const now = performance.now();
    if (!this.#full && now >= this.#next) {
      this.#next = now + INTERVAL_MS;
      this.#full = memoryUsage().heapUsed > this.#max;
    }
    return this.#full;
  }
}
