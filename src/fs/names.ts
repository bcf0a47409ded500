/** Rules for names and paths. */

import { FsError } from "./errors.ts";

/** Longest name of an entry, bytes of UTF-8. */
export const NAME_MAX = 255;
/** Longest path, bytes of UTF-8: of what callers pass, and of every entry's path from the root. */
export const PATH_MAX = 4096;
/** Most directories between the root and an entry: bounds recursion over the tree. */
export const DEPTH_MAX = 128;
/** Most symbolic links followed in one path. */
export const SYMLINK_HOPS_MAX = 40;
/** Most names of one inode. */
export const LINK_MAX = 1000;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** A string of its own, and its length in UTF-8. */
export interface MeasuredText {
  readonly text: string;
  readonly bytes: number;
}

/**
 * Copies a string that is going to be kept. A substring would hold on to the whole path it was cut from, which
 * nobody is charged for.
 */
export function measured(text: string): MeasuredText {
  const bytes = encoder.encode(text);
  return { text: decoder.decode(bytes), bytes: bytes.length };
}

/** @throws {FsError} ENOENT (empty), ENAMETOOLONG, EINVAL (NUL), EILSEQ (lone surrogate) */
export function checkPath(path: string): void {
  if (path === "") throw new FsError("ENOENT", path);
  if (path.length > PATH_MAX) throw new FsError("ENAMETOOLONG", `${path.slice(0, 64)}…`);
  if (path.includes("\0")) throw new FsError("EINVAL", path);
  if (!path.isWellFormed()) throw new FsError("EILSEQ", path.toWellFormed());
  if (path.length * 3 > PATH_MAX && encoder.encode(path).length > PATH_MAX) {
    throw new FsError("ENAMETOOLONG", `${path.slice(0, 64)}…`);
  }
}

/** The components of a path, last one first: a stack to pop from. Empty components are left out. */
export function componentStack(path: string): string[] {
  return path.split("/").filter((component) => component !== "").reverse();
}
