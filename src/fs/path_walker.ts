/** Finding inodes by path. */

import { findEntry } from "./directory.ts";
import { FsError } from "./errors.ts";
import { type DirectoryInode, type Dirent, type Inode, ROOT_INO } from "./inode.ts";
import type { InodeStore } from "./inode_store.ts";
import { checkPath, componentStack, SYMLINK_HOPS_MAX } from "./names.ts";
import { checkPermission, permission } from "./permissions.ts";

/** Where a path leads. */
export interface Place {
  readonly path: string;
  /** The directory that holds the last component, or the directory meant if there is no last component. */
  readonly directory: DirectoryInode;
  /** Last component; empty for paths like `/` and `a/..`. */
  readonly name: string;
  readonly entry: Dirent | undefined;
  readonly node: Inode | undefined;
  /** The path ends in a slash: only a directory will do. */
  readonly slash: boolean;
}

/** Where a path leaves the tree. */
export interface Crossing {
  readonly ino: number;
  /** The components that lead on from there. */
  readonly rest: readonly string[];
  /** As {@link Place.slash}. */
  readonly slash: boolean;
}

export class PathWalker {
  constructor(readonly store: InodeStore) {}

  /**
   * Walks a path. `..` at the root stays there.
   *
   * @param at Inode of the directory where a relative path starts.
   * @param follow Whether a symlink as last component is followed.
   * @throws {FsError} ENOENT (a component before the last), ENOTDIR, ELOOP, EACCES, ENAMETOOLONG, EINVAL, EILSEQ, ESTALE
   */
  resolve(path: string, at: number, follow: boolean): Place {
    const place = this.#walk(path, at, follow, NONE);
    if ("rest" in place) throw new Error("a path can't leave the tree where nothing else begins");
    return place;
  }

  /** Where a path comes to one of the directories `ends`; undefined if it does not. @throws {FsError} as {@link resolve} */
  crossing(path: string, at: number, follow: boolean, ends: ReadonlySet<number>): Crossing | undefined {
    const place = this.#walk(path, at, follow, ends);
    return "rest" in place ? place : undefined;
  }

  #walk(path: string, at: number, follow: boolean, ends: ReadonlySet<number>): Place | Crossing {
    checkPath(path);
    let directory = path.startsWith("/") ? this.store.root() : this.directory(at, path);
    const pending = componentStack(path);
    let slash = path.endsWith("/");
    for (let hops = 0;;) {
      if (ends.has(directory.ino)) return { ino: directory.ino, rest: pending.reverse(), slash };
      const name = pending.pop();
      if (name === undefined) {
        return { path, directory, name: "", entry: undefined, node: directory, slash };
      }
      checkPermission(directory, permission.search, path);
      if (name === ".") continue;
      if (name === "..") {
        directory = this.parent(directory, path);
        continue;
      }
      const entry = findEntry(directory, name);
      const node = entry === undefined ? undefined : this.store.get(entry.ino);
      const last = pending.length === 0;
      if (node?.type === "symlink" && (!last || follow)) {
        if (++hops > SYMLINK_HOPS_MAX) throw new FsError("ELOOP", path);
        if (node.target.startsWith("/")) directory = this.store.root();
        if (last && node.target.endsWith("/")) slash = true; // it stands for a directory, as in the path itself
        pending.push(...componentStack(node.target));
        continue;
      }
      if (last && !(node && ends.has(node.ino))) {
        if (slash && node !== undefined && node.type !== "directory") throw new FsError("ENOTDIR", path);
        return { path, directory, name, entry, node, slash };
      }
      if (node === undefined) throw new FsError("ENOENT", path);
      if (node.type !== "directory") throw new FsError("ENOTDIR", path);
      directory = node;
    }
  }

  /** @throws {FsError} ESTALE, ENOTDIR */
  directory(ino: number, path = ""): DirectoryInode {
    const node = this.store.get(ino);
    if (node.type !== "directory") throw new FsError("ENOTDIR", path);
    return node;
  }

  /** @throws {FsError} ENOENT, if the directory was removed. */
  parent(directory: DirectoryInode, path = ""): DirectoryInode {
    if (directory.ino === ROOT_INO) return directory;
    const link = directory.links[0];
    if (link === undefined) throw new FsError("ENOENT", path);
    return this.directory(link.directory, path);
  }

  /** Depth of a directory below the root, and length of its path: "" for the root. */
  extentAbove(directory: DirectoryInode): Extent {
    let depth = 0;
    let bytes = 0;
    for (let link = directory.links[0]; link !== undefined; depth++) {
      bytes += link.nameBytes + 1;
      link = this.directory(link.directory).links[0];
    }
    return { depth, bytes };
  }

  /** How deep and how long the paths below `node` are at most, counted from it. */
  extentBelow(node: Inode): Extent {
    let depth = 0;
    let bytes = 0;
    if (node.type === "directory") {
      node.order.visit((entry) => {
        const below = entry.type === "directory" ? this.extentBelow(this.store.get(entry.ino)) : NO_EXTENT;
        depth = Math.max(depth, below.depth + 1);
        bytes = Math.max(bytes, below.bytes + entry.nameBytes + 1);
        return true;
      });
    }
    return { depth, bytes };
  }
}

const NONE: ReadonlySet<number> = new Set();

/** Levels and path bytes, each counted from one directory. */
export interface Extent {
  readonly depth: number;
  readonly bytes: number;
}

export const NO_EXTENT: Extent = { depth: 0, bytes: 0 };
