/** New inodes, and changes of one inode that need no name. */

import { checkFileSize, resizeContents, writeContents } from "./contents.ts";
import { FsError } from "./errors.ts";
import type { DirectoryInode, FileInode, Inode, SymlinkInode } from "./inode.ts";
import type { InodeStore, NewInode } from "./inode_store.ts";
import { measured } from "./names.ts";
import { PersistentMap } from "./persistent_map.ts";
import { storable } from "./times.ts";

/** Times to set, nanoseconds since 1970; what is left out stays, what can't be stored becomes the nearest that can. */
export interface Times {
  readonly atime?: bigint;
  readonly mtime?: bigint;
}

type Fields<T extends Inode> = Omit<T, "ino" | "epoch" | "links">;

export function newFile(mode: number, now: bigint): Fields<FileInode> {
  return { type: "file", mode, ...stamped(now), size: 0, chunks: [], version: 0 };
}

export function newDirectory(mode: number, now: bigint): Fields<DirectoryInode> {
  const names = new PersistentMap<never>();
  return { type: "directory", mode, ...stamped(now), names, order: new PersistentMap(), nextOrder: 0 };
}

export function newSymlink(target: string, now: bigint): Fields<SymlinkInode> {
  const { text, bytes } = measured(target);
  return { type: "symlink", mode: 0o777, ...stamped(now), target: text, targetBytes: bytes };
}

export function newDevice(device: "null" | "zero" | "random", now: bigint): NewInode {
  return { type: "device", mode: 0o666, ...stamped(now), device };
}

/** @throws {FsError} EBADF is the caller's to check; EISDIR, EINVAL, EFBIG, ENOSPC, EROFS */
export function writeInode(
  store: InodeStore,
  node: Inode,
  source: Uint8Array,
  position: number,
  path = "",
): void {
  const file = requireFile(node, path);
  const end = position + source.length;
  checkFileSize(end, path);
  store.checkWritable(file, path);
  if (source.length === 0) return;
  store.charge(Math.max(0, end - file.size), path);
  const own = store.edit(file);
  writeContents(own, position, source, store.epoch);
  touch(store, own);
}

/** @throws {FsError} EISDIR, EINVAL, EFBIG, ENOSPC, EROFS */
export function truncateInode(store: InodeStore, node: Inode, size: number, path = ""): void {
  const file = requireFile(node, path);
  checkFileSize(size, path);
  store.checkWritable(file, path);
  store.charge(size - file.size, path);
  const own = store.edit(file);
  resizeContents(own, size, store.epoch);
  touch(store, own);
}

/** Replaces all contents, or nothing. @throws {FsError} EISDIR, EINVAL, ENOSPC, EROFS */
export function replaceContents(store: InodeStore, node: Inode, bytes: Uint8Array, path: string): void {
  const file = requireFile(node, path);
  store.checkWritable(file, path);
  store.charge(bytes.length - file.size, path);
  const own = store.edit(file);
  resizeContents(own, 0, store.epoch);
  writeContents(own, 0, bytes, store.epoch);
  touch(store, own);
}

/** @param mode Permission bits. @throws {FsError} EROFS */
export function setInodeMode(store: InodeStore, node: Inode, mode: number, path = ""): void {
  const own = store.edit(node, path);
  own.mode = mode & 0o7777;
  own.ctime = store.now();
}

/** @throws {FsError} EROFS */
export function setInodeTimes(store: InodeStore, node: Inode, times: Times, path = ""): void {
  const own = store.edit(node, path);
  if (times.atime !== undefined) own.atime = storable(times.atime);
  if (times.mtime !== undefined) own.mtime = storable(times.mtime);
  own.ctime = store.now();
}

function requireFile(node: Inode, path: string): FileInode {
  if (node.type === "directory") throw new FsError("EISDIR", path);
  if (node.type !== "file") throw new FsError("EINVAL", path);
  return node;
}

function touch(store: InodeStore, file: FileInode): void {
  file.version = store.nextVersion();
  file.mtime = file.ctime = store.now();
}

function stamped(now: bigint): { atime: bigint; mtime: bigint; ctime: bigint } {
  return { atime: now, mtime: now, ctime: now };
}
