/** A pipe within one guest: nobody else ever reads or writes, so a wait for the other end could not end. */

import { WasiError } from "./errors.ts";

/** Bytes that a pipe holds, as on Linux. */
export const PIPE_BYTES = 65_536;
/** What is written at once is taken whole or not at all, up to here (POSIX's PIPE_BUF). */
const ATOMIC_BYTES = 4096;

export class Pipe {
  #bytes: Uint8Array;

  /** @param bytes What it holds to begin with, no more than {@link PIPE_BYTES}. */
  constructor(bytes: Uint8Array = new Uint8Array(0)) {
    this.#bytes = bytes.slice();
  }

  /** What was written and not yet read. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  get isFull(): boolean {
    return this.#bytes.length > PIPE_BYTES - ATOMIC_BYTES;
  }

  /**
   * @param open Whether there is an end to write to.
   * @returns Bytes read; 0 if nothing will come any more.
   * @throws {WasiError} EAGAIN, or EDEADLK where the guest would wait.
   */
  read(target: Uint8Array, open: boolean, waits: boolean): number {
    if (this.#bytes.length === 0 && target.length > 0 && open) {
      throw new WasiError(waits ? "EDEADLK" : "EAGAIN");
    }
    const count = Math.min(target.length, this.#bytes.length);
    target.set(this.#bytes.subarray(0, count));
    this.#bytes = this.#bytes.slice(count);
    return count;
  }

  /**
   * @param open Whether there is an end to read from.
   * @returns Bytes written.
   * @throws {WasiError} EPIPE; EAGAIN, or EDEADLK where the guest would wait.
   */
  write(source: Uint8Array, open: boolean, waits: boolean): number {
    if (!open) throw new WasiError("EPIPE");
    const room = PIPE_BYTES - this.#bytes.length;
    const fits = room >= source.length || source.length > ATOMIC_BYTES && room > 0;
    if (!fits) throw new WasiError(waits ? "EDEADLK" : "EAGAIN");
    const taken = source.subarray(0, room);
    const bytes = new Uint8Array(this.#bytes.length + taken.length);
    bytes.set(this.#bytes);
    bytes.set(taken, this.#bytes.length);
    this.#bytes = bytes;
    return taken.length;
  }
}
