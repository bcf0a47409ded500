/** What of a live Python its memory does not hold. */

import { z } from "zod";
import { PATH_MAX } from "../../fs/names.ts";
import { ImageError } from "../../image/image_error.ts";
import { DESCRIPTORS_MAX } from "../../wasi/descriptors.ts";
import type { SavedDescriptor } from "../../wasi/wasi.ts";

export interface PythonState {
  readonly stackPointer: number;
  readonly descriptors: readonly SavedDescriptor[];
}

const fd = z.int().min(0).max(DESCRIPTORS_MAX - 1);
const bits = z.int();

const descriptor = z.discriminatedUnion("kind", [
  z.object({ fd, kind: z.literal("stream"), stream: z.enum(["stdin", "stdout", "stderr"]), flags: bits }),
  z.object({
    fd,
    kind: z.literal("file"),
    ino: z.int().positive(),
    path: z.string().max(PATH_MAX).optional(),
    position: z.int().nonnegative(),
    read: z.boolean(),
    write: z.boolean(),
    append: z.boolean(),
    preopen: z.boolean(),
    flags: bits,
    rights: bits,
    inheriting: bits,
  }),
]);

const pythonState = z.object({
  stackPointer: z.int().nonnegative(),
  descriptors: z.array(descriptor).max(DESCRIPTORS_MAX).refine(
    (rows) => new Set(rows.map(({ fd }) => fd)).size === rows.length,
  ),
});

/** @throws {ImageError} */
export function parseState(state: unknown): PythonState {
  const parsed = pythonState.safeParse(state);
  if (!parsed.success) throw new ImageError("the state of Python's heap is none");
  return parsed.data;
}
