/** Open files: a position in an inode, found by its number, so that a restored file system is seen at once. */

import { readContents } from "./contents.ts";
import { setInodeTimes, type Times, truncateInode, writeInode } from "./inode_operations.ts";
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

/**
 * An open file or directory. Made by `FileSystem.open`; counts as a use of its inode until {@link close}: an
 * unlinked file stays readable, and charged. After a restore to a snapshot that lacks the inode everything but
 * `close` throws ESTALE.
 */
export class OpenFile {
  position = 0;
  append: boolean;
  readonly #store: InodeStore;
  readonly #random: (bytes: Uint8Array) => void;
  #open = true;

  /** @ignore */
  constructor(
    store: InodeStore,
    random: (bytes: Uint8Array) => void,
    readonly ino: number,
    readonly mode: OpenMode,
  ) {
    this.#store = store;
    this.#random = random;
    this.append = mode.append;
    store.opened(ino);
  }

  /** Reads from the position on and advances it. @returns Bytes read; 0 at the end. @throws {FsError} EBADF, EISDIR, ESTALE */
  read(target: Uint8Array): number {
    const count = this.readAt(target, this.position);
    this.position += count;
    return count;
  }

  /** Reads without moving the position. @throws {FsError} EBADF, EISDIR, EINVAL, ESTALE */
  readAt(target: Uint8Array, position: number): number {
    if (!this.mode.read) throw new FsError("EBADF");
    const node = this.node();
    checkOffset(position);
    if (node.type === "file") return readContents(node, position, target);
    if (node.type !== "device") throw new FsError("EISDIR");
    if (node.device === "null") return 0;
    if (node.device === "zero") target.fill(0);
    else this.#random(target);
    return target.length;
  }

  /**
   * Writes all of `source` at the position (at the end when appending) and advances it.
   *
   * @throws {FsError} EBADF, EISDIR, ENOSPC, EFBIG, EROFS, ESTALE; then nothing was written.
   */
  write(source: Uint8Array): number {
    const node = this.node();
    const position = this.append && node.type === "file" ? node.size : this.position;
    const count = this.writeAt(source, position);
    this.position = position + count;
    return count;
  }

  /** Writes without moving the position. @throws {FsError} as {@link write}, and EINVAL */
  writeAt(source: Uint8Array, position: number): number {
    if (!this.mode.write) throw new FsError("EBADF");
    const node = this.node();
    checkOffset(position);
    if (node.type === "device") return source.length;
    writeInode(this.#store, node, source, position);
    return source.length;
  }

  /** @returns The new position. @throws {FsError} EINVAL, ESPIPE, EISDIR, ESTALE */
  seek(offset: number, origin: SeekOrigin): number {
    const node = this.node();
    if (node.type === "directory") throw new FsError("EISDIR");
    const base = origin === "start"
      ? 0
      : origin === "current"
      ? this.position
      : node.type === "file"
      ? node.size
      : 0;
    if (!Number.isSafeInteger(base + offset) || base + offset < 0) throw new FsError("EINVAL");
    if (node.type === "file") this.position = base + offset;
    return this.position;
  }

  /** @throws {FsError} EBADF, EINVAL, ENOSPC, EFBIG, EROFS, ESTALE */
  truncate(size: number): void {
    if (!this.mode.write) throw new FsError("EBADF");
    truncateInode(this.#store, this.node(), size);
  }

  stat(): Stat {
    return statOf(this.node());
  }

  /** @throws {FsError} EROFS, ESTALE */
  setTimes(times: Times): void {
    setInodeTimes(this.#store, this.node(), times);
  }

  /**
   * Visits the entries of an open directory in a stable order that survives changes in between.
   *
   * @param first {@link Dirent.order} to start at: one more than the last one seen.
   * @throws {FsError} ENOTDIR, ESTALE
   */
  visitEntries(visit: (entry: Dirent) => boolean, first = 0): void {
    this.directory().order.visit(visit, first);
  }

  directory(): DirectoryInode {
    const node = this.node();
    if (node.type !== "directory") throw new FsError("ENOTDIR");
    return node;
  }

  /** @throws {FsError} EBADF (closed), ESTALE (gone in the snapshot restored) */
  node(): Inode {
    if (!this.#open) throw new FsError("EBADF");
    return this.#store.get(this.ino);
  }

  /** Ends the use of the inode; calling it again has no effect. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#store.closed(this.ino);
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

function checkOffset(offset: number): void {
  if (!Number.isInteger(offset) || offset < 0) throw new FsError("EINVAL");
}
