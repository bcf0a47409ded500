/**
 * A tree of files that is elsewhere and stands in a session's file system: nothing of it is held here but what was
 * just read. Whoever has it is asked by path, and holds nothing that would have to be closed when one side dies.
 */

import type { Times } from "../inode_operations.ts";

/** Most bytes of a file that are asked for, or given, at a time. */
export const MOUNT_PIECE_BYTES = 256 * 1024;

/** What is at a path. */
export interface RemoteStat {
  /** "other": a pipe, socket or device, which can't be opened. */
  readonly type: "file" | "directory" | "symlink" | "other";
  readonly size: number;
  readonly mode: number;
  readonly links: number;
  /** Nanoseconds since 1970. */
  readonly atime: bigint;
  readonly mtime: bigint;
  readonly ctime: bigint;
  /** Tells one file from another that takes its place. */
  readonly id: number;
  /** Differs when the contents differ, as far as their size and times tell. */
  readonly version: number;
}

/** How far the names of a path lead. Symlinks are not followed: where they lead is for the asking side to find out. */
export type Look =
  | { readonly kind: "found"; readonly stat: RemoteStat }
  /** The name at `index` is a symlink; its target is null if that is not told. */
  | {
    readonly kind: "symlink";
    readonly index: number;
    readonly stat: RemoteStat;
    readonly target: string | null;
  }
  /** There is no such name at `index`. */
  | { readonly kind: "missing"; readonly index: number };

export interface RemoteEntry {
  readonly name: string;
  readonly type: RemoteStat["type"];
}

/** Names that lead from the root of the tree to a file: none is empty, `.` or `..`. */
export type Names = readonly string[];

/** All methods throw `FsError`, EIO if the other side does not answer; a symlink on the way is ELOOP. */
export interface MountSource {
  readonly writable: boolean;
  /** @param recently What was found there a moment ago will do, unless this session has changed something since. */
  look(names: Names, recently?: "recently"): Look;
  /** Sorted by name. */
  list(names: Names): RemoteEntry[];
  /**
   * A piece of a file; shorter at its end.
   *
   * @param id Of the file that is meant; another one is ESTALE.
   * @param known Version of a piece that the caller has: if it is this one, there are no bytes.
   */
  read(
    names: Names,
    id: number | undefined,
    position: number,
    length: number,
    known?: number,
  ): { readonly version: number; readonly bytes: Uint8Array | undefined };
  /** @param position Null for the end. @returns The position after it. */
  write(names: Names, id: number | undefined, position: number | null, bytes: Uint8Array): number;
  truncate(names: Names, id: number | undefined, size: number): void;
  /** Makes a file; what is there must be one, and stays, unless `exclusive`. */
  create(names: Names, exclusive: boolean): RemoteStat;
  mkdir(names: Names): void;
  unlink(names: Names): void;
  rmdir(names: Names): void;
  rename(from: Names, to: Names): void;
  setTimes(names: Names, times: Times): void;
  /** To be called where anything may have happened: nothing that was found before will do. */
  forget(): void;
}

/** A mounted tree. */
export interface Mount {
  /** Where it stands: an absolute path of directories that exist. */
  readonly path: string;
  readonly source: MountSource;
}
