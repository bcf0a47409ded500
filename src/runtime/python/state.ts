/** What of a live Python its memory does not hold. */

import * as z from "zod/mini";
import { ImageError } from "../../executor/wire/image_error.ts";
import type { SavedDescriptor } from "../../wasi/wasi.ts";
import { descriptors } from "../descriptors.ts";

/** The interpreters, in their order: each has the packages of those before it, too. A heap is of one of them. */
export const BASES = ["plain", "science", "scipy"] as const;
export type PythonBase = typeof BASES[number];
/** Those that not every build has. */
export type LargerBase = Exclude<PythonBase, "plain">;

/** Those of a record, in their order. */
export function largerBases(record: Readonly<Partial<Record<LargerBase, unknown>>>): readonly LargerBase[] {
  return BASES.filter((base) => base !== "plain" && record[base] !== undefined) as LargerBase[];
}

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
