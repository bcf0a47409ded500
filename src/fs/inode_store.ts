/** The inode table with its quotas, and snapshots of it. */

import { FsError } from "./errors.ts";
import {
  type DirectoryInode,
  type Dirent,
  FIRST_LAYER_INO,
  type Inode,
  ROOT_INO,
  SHOWN_INO,
} from "./inode.ts";
import { newDirectory } from "./inode_operations.ts";
import { Epoch, PersistentMap } from "./persistent_map.ts";
import { storable } from "./times.ts";

/** What a file system may hold. */
export interface Quota {
  /** Bytes charged: file sizes, symlink targets, and for every entry its name and {@link ENTRY_BYTES}. */
  readonly maxBytes: number;
  /** Files, directories and symlinks, without the root and read-only layers. */
  readonly maxInodes: number;
}

export interface Usage {
  readonly bytes: number;
  readonly inodes: number;
}

/** What an entry of a directory costs beside its name, bytes. */
export const ENTRY_BYTES = 256;

/** A frozen state of a file system: belongs to the file system that made it. Costs nothing until things change. */
export class Snapshot {
  /** @ignore */
  constructor(
    readonly table: PersistentMap<Inode>,
    readonly usage: Usage,
    /** Unlinked inodes that were still open. */
    readonly orphans: readonly number[],
  ) {}
}

/** The fields of a new inode that its maker decides on. */
export type NewInode = Inode extends infer T ? T extends Inode ? Omit<T, "ino" | "epoch" | "links"> : never
  : never;

export class InodeStore {
  #table = new PersistentMap<Inode>();
  #epoch = new Epoch();
  #bytes = 0;
  #orphans = new Set<number>();
  /** Never goes back, not even on restore: an inode number means one file for ever. */
  #nextIno = ROOT_INO;
  #version = 0;
  readonly #layers = new Map<number, Inode>();
  #shown: Inode | undefined;
  /** How many open files refer to an inode. */
  readonly #opens = new Map<number, number>();

  /** @param clock What time stamps are taken from. */
  constructor(readonly quota: Quota, readonly clock: () => bigint) {
    this.add(newDirectory(0o755, this.now()));
  }

  /** Nanoseconds since 1970, as they are stored. */
  now(): bigint {
    return storable(this.clock());
  }

  /** A number for {@link FileInode.version}; none is given twice, not even after a restore. */
  nextVersion(): number {
    return ++this.#version;
  }

  get epoch(): Epoch {
    return this.#epoch;
  }

