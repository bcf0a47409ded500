/** What of a live shell its memory does not hold. */

import * as z from "zod/mini";
import { ImageError } from "../../executor/wire/image_error.ts";
import type { SavedDescriptor } from "../../wasi/wasi.ts";
import { descriptors } from "../descriptors.ts";

export interface ShellState {
  readonly stackPointer: number;
  readonly descriptors: readonly SavedDescriptor[];
  /** How many programs have run beside others: the numbers of those that are lost are not given once more. */
  readonly programs: number;
}

const count = z.int().check(z.nonnegative());
// Older states know nothing of programs.
const shellState = z.object({ stackPointer: count, descriptors, programs: z._default(count, 0) });

/** @throws {ImageError} */
export function parseState(state: unknown): ShellState {
  const parsed = shellState.safeParse(state);
  if (!parsed.success) throw new ImageError("the state of the shell's heap is invalid");
  return parsed.data;
}
