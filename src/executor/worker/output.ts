/** A program's output on its way out of the Worker: bounded while it is written, sent in chunks. */

const CHUNK_BYTES = 4096;
const CHUNK_MS = 50;

/**
 * Coalesces what a program writes into chunks of 4 KiB or 50 ms and drops what exceeds the bound.
 *
 * The event loop stands still while a guest runs, so there is no timer: {@link flushStale} is called from the
 * guest's safe points instead.
 */
export class OutputSink {
  #buffer = new Uint8Array(CHUNK_BYTES);
  #length = 0;
  #written = 0;
  #truncated = false;
  #since = 0;

  constructor(readonly maxBytes: number, readonly send: (bytes: Uint8Array) => void) {}

  /** True once bytes were dropped since {@link begin}. */
  get truncated(): boolean {
    return this.#truncated;
  }

  /** Starts counting anew, for the next execution. */
  begin(): void {
    this.#written = 0;
    this.#truncated = false;
  }

  write(bytes: Uint8Array): void {
    const room = this.maxBytes - this.#written;
    let rest = bytes;
    if (rest.length > room) {
      this.#truncated = true;
      rest = rest.subarray(0, room);
    }
    this.#written += rest.length;
    if (this.#length === 0) this.#since = performance.now();
    while (rest.length > 0) {
      const part = rest.subarray(0, CHUNK_BYTES - this.#length);
      this.#buffer.set(part, this.#length);
      this.#length += part.length;
      rest = rest.subarray(part.length);
      if (this.#length === CHUNK_BYTES) this.flush();
    }
    this.flushStale();
  }

  /** Sends what has waited for 50 ms. */
  flushStale(): void {
    if (this.#length > 0 && performance.now() - this.#since >= CHUNK_MS) this.flush();
  }

  flush(): void {
    if (this.#length === 0) return;
    this.send(this.#buffer.slice(0, this.#length));
    this.#length = 0;
  }
}