  get usage(): Usage {
    return { bytes: this.#bytes, inodes: this.#table.size - 1 };
  }

  find(ino: number): Inode | undefined {
    if (ino === SHOWN_INO) return this.#shown;
    return ino < FIRST_LAYER_INO ? this.#table.get(ino) : this.#layers.get(ino);
  }

  /** @throws {FsError} ESTALE */
  get(ino: number): Inode {
    const node = this.find(ino);
    if (node === undefined) throw new FsError("ESTALE");
    return node;
  }

  /**
   * The record to write to; `node` itself must not be used any more.
   *
   * @throws {FsError} EROFS, if the inode belongs to a read-only layer.
   */
  edit<T extends Inode>(node: T, path = ""): T {
    if (node.ino >= FIRST_LAYER_INO) throw new FsError("EROFS", path);
    if (node.epoch === this.#epoch) return node;
    const copy: T = { ...node, epoch: this.#epoch };
    if (copy.type === "file") copy.chunks = copy.chunks.slice();
    if (copy.type === "directory") {
      Object.assign(copy, { names: copy.names.fork(), order: copy.order.fork() });
    }
    this.#table.set(copy.ino, copy, this.#epoch);
    return copy;
  }

  /** @throws {FsError} EROFS, without making a record. */
  checkWritable(node: Inode, path = ""): void {
    if (node.ino >= FIRST_LAYER_INO) throw new FsError("EROFS", path);
  }

  /** @throws {FsError} ENOSPC, if there may be no more inodes. */
  checkInodes(path: string): void {
    const full = this.usage.inodes >= this.quota.maxInodes || this.#nextIno >= FIRST_LAYER_INO;
    if (full) throw new FsError("ENOSPC", path);
  }

  add(fields: NewInode): Inode {
    const node = { ...fields, ino: this.#nextIno++, epoch: this.#epoch, links: [] } as Inode;
    this.#table.set(node.ino, node, this.#epoch);
    return node;
  }

  /** Adds a record that is never charged, written or made part of a snapshot. */
  addToLayer(fields: NewInode): Inode {
    const ino = FIRST_LAYER_INO + this.#layers.size;
    const node = { ...fields, ino, epoch: this.#epoch, links: [] } as Inode;
    this.#layers.set(ino, node);
    return node;
  }

  /** Adds a record, or none, in place of the one before: as {@link addToLayer}, under the same number each time. */
  show(fields: NewInode | undefined): Inode | undefined {
    this.#shown = fields && { ...fields, ino: SHOWN_INO, epoch: this.#epoch, links: [] } as Inode;
    return this.#shown;
  }

  isLayer(node: Inode): boolean {
    return node.ino >= FIRST_LAYER_INO;
  }

  /** The entries at which read-only layers stand in the tree. */
  mounts(): Dirent[] {
    return [...this.#layers.values()].flatMap(({ links }) => links).filter(({ directory }) =>
      directory < FIRST_LAYER_INO
    );
  }

  /** @param bytes Negative to give back. @throws {FsError} ENOSPC */
  charge(bytes: number, path = ""): void {
    if (bytes > 0 && this.#bytes + bytes > this.quota.maxBytes) throw new FsError("ENOSPC", path);
    this.#bytes += bytes;
  }

  /** To be called when an inode has lost a name: frees it if that was the last one and nobody has it open. */
  unlinked(node: Inode): void {
    if (node.links.length > 0) return;
    if (this.#opens.has(node.ino)) this.#orphans.add(node.ino);
    else this.#free(node);
  }

  opened(ino: number): void {
    this.#opens.set(ino, (this.#opens.get(ino) ?? 0) + 1);
  }

  closed(ino: number): void {
    const left = (this.#opens.get(ino) ?? 0) - 1;
    if (left > 0) {
      this.#opens.set(ino, left);
      return;
    }
    this.#opens.delete(ino);
    if (this.#orphans.delete(ino)) this.#freeIfPresent(ino);
  }

  snapshot(): Snapshot {
    this.#epoch = new Epoch();
    return new Snapshot(this.#table.fork(), this.usage, [...this.#orphans]);
  }

  restore(snapshot: Snapshot): void {
    this.#epoch = new Epoch();
    this.#table = snapshot.table.fork();
    this.#bytes = snapshot.usage.bytes;
    this.#orphans = new Set(snapshot.orphans);
  }

  /** The number that the next inode gets. */
  get nextIno(): number {
    return this.#nextIno;
  }

  /** Leaves out the numbers below `ino`, which mean files of before. */
  skipInos(ino: number): void {
    this.#nextIno = Math.max(this.#nextIno, Math.min(ino, FIRST_LAYER_INO));
  }

  /** Frees unlinked inodes that came back with a snapshot and that no open file refers to. */
  reap(): void {
    for (const ino of [...this.#orphans]) {
      if (this.#opens.has(ino)) continue;
      this.#orphans.delete(ino);
      this.#freeIfPresent(ino);
    }
  }

  root(): DirectoryInode {
    return this.find(ROOT_INO) as DirectoryInode;
  }

  #freeIfPresent(ino: number): void {
    const node = this.find(ino);
    if (node !== undefined) this.#free(node);
  }

  #free(node: Inode): void {
    if (node.type === "file") this.#bytes -= node.size;
    if (node.type === "symlink") this.#bytes -= node.targetBytes;
    this.#table.delete(node.ino, this.#epoch);
  }
}
