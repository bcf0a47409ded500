/** What of a live shell its memory does not hold. */

import * as z from "zod/mini";
import { ImageError } from "../../executor/wire/image_error.ts";
import type { SavedDescriptor } from "../../wasi/wasi.ts";
import { descriptors } from "../descriptors.ts";

export interface ShellState {
  readonly stackPointer: number;
  readonly descriptors: readonly SavedDescriptor[];
}

const shellState = z.object({ stackPointer: z.int().check(z.nonnegative()), descriptors });

/** @throws {ImageError} */
export function parseState(state: unknown): ShellState {
  const parsed = shellState.safeParse(state);
  if (!parsed.success) throw new ImageError("the state of the shell's heap is invalid");
  return parsed.data;
}
