/** A tree of inodes as plain data, and how it becomes one again. Nothing in it is trusted. */

import { CHUNK_BYTES, MAX_FILE_BYTES } from "./contents.ts";
import { addEntry, findEntry } from "./directory.ts";
import { FsError } from "./errors.ts";
import {
  type Chunk,
  type DirectoryInode,
  type Dirent,
  type FileInode,
  FIRST_LAYER_INO,
  type Inode,
  ROOT_INO,
} from "./inode.ts";
import { ENTRY_BYTES, type InodeStore, Snapshot } from "./inode_store.ts";
import { newDirectory, newFile, newSymlink } from "./inode_operations.ts";
import { checkPath, DEPTH_MAX, LINK_MAX, measured, NAME_MAX, PATH_MAX } from "./names.ts";
import { Epoch, PersistentMap } from "./persistent_map.ts";
import { storable } from "./times.ts";

/** Far above what a session can reach; room to count on. */
const ORDER_MAX = 2 ** 48;

/** A name of an inode. Directories have no list of their own: what names them is theirs. */
export interface StoredLink {
  readonly directory: number;
  readonly name: string;
  /** Place in the directory's order. */
  readonly order: number;
}

/** An inode without its contents. */
export type StoredInode =
  & {
    readonly ino: number;
    readonly mode: number;
    /** Nanoseconds since 1970. */
    readonly atime: bigint;
    readonly mtime: bigint;
    readonly ctime: bigint;
    readonly links: readonly StoredLink[];
  }
  & (
    | { readonly type: "file"; readonly size: number }
    | { readonly type: "directory"; readonly nextOrder: number }
    | { readonly type: "symlink"; readonly target: string }
  );

export interface StoredTree {
  /** The number of the inode that would be made next. */
  readonly nextIno: number;
  readonly inodes: readonly StoredInode[];
  /** The chunks of a file by their number; missing ones are zeros. Copied. */
  chunks(ino: number): ReadonlyMap<number, Uint8Array>;
}

/** A tree that no sequence of operations could have made, or that exceeds a quota. */
export class InvalidTreeError extends Error {
  override name = "InvalidTreeError";
}

/**
 * Makes a state of `store` out of a stored tree, to be restored as a snapshot is. Mount points stay what they are.
 *
 * @throws {InvalidTreeError} and then has changed nothing.
 */
export function loadTree(store: InodeStore, tree: StoredTree): Snapshot {
  return new TreeLoader(store, tree).load();
}

class TreeLoader {
  readonly #epoch = new Epoch();
  readonly #table = new PersistentMap<Inode>();
  readonly #inodes: Inode[] = [];
  #bytes = 0;

  constructor(readonly store: InodeStore, readonly tree: StoredTree) {}

