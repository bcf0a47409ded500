/** What of a live Python its memory does not hold. */

import * as z from "zod/mini";
import { ImageError } from "../../executor/wire/image_error.ts";
import type { SavedDescriptor } from "../../wasi/wasi.ts";
import { descriptors } from "../descriptors.ts";

/** Which of the interpreters a heap is of. */
export const BASES = ["plain", "science"] as const;
export type PythonBase = typeof BASES[number];

export interface PythonState {
  readonly base: PythonBase;
  readonly stackPointer: number;
  readonly descriptors: readonly SavedDescriptor[];
}

const pythonState = z.object({
  base: z.enum(BASES),
  stackPointer: z.int().check(z.nonnegative()),
  descriptors,
});

/** @throws {ImageError} */
export function parseState(state: unknown): PythonState {
  const parsed = pythonState.safeParse(state);
  if (!parsed.success) throw new ImageError("the state of Python's heap is invalid");
  return parsed.data;
}
