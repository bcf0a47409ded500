/** A program's output on its way out of the Worker: bounded while it is written, sent in chunks. */

import { LastBytes } from "../../bytes.ts";

const CHUNK_BYTES = 4096;
const CHUNK_MS = 50;

/**
 * Coalesces what a program writes into chunks of 4 KiB or 50 ms. Of what exceeds the bound the last bytes are kept, half as
 * many as the bound, and sent at the end.
 *
 * The event loop stands still while a guest runs, so there is no timer: {@link flushStale} is called from the
 * guest's safe points instead.
 */
export class OutputSink {
  #buffer = new Uint8Array(CHUNK_BYTES);
  #length = 0;
  #written = 0;
  #beyond: LastBytes;
  #since = 0;

  constructor(readonly maxBytes: number, readonly send: (bytes: Uint8Array) => void) {
    this.#beyond = new LastBytes(Math.floor(maxBytes / 2));
  }

  /** Starts counting anew, for the next execution. */
  begin(): void {
    this.#written = 0;
    this.#beyond = new LastBytes(this.#beyond.capacity);
  }

  write(bytes: Uint8Array): void {
    const room = this.maxBytes - this.#written;
    const rest = bytes.subarray(0, room);
    if (bytes.length > room) this.#beyond.push(bytes.subarray(room));
    this.#written += rest.length;
    this.#add(rest);
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

  /** The execution has ended: sends what is left. @returns How many bytes were dropped between the bound and the last ones. */
  finish(): number {
    this.#add(this.#beyond.take());
    this.flush();
    return this.#beyond.total - this.#beyond.length;
  }

  #add(bytes: Uint8Array): void {
    let rest = bytes;
    if (this.#length === 0) this.#since = performance.now();
    while (rest.length > 0) {
      const part = rest.subarray(0, CHUNK_BYTES - this.#length);
      this.#buffer.set(part, this.#length);
      this.#length += part.length;
      rest = rest.subarray(part.length);
      if (this.#length === CHUNK_BYTES) this.flush();
    }
  }
}
