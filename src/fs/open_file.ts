/** Open files: a position in an inode, found by its number, so that a restored file system is seen at once. */

import { readContents } from "./contents.ts";
import { setInodeMode, setInodeTimes, type Times, truncateInode, writeInode } from "./inode_operations.ts";
import { FsError } from "./errors.ts";
import type { DirectoryInode, Dirent, Inode, Stat } from "./inode.ts";
import { statOf } from "./inode.ts";
import type { InodeStore } from "./inode_store.ts";

/** What an open file may do. */
export interface OpenMode {
  readonly read: boolean;
  readonly write: boolean;
  readonly append: boolean;
}

export type SeekOrigin = "start" | "current" | "end";

/** What can be seen of an open directory besides its entries. */
export type OpenDirectory = Pick<DirectoryInode, "ino" | "links">;

/** An open file or directory. Made by `FileSystem.open`. */
export abstract class OpenFile {
  position = 0;
  append: boolean;

  /** @param path By which it is found when a saved descriptor table is restored; absent: by its inode. */
  constructor(readonly ino: number, readonly mode: OpenMode, readonly path?: string) {
    this.append = mode.append;
  }

  /** Reads from the position on and advances it. @returns Bytes read; 0 at the end. @throws {FsError} EBADF, EISDIR, ESTALE */
  read(target: Uint8Array): number {
    const count = this.readAt(target, this.position);
    this.position += count;
    return count;
  }

  /** Reads without moving the position. @throws {FsError} EBADF, EISDIR, EINVAL, ESTALE */
  abstract readAt(target: Uint8Array, position: number): number;

  /**
   * Writes `source` at the position (at the end when appending) and advances it.
   *
   * @returns How much was written; less than all only where a part of it is beyond recall.
   * @throws {FsError} EBADF, EISDIR, ENOSPC, EFBIG, EROFS, ESTALE; then nothing was written.
   */
  abstract write(source: Uint8Array): number;

  /** Writes without moving the position. @throws {FsError} as {@link write}, and EINVAL */
  abstract writeAt(source: Uint8Array, position: number): number;

  /** @returns The new position. @throws {FsError} EINVAL, ESPIPE, EISDIR, ESTALE */
  abstract seek(offset: number, origin: SeekOrigin): number;

  /** @throws {FsError} EBADF, EINVAL, ENOSPC, EFBIG, EROFS, ESTALE */
  abstract truncate(size: number): void;

  /** @throws {FsError} ESTALE */
  abstract stat(): Stat;

  /** @throws {FsError} EROFS, ESTALE */
  abstract setTimes(times: Times): void;

  /** @param mode Permission bits. @throws {FsError} EROFS, ESTALE */
  abstract chmod(mode: number): void;

  /**
   * Visits the entries of an open directory in a stable order that survives changes in between.
   *
   * @param first {@link Dirent.order} to start at: one more than the last one seen.
   * @throws {FsError} ENOTDIR, ESTALE
   */
  abstract visitEntries(visit: (entry: Dirent) => boolean, first?: number): void;

  /** @throws {FsError} ENOTDIR, ESTALE */
  abstract directory(): OpenDirectory;

  /** Ends the use of the file; calling it again has no effect. */
  abstract close(): void;

  [Symbol.dispose](): void {
    this.close();
  }
}

/**
 * An open file of the tree in memory. Counts as a use of its inode until {@link close}: an unlinked file stays
 * readable, and charged. After a restore to a snapshot that lacks the inode everything but `close` throws ESTALE.
 */
export class InodeFile extends OpenFile {
  readonly #store: InodeStore;
  readonly #random: (bytes: Uint8Array) => void;
  #open = true;

  /** @ignore */
  constructor(store: InodeStore, random: (bytes: Uint8Array) => void, ino: number, mode: OpenMode) {
    super(ino, mode);
    this.#store = store;
    this.#random = random;
    store.opened(ino);
  }

  override readAt(target: Uint8Array, position: number): number {
    if (!this.mode.read) throw new FsError("EBADF");
    const node = this.#node();
    checkOffset(position);
    if (node.type === "file") return readContents(node, position, target);
    if (node.type !== "device") throw new FsError("EISDIR");
    if (node.device === "null") return 0;
    if (node.device === "zero") target.fill(0);
    else this.#random(target);
    return target.length;
  }

  override write(source: Uint8Array): number {
    const node = this.#node();
    const position = this.append && node.type === "file" ? node.size : this.position;
    const count = this.writeAt(source, position);
    this.position = position + count;
    return count;
  }

  override writeAt(source: Uint8Array, position: number): number {
    if (!this.mode.write) throw new FsError("EBADF");
    const node = this.#node();
    checkOffset(position);
    if (node.type === "device") return source.length;
    writeInode(this.#store, node, source, position);
    return source.length;
  }

  override seek(offset: number, origin: SeekOrigin): number {
    const node = this.#node();
    if (node.type === "directory") throw new FsError("EISDIR");
    const position = positionAfter(offset, origin, this.position, () => node.type === "file" ? node.size : 0);
    if (node.type === "file") this.position = position;
    return this.position;
  }

  override truncate(size: number): void {
    if (!this.mode.write) throw new FsError("EBADF");
    truncateInode(this.#store, this.#node(), size);
  }

  override stat(): Stat {
    return statOf(this.#node());
  }

  override setTimes(times: Times): void {
    setInodeTimes(this.#store, this.#node(), times);
  }

  override chmod(mode: number): void {
    setInodeMode(this.#store, this.#node(), mode);
  }

  override visitEntries(visit: (entry: Dirent) => boolean, first = 0): void {
    this.directory().order.visit(visit, first);
  }

  override directory(): DirectoryInode {
    const node = this.#node();
    if (node.type !== "directory") throw new FsError("ENOTDIR");
    return node;
  }

  override close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#store.closed(this.ino);
  }

  /** @throws {FsError} EBADF (closed), ESTALE (gone in the snapshot restored) */
  #node(): Inode {
    if (!this.#open) throw new FsError("EBADF");
    return this.#store.get(this.ino);
  }
}

/** Where a seek leads. @param end The size of the file. @throws {FsError} EINVAL */
export function positionAfter(
  offset: number,
  origin: SeekOrigin,
  current: number,
  end: () => number,
): number {
  const base = origin === "start" ? 0 : origin === "current" ? current : end();
  if (!Number.isSafeInteger(base + offset) || base + offset < 0) throw new FsError("EINVAL");
  return base + offset;
}

/** @throws {FsError} EINVAL */
export function checkOffset(offset: number): void {
  if (!Number.isInteger(offset) || offset < 0) throw new FsError("EINVAL");
}
