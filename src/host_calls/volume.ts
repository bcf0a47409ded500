/**
 * What a session's Worker asks of the server about mapped directories and files (the host operations `volume.*`), and the
 * answers. Bytes of files go beside the JSON. Each call says all of what it needs: the server keeps nothing open.
 */

import * as z from "zod/mini";
import { FS_ERROR_CODES } from "../fs/errors.ts";
import { MOUNT_PIECE_BYTES } from "../fs/mounts/mount.ts";
import { AHEAD_MAX, FILES_MAX } from "../fs/mounts/seen.ts";
import { DEPTH_MAX } from "../fs/names.ts";

/** Most entries in one piece of a listing. */
export const LISTED_MAX = 5000;
/** Far above what a disk holds; exact in numbers. */
const POSITION_MAX = 2 ** 44;

const count = z.int().check(z.nonnegative());
const position = count.check(z.maximum(POSITION_MAX));
/** A backslash would be a separator to a host with Windows. */
const name = z.string().check(
  z.minLength(1),
  z.maxLength(255),
  z.refine((name) => name !== "." && name !== ".." && !/[/\\\0]/.test(name) && name.isWellFormed()),
);
const names = z.array(name).check(z.maxLength(DEPTH_MAX));
/** Whose the names are: the last part of `/data/NAME`, or "" for `/external`. */
const volume = z.string().check(z.maxLength(64));
const where = { volume, names };
/** Of the file that is meant; null for whichever is there. */
const id = z.nullable(count);
const nanoseconds = z.string().check(z.regex(/^\d{1,20}$/));

export const volumeRequests = {
  look: z.strictObject(where),
  /** Looks at entries of a directory. */
  entries: z.strictObject({ ...where, entries: z.array(name).check(z.maxLength(AHEAD_MAX)) }),
  list: z.strictObject({ ...where, /** The last name of an earlier piece. */ after: z.nullable(name) }),
  /** `known`: if the file has this version, there are no bytes. */
  read: z.strictObject({
    ...where,
    id,
    position,
    length: count.check(z.maximum(MOUNT_PIECE_BYTES)),
    known: z.nullable(count),
  }),
  /** Reads small files of a directory, of these versions. */
  files: z.strictObject({
    ...where,
    files: z.array(z.strictObject({ name, version: count })).check(z.maxLength(FILES_MAX)),
  }),
  /** The bytes come beside it. `position`: null for the end. */
  write: z.strictObject({ ...where, id, position: z.nullable(position) }),
  change: z.discriminatedUnion("kind", [
    z.strictObject({ ...where, kind: z.literal("create"), exclusive: z.boolean() }),
    z.strictObject({ ...where, kind: z.literal("mkdir") }),
    z.strictObject({ ...where, kind: z.literal("unlink") }),
    z.strictObject({ ...where, kind: z.literal("rmdir") }),
    z.strictObject({ ...where, kind: z.literal("rename"), to: names }),
    z.strictObject({ ...where, kind: z.literal("truncate"), id, size: position }),
    z.strictObject({
      ...where,
      kind: z.literal("times"),
      atime: z.nullable(nanoseconds),
      mtime: z.nullable(nanoseconds),
    }),
  ]),
};

export type VolumeRequest<Kind extends keyof typeof volumeRequests> = z.infer<typeof volumeRequests[Kind]>;

const type = z.enum(["file", "directory", "symlink", "other"]);

const stat = z.object({
  type,
  size: count,
  mode: count,
  links: count,
  /** Milliseconds since 1970: the platform tells no more. */
  atime: z.number(),
  mtime: z.number(),
  ctime: z.number(),
  id: count,
  version: count,
});
export type WireStat = z.infer<typeof stat>;

export const volumeAnswers = {
  look: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("found"), stat }),
    z.object({ kind: z.literal("symlink"), index: count, stat, target: z.nullable(z.string()) }),
    z.object({ kind: z.literal("missing"), index: count }),
  ]),
  /** In their order; null for what is missing or a symlink. */
  entries: z.object({ stats: z.array(z.nullable(stat)) }),
  /** Entries as pairs of name and type; `more`: there are some after the last one. */
  list: z.object({ entries: z.array(z.tuple([z.string(), type])), more: z.boolean() }),
  /** `same`: it is the version that was known. */
  read: z.object({ version: count, same: z.boolean() }),
  /** How many of the bytes are whose, in their order; null for what is missing, has changed, is large or no file. */
  files: z.object({ lengths: z.array(z.nullable(count)) }),
  write: z.object({ end: count }),
  change: z.object({ stat: z.optional(stat) }),
};
export type VolumeAnswer<Kind extends keyof typeof volumeAnswers> = z.infer<typeof volumeAnswers[Kind]>;

/** Bounds of each of them, as {@link HostProtocol} has them. */
export const VOLUME_BOUNDS = {
  maxRequestBytes: 128 * 1024,
  maxReplyBytes: 8 * 1024 * 1024,
  maxConcurrent: 4,
} as const;

/** What a request of a kind is called as a host operation. */
export function volumeOperation(kind: keyof typeof volumeRequests): string {
  return `volume.${kind}`;
}

/** What any of them can be instead. */
export const volumeFailure = z.object({ error: z.enum(FS_ERROR_CODES) });

/** A mapping as a session's Worker needs to know it. */
export const mapping = z.object({
  volume,
  /** In the sandbox. */
  path: z.string(),
  writable: z.boolean(),
});
export type Mapping = z.infer<typeof mapping>;
