/**
 * Advisory locks of files, of all programs that share a file system: those of `fcntl`, of ranges, which a process has, and those of
 * `flock`, of whole files, which a description has that was opened (POSIX.1-2024, fcntl; flock(2)). Neither minds the other.
 *
 * They are no part of a session's state: one that goes on from a checkpoint has lost its programs, and with them whoever else could
 * have had any.
 */

import type { FileSystem } from "../fs/file_system.ts";

export type LockMode = "shared" | "exclusive";

/** Bytes of a file; `end` is the first that is none. */
export interface LockRange {
  readonly start: number;
  readonly end: number;
}

/** Who has a lock: a description, or a process by its table of descriptors and which of the programs it is that share that. */
export interface LockOwner {
  readonly of: object;
  readonly part: number;
}

interface Lock extends LockRange {
  readonly owner: LockOwner;
  readonly mode: LockMode;
}

/** Most of one file: who takes every second byte would have it grow without an end. */
const LOCKS_MAX = 10_000;

const isSame = (one: LockOwner, other: LockOwner) => one.of === other.of && one.part === other.part;
const meet = (one: LockRange, other: LockRange) => one.start < other.end && other.start < one.end;

class LockTable {
  /** By inode. */
  readonly #locks = new Map<number, Lock[]>();

  /** The first lock of somebody else that keeps one from having it. */
  conflict(ino: number, { owner, mode, start, end }: Lock): Lock | undefined {
    return this.#locks.get(ino)?.find((lock) =>
      meet(lock, { start, end }) && !isSame(lock.owner, owner) &&
      (mode === "exclusive" || lock.mode === "exclusive")
    );
  }

  /** @returns Whether it got it, in the place of what it had there. */
  take(ino: number, lock: Lock): boolean {
    if (this.conflict(ino, lock)) return false;
    const kept = this.#without(ino, lock.owner, lock);
    if (kept.length >= LOCKS_MAX) return false;
    this.#locks.set(ino, [...kept, lock]);
    return true;
  }

  release(ino: number, owner: LockOwner, range: LockRange): void {
    this.#set(ino, this.#without(ino, owner, range));
  }

  /** All of a file that a description has, or any part of a process. */
  releaseAll(ino: number, of: object): void {
    const locks = this.#locks.get(ino);
    if (locks) this.#set(ino, locks.filter(({ owner }) => owner.of !== of));
  }

  #set(ino: number, locks: Lock[]): void {
    if (locks.length > 0) this.#locks.set(ino, locks);
    else this.#locks.delete(ino);
  }

  /** What there is but for a range of somebody's, of which the rest stays. */
  #without(ino: number, owner: LockOwner, range: LockRange): Lock[] {
    return (this.#locks.get(ino) ?? []).flatMap((lock) => {
      if (!isSame(lock.owner, owner) || !meet(lock, range)) return [lock];
      const before = { ...lock, end: range.start };
      const after = { ...lock, start: range.end };
      return [before, after].filter(({ start, end }) => start < end);
    });
  }
}

/** Both kinds, of one file system. */
export class FileLocks {
  static readonly #of = new WeakMap<FileSystem, FileLocks>();

  readonly ranges = new LockTable();
  readonly files = new LockTable();

  static of(fs: FileSystem): FileLocks {
    let locks = this.#of.get(fs);
    if (!locks) this.#of.set(fs, locks = new FileLocks());
    return locks;
  }
}
