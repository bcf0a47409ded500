/** What the images of all sessions may hold together. */

import { Budget } from "../budget.ts";
import type { Limits } from "../config/limits.ts";

/** The image would hold more than it may; the session goes on without one. */
export class ImageTooLarge extends Error {
  override name = "ImageTooLarge";
}

/** What all images may hold. It fails with {@link ImageTooLarge}. */
export function imageBudget(limits: Limits): Budget {
  return new Budget(
    () => limits.checkpointsMaxBytes,
    (max) => new ImageTooLarge(`the images of all sessions exceed ${max} bytes`),
  );
}