  load(): Snapshot {
    const { nextIno, inodes } = this.tree;
    const { maxInodes, maxBytes } = this.store.quota;
    check(isCount(nextIno, FIRST_LAYER_INO), "its next inode number is invalid");
    check(inodes.length <= maxInodes + 1, `it has more than ${maxInodes} files`);
    for (const stored of inodes) this.#addInode(stored);
    const root = this.#table.get(ROOT_INO);
    check(root?.type === "directory", "it has no root");
    for (const mount of this.store.mounts()) this.#addLink(mount);
    for (const [index, stored] of inodes.entries()) this.#addLinks(this.#inodes[index]!, stored);
    check(this.#bytes <= maxBytes, `it holds more than ${maxBytes} bytes`);
    this.#checkShape(root as DirectoryInode);
    const orphans = this.#inodes.filter(({ ino, links }) => links.length === 0 && ino !== ROOT_INO);
    const usage = { bytes: this.#bytes, inodes: this.#table.size - 1 };
    return new Snapshot(this.#table, usage, orphans.map(({ ino }) => ino));
  }

  #addInode(stored: StoredInode): void {
    const { ino, mode, atime, mtime, ctime } = stored;
    check(isCount(ino, this.tree.nextIno - 1) && ino >= ROOT_INO, "an inode's number is invalid");
    check(this.#table.get(ino) === undefined, "an inode is there twice");
    check(isCount(mode, 0o7777), "an inode's mode is invalid");
    const node = {
      ...this.#fields(stored),
      ino,
      mode,
      atime: storable(atime),
      mtime: storable(mtime),
      ctime: storable(ctime),
      epoch: this.#epoch,
      links: [],
    } as Inode;
    this.#table.set(ino, node, this.#epoch);
    this.#inodes.push(node);
  }

  #fields(stored: StoredInode) {
    switch (stored.type) {
      case "directory":
        check(isCount(stored.nextOrder, ORDER_MAX), "a directory's order is invalid");
        return { ...newDirectory(0, 0n), nextOrder: stored.nextOrder };
      case "symlink":
        checkTarget(stored.target);
        this.#bytes += measured(stored.target).bytes;
        return newSymlink(stored.target, 0n);
      case "file":
        check(isCount(stored.size, MAX_FILE_BYTES), "a file's size is invalid");
        this.#bytes += stored.size;
        return {
          ...newFile(0, 0n),
          size: stored.size,
          chunks: this.#chunks(stored),
          version: this.store.nextVersion(),
        };
    }
  }

  #chunks({ ino, size }: { readonly ino: number; readonly size: number }): FileInode["chunks"] {
    const chunks: (Chunk | undefined)[] = [];
    for (const [index, bytes] of this.tree.chunks(ino)) {
      const most = Math.min(CHUNK_BYTES, size - index * CHUNK_BYTES);
      check(isCount(index) && most > 0 && bytes.length <= CHUNK_BYTES, "a file has a chunk beyond its end");
      // What is beyond the end must read as zeros once the file grows.
      chunks[index] = { epoch: this.#epoch, bytes: bytes.slice().fill(0, most) };
    }
    return chunks;
  }

  #addLinks(node: Inode, { links }: StoredInode): void {
    const most = node.ino === ROOT_INO ? 0 : node.type === "directory" ? 1 : LINK_MAX;
    check(links.length <= most, "an inode has too many names");
    node.links = links.map(({ directory, name, order }) => {
      const { text, bytes } = measured(name);
      const valid = text === name && name !== "" && name !== "." && name !== ".." && !/[\0/]/.test(name);
      check(valid && bytes <= NAME_MAX, "a file's name is invalid");
      this.#bytes += ENTRY_BYTES + bytes;
      return this.#addLink({
        directory,
        name: text,
        nameBytes: bytes,
        ino: node.ino,
        type: node.type,
        order,
      });
    });
  }

  #addLink(entry: Dirent): Dirent {
    const parent = isCount(entry.directory) ? this.#table.get(entry.directory) : undefined;
    check(parent?.type === "directory", "a file is in no directory");
    const directory = parent as DirectoryInode;
    check(
      isCount(entry.order, ORDER_MAX) && directory.order.get(entry.order) === undefined,
      "an entry's place is taken",
    );
    check(findEntry(directory, entry.name) === undefined, "a name is there twice");
    addEntry(directory, entry, this.#epoch);
    return entry;
  }

  /** Every name must be reached from the root, once, within the bounds of paths. */
  #checkShape(root: DirectoryInode): void {
    let found = 0;
    let level = [{ directory: root, pathBytes: 0 }];
    for (let depth = 1; level.length > 0; depth++) {
      const next: typeof level = [];
      for (const { directory, pathBytes } of level) {
        directory.order.visit((entry) => {
          const bytes = pathBytes + 1 + entry.nameBytes;
          check(depth <= DEPTH_MAX && bytes <= PATH_MAX, "a path is too long");
          const node = this.#table.get(entry.ino);
          if (node !== undefined) found++;
          if (node?.type === "directory") next.push({ directory: node, pathBytes: bytes });
          return true;
        });
      }
      level = next;
    }
    const names = this.#inodes.reduce((sum, { links }) => sum + links.length, 0);
    check(found === names, "a directory is not below the root");
  }
}

function check(condition: boolean, problem: string): asserts condition {
  if (!condition) throw new InvalidTreeError(`the tree of files is invalid: ${problem}`);
}

function isCount(value: number, most: number = Number.MAX_SAFE_INTEGER): boolean {
  return Number.isSafeInteger(value) && value >= 0 && value <= most;
}

function checkTarget(target: string): void {
  try {
    checkPath(target);
  } catch (error) {
    if (!(error instanceof FsError)) throw error;
    check(false, "a symlink's target is invalid");
  }
}
