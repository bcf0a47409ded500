/** What the images of all sessions may hold together. */

import { Budget } from "../budget.ts";
import type { Limits } from "../config/limits.ts";

/** The image would hold more than it may; the session goes on without one. */
export class ImageTooLarge extends Error {
  override name = "ImageTooLarge";

  /** @param key Of the limit. @param maxBytes That it has. */
  constructor(readonly key: "checkpoint_max_bytes" | "checkpoints_max_bytes", readonly maxBytes: number) {
    super(
      key === "checkpoint_max_bytes"
        ? `it is larger than a checkpoint may be (${key}: ${maxBytes} bytes)`
        : `the server has no room for it: the checkpoints of all its sessions hold what they may (${key}: ${maxBytes} bytes)`,
    );
  }
}

const GIB = 1024 ** 3;

/** What images may hold where nobody says: a quarter of the machine's memory, beside the executors' half. */
const IMAGES_BYTES = 4 * GIB;
const IMAGES_SHARE = 1 / 4;

/**
 * What all images may hold. It fails with {@link ImageTooLarge}.
 *
 * @param machineBytes What memory there is, if that is known.
 */
export function imageBudget(limits: Limits, machineBytes = () => Infinity): Budget {
  return new Budget(
    () => limits.checkpointsMaxBytes ?? Math.min(IMAGES_BYTES, machineBytes() * IMAGES_SHARE),
    (max) => new ImageTooLarge("checkpoints_max_bytes", max),
  );
}
