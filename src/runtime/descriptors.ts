/** The open descriptors of a guest of WASI, as its state in an image has them. */

import * as z from "zod/mini";
import { PATH_MAX } from "../fs/names.ts";
import { DESCRIPTORS_MAX } from "../wasi/descriptors.ts";
import { PIPE_BYTES } from "../wasi/pipe.ts";

const fd = z.int().check(z.minimum(0), z.maximum(DESCRIPTORS_MAX - 1));
const bits = z.int();

const descriptor = z.discriminatedUnion("kind", [
  z.object({ fd, kind: z.literal("copy"), of: fd }),
  z.object({
    fd,
    kind: z.literal("pipe"),
    pipe: fd,
    end: z.enum(["read", "write"]),
    holds: z.base64().check(z.maxLength(Math.ceil(PIPE_BYTES / 3) * 4)),
    flags: bits,
  }),
  z.object({ fd, kind: z.literal("stream"), stream: z.enum(["stdin", "stdout", "stderr"]), flags: bits }),
  z.object({
    fd,
    kind: z.literal("file"),
    ino: z.int().check(z.positive()),
    /** Of a mounted tree, whose own paths may be as long as the host's, and where it stands. */
    path: z.optional(z.string().check(z.maxLength(2 * PATH_MAX))),
    position: z.int().check(z.nonnegative()),
    read: z.boolean(),
    write: z.boolean(),
    append: z.boolean(),
    preopen: z.boolean(),
    flags: bits,
    rights: bits,
    inheriting: bits,
  }),
]);

/** What a guest's table of descriptors was saved as. */
export const descriptors = z.array(descriptor).check(
  z.maxLength(DESCRIPTORS_MAX),
  z.refine((rows) => new Set(rows.map(({ fd }) => fd)).size === rows.length),
);
