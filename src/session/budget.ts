/** Bytes that all sessions of a server have together. */

import type { Limits } from "../config/limits.ts";
import { WasmboxError } from "../errors.ts";

/** The image would hold more than it may; the session goes on without one. */
export class ImageTooLarge extends Error {
  override name = "ImageTooLarge";
}

export class Budget {
  #used = 0;

  /** @param max What there is now; null for no bound. @param exceeded Makes the error for those who come too late. */
  constructor(readonly max: () => number | null, readonly exceeded: (max: number) => Error) {}

  fits(bytes: number): boolean {
    const max = this.max();
    return max === null || this.#used + bytes <= max;
  }

  /** Takes or, if negative, gives back. @throws What `exceeded` makes, if that much is not left. */
  take(bytes: number): void {
    if (bytes > 0 && !this.fits(bytes)) throw this.exceeded(this.max()!);
    this.#used += bytes;
  }
}

const GIB = 1024 ** 3;

/** What images may hold where nobody says: a quarter of the machine's memory, beside the executors' half. */
const IMAGES_BYTES = 4 * GIB;
const IMAGES_SHARE = 1 / 4;

/**
 * What all images may hold. It fails with {@link ImageTooLarge}.
 *
 * @param machineBytes What memory there is.
 */
export function imageBudget(limits: Limits, machineBytes: () => number): Budget {
  return new Budget(
    () => limits.checkpointsMaxBytes ?? Math.min(IMAGES_BYTES, machineBytes() * IMAGES_SHARE),
    (max) => new ImageTooLarge(`the images of all sessions exceed ${max} bytes`),
  );
}

/**
 * What all heaps may grow to. Each takes the most that it may have when it is begun, so that none has to fail later for
 * want of what another one holds.
 */
export function memoryBudget(limits: Limits): Budget {
  return new Budget(
    () => limits.totalMemoryBytes,
    (max) =>
      new WasmboxError(
        "OUT_OF_MEMORY",
        "The server's memory for interpreters is given out; nothing was run.",
        {
          suggestions: [
            "Destroy a session that is no longer needed, or reset its workspace.",
            "Make sessions of a smaller flavor: create_session(flavor).",
          ],
          context: { total_memory_bytes: max },
          retryable: true,
        },
      ),
  );
}
