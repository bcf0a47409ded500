/** Inodes as bytes: JSON, as an inode may have a thousand names. */

import * as z from "zod/mini";
import type { Inode } from "../fs/inode.ts";
import type { StoredInode } from "../fs/stored_tree.ts";
import { ImageError } from "../executor/wire/image_error.ts";

const U64_DIGITS = /^\d{1,20}$/;
const time = z.pipe(z.string().check(z.regex(U64_DIGITS)), z.transform((digits: string) => BigInt(digits)));
const count = z.int().check(z.nonnegative());

const common = {
  mode: count,
  atime: time,
  mtime: time,
  ctime: time,
  /** Directory, name and order. */
  links: z.array(z.tuple([count, z.string(), count])),
};
const record = z.discriminatedUnion("type", [
  z.object({ type: z.literal("file"), size: count, ...common }),
  z.object({ type: z.literal("directory"), nextOrder: count, ...common }),
  z.object({ type: z.literal("symlink"), target: z.string(), ...common }),
]);

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

export function encodeInode(node: Inode): Uint8Array {
  const { type, mode, atime, mtime, ctime, links } = node;
  return encoder.encode(JSON.stringify({
    type,
    ...node.type === "file" ? { size: node.size } : {},
    ...node.type === "directory" ? { nextOrder: node.nextOrder } : {},
    ...node.type === "symlink" ? { target: node.target } : {},
    mode,
    atime: String(atime),
    mtime: String(mtime),
    ctime: String(ctime),
    links: links.map(({ directory, name, order }) => [directory, name, order]),
  }));
}

/** @throws {ImageError} */
export function decodeInode(ino: number, bytes: Uint8Array): StoredInode {
  let json: unknown;
  try {
    json = JSON.parse(decoder.decode(bytes));
  } catch {
    throw new ImageError("an inode is not JSON");
  }
  const parsed = record.safeParse(json);
  if (!parsed.success) throw new ImageError("an inode has no such form");
  const links = parsed.data.links.map(([directory, name, order]) => ({ directory, name, order }));
  return { ...parsed.data, ino, links };
}
