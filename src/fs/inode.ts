/** The records of the inode table. A record belongs to an epoch; one of an older epoch is frozen and shared. */

import type { Epoch, PersistentMap } from "./persistent_map.ts";

export const ROOT_INO = 1;
/** Inode numbers from here on belong to read-only layers. */
export const FIRST_LAYER_INO = 2 ** 48;
/** Inode numbers from here on belong to mounted trees. */
export const FIRST_REMOTE_INO = 2 ** 52;

/** The number of what is shown where nothing stands: the last of those that belong to nobody of the session. */
export const SHOWN_INO = FIRST_REMOTE_INO - 1;

/** Whether an inode is of the system, and nobody's of the session. */
export function isOfSystem(ino: number): boolean {
  return ino >= FIRST_LAYER_INO && ino < FIRST_REMOTE_INO;
}

/** Names of one directory that has more of them than one under the same hash are chained in an array. */
export type DirentChain = Dirent | readonly Dirent[];

/** An entry of a directory: a name for an inode. Immutable. */
export interface Dirent {
  /** The directory it stands in. */
  readonly directory: number;
  readonly name: string;
  /** Length of the name in UTF-8. */
  readonly nameBytes: number;
  readonly ino: number;
  readonly type: Inode["type"];
  /** Place in the directory's order; grows with every entry made and is never used again. */
  readonly order: number;
}

interface InodeBase {
  readonly epoch: Epoch;
  readonly ino: number;
  /** Permission bits, 0o000–0o7777. What they keep from the user: `permissions.ts`. */
  mode: number;
  /** Nanoseconds since 1970. `atime` is set, never advanced by reads (noatime). */
  atime: bigint;
  mtime: bigint;
  ctime: bigint;
  /** All names of this inode. None: the root, or unlinked and still open. */
  links: readonly Dirent[];
}

/** A piece of a file; bytes beyond its end, and a missing piece, read as zeros. */
export interface Chunk {
  readonly epoch: Epoch;
  readonly bytes: Uint8Array;
}

export interface FileInode extends InodeBase {
  readonly type: "file";
  size: number;
  chunks: (Chunk | undefined)[];
  /** Differs whenever the contents may differ. */
  version: number;
}

export interface DirectoryInode extends InodeBase {
  readonly type: "directory";
  /** By hash of the name. */
  readonly names: PersistentMap<DirentChain>;
  /** By {@link Dirent.order}. */
  readonly order: PersistentMap<Dirent>;
  nextOrder: number;
}

export interface SymlinkInode extends InodeBase {
  readonly type: "symlink";
  readonly target: string;
  /** Length of the target in UTF-8. */
  readonly targetBytes: number;
}

export interface DeviceInode extends InodeBase {
  readonly type: "device";
  readonly device: "null" | "zero" | "random";
}

export type Inode = FileInode | DirectoryInode | SymlinkInode | DeviceInode;

/** What `stat` tells of an inode. */
export interface Stat {
  readonly ino: number;
  readonly type: Inode["type"];
  /** Bytes: of a file its length, of a symlink the length of its target, else 0. */
  readonly size: number;
  readonly mode: number;
  /** Number of names; a directory has 1. */
  readonly links: number;
  /** Of a file: {@link FileInode.version}; else 0. */
  readonly version: number;
  /** Nanoseconds since 1970. */
  readonly atime: bigint;
  readonly mtime: bigint;
  readonly ctime: bigint;
}

export function sizeOf(node: Inode): number {
  return node.type === "file" ? node.size : node.type === "symlink" ? node.targetBytes : 0;
}

export function statOf(node: Inode): Stat {
  const { ino, type, mode, atime, mtime, ctime } = node;
  const links = node.type === "directory" ? 1 : node.links.length;
  const version = node.type === "file" ? node.version : 0;
  return { ino, type, size: sizeOf(node), mode, links, version, atime, mtime, ctime };
}
