/**
 * A session's file system: synchronous, in memory, with quotas enforced while it fills, and with snapshots that cost
 * what changed. WASI, QuickJS, the shell and the file tools all work on this one.
 */

import { readContents } from "./contents.ts";
import { diff, type DiffOptions, type PathChange } from "./diff.ts";
import { FsError } from "./errors.ts";
import {
  type Dirent,
  type Inode,
  isOfSystem,
  ROOT_INO,
  SHOWN_INO,
  sizeOf,
  type Stat,
  statOf,
} from "./inode.ts";
import {
  newDirectory,
  newFile,
  newSymlink,
  replaceContents,
  setInodeMode,
  setInodeTimes,
  type Times,
  truncateInode,
  writeInode,
} from "./inode_operations.ts";
import { InodeStore, type Quota, type Snapshot, type Usage } from "./inode_store.ts";
import { addLayer, layerFile, type LayerNode } from "./layer.ts";
import { checkPath, componentStack } from "./names.ts";
import { Namespace } from "./namespace.ts";
import { checkPermission, permission } from "./permissions.ts";
import { InodeFile, OpenFile, type OpenMode } from "./open_file.ts";
import type { Crossing, Place } from "./path_walker.ts";
import { type MapChange, PersistentMap } from "./persistent_map.ts";
import { loadTree, type StoredTree } from "./stored_tree.ts";

export type { Dirent, PathChange, Quota, Snapshot, Stat, Usage };
export { FsError, isOfSystem, OpenFile, ROOT_INO };

export interface FileSystemOptions extends Quota {
  /** Nanoseconds since 1970, for time stamps. */
  readonly now?: () => bigint;
  /** Fills bytes for `/dev/urandom`. */
  readonly random?: (bytes: Uint8Array) => void;
}

/** Where a relative path starts: the inode of a directory, the root if absent. */
export interface At {
  readonly at?: number;
}

export interface Follow extends At {
  /** Whether a symlink as last component is followed. */
  readonly follow?: boolean;
}

export interface OpenOptions extends Follow {
  readonly read?: boolean;
  readonly write?: boolean;
  /** Every write goes to the end. */
  readonly append?: boolean;
  /** Makes the file if it is not there. */
  readonly create?: boolean;
  /** With `create`: fails if it is there, be it as a dangling symlink. */
  readonly exclusive?: boolean;
  readonly truncate?: boolean;
  /** Fails if it is not a directory. */
  readonly directory?: boolean;
  readonly mode?: number;
}

/** What {@link FileSystem.show} shows. */
export interface ShownText {
  /** Path of the directory. */
  readonly directory: string;
  readonly name: string;
  readonly text: string;
}

/** An entry as a listing shows it. */
export type ListedEntry = Pick<Dirent, "name" | "ino" | "type">;

/**
 * All methods throw {@link FsError} and then have changed nothing, recursive ones no more than a part. Beside the codes they name: ENOENT, ENOTDIR,
 * ELOOP, EACCES, ENAMETOOLONG, EINVAL (NUL in a path), EILSEQ (lone surrogate), ENOSPC (quota) and EROFS.
 */
export class FileSystem {
  readonly #store: InodeStore;
  readonly #names: Namespace;
  readonly #random: (bytes: Uint8Array) => void;
  #shown: ShownText | undefined;

  constructor(options: FileSystemOptions) {
    const { maxBytes, maxInodes } = options;
    this.#store = new InodeStore({ maxBytes, maxInodes }, options.now ?? wallClock);
    this.#names = new Namespace(this.#store);
    this.#random = options.random ?? secureRandom;
  }

  get quota(): Quota {
    return this.#store.quota;
  }

  get usage(): Usage {
    return this.#store.usage;
  }

  // Looking

  stat(path: string, options: Follow = {}): Stat {
    return statOf(this.#node(path, options));
  }

  exists(path: string, options: Follow = {}): boolean {
    try {
      this.#node(path, options);
      return true;
    } catch (error) {
      if (error instanceof FsError) return false;
      throw error;
    }
  }

  /** Entries in the order they were made, without `.` and `..`. */
  readdir(path: string, options: At = {}): ListedEntry[] {
    const directory = this.#names.directory(this.#node(path, options).ino, path);
    checkPermission(directory, permission.read, path);
    const entries: ListedEntry[] = [];
    directory.order.visit((entry) => entries.push(entry) > 0);
    return entries;
  }

  /** @throws {FsError} EINVAL, if it is not a symlink. */
  readlink(path: string, options: At = {}): string {
    const node = this.#node(path, { ...options, follow: false });
    if (node.type !== "symlink") throw new FsError("EINVAL", path);
    return node.target;
  }

  /** The absolute path without symlinks, `.` and `..`. */
  realpath(path: string, options: At = {}): string {
    const place = this.#place(path, options);
    if (this.#nodeAt(place) === undefined) throw new FsError("ENOENT", path);
    const parts = place.name === "" ? [] : [place.name];
    for (let directory = place.directory; directory.ino !== ROOT_INO;) {
      const link = directory.links[0];
      if (link === undefined) throw new FsError("ENOENT", path);
      parts.unshift(link.name);
      directory = this.#names.directory(link.directory);
    }
    return `/${parts.join("/")}`;
  }

  // Files

  /** A copy of a whole file. @throws {FsError} EISDIR */
  readFile(path: string, options: At = {}): Uint8Array<ArrayBuffer> {
    const node = this.#node(path, options);
    if (node.type === "directory") throw new FsError("EISDIR", path);
    if (node.type !== "file") throw new FsError("EINVAL", path);
    checkPermission(node, permission.read, path);
    const bytes = new Uint8Array(node.size);
    readContents(node, 0, bytes);
    return bytes;
  }

  /** Makes or replaces a file. If the quota does not hold the new contents, the old ones are kept. */
  writeFile(path: string, bytes: Uint8Array, options: At & { readonly mode?: number } = {}): void {
    this.#put(path, options, (node) => replaceContents(this.#store, node, bytes, path));
  }

  /** Makes a file or adds to its end. */
  appendFile(path: string, bytes: Uint8Array, options: At & { readonly mode?: number } = {}): void {
    this.#put(path, options, (node) => writeInode(this.#store, node, bytes, sizeOf(node), path));
  }

  truncate(path: string, size: number, options: At = {}): void {
    const node = this.#node(path, options);
    checkPermission(node, permission.write, path);
    truncateInode(this.#store, node, size, path);
  }

  /**
   * Opens a file or directory. A directory can be listed and be the start of paths, never read or written.
   *
   * @throws {FsError} EEXIST, EISDIR, ELOOP (a symlink, and `follow` is false)
   */
  open(path: string, options: OpenOptions = {}): OpenFile {
    const { read = true, write = false, append = false, create = false, exclusive = false } = options;
    const place = this.#place(path, {
      ...options,
      follow: !(create && exclusive) && (options.follow ?? true),
    });
    let node = create ? place.node : this.#nodeAt(place);
    if (node === undefined) {
      if (!create) throw new FsError("ENOENT", path);
      if (place.slash || options.directory) throw new FsError("EISDIR", path);
      node = this.#names.create(place, newFile(options.mode ?? 0o644, this.#store.now()));
    } else {
      if (create && exclusive) throw new FsError("EEXIST", path);
      if (node.type === "symlink") throw new FsError("ELOOP", path);
      if (options.directory && node.type !== "directory") throw new FsError("ENOTDIR", path);
      if (node.type === "directory" && (write || options.truncate)) throw new FsError("EISDIR", path);
      if (write && node.type === "file") this.#store.checkWritable(node, path);
      const wish = (read ? permission.read : 0) | (write || options.truncate ? permission.write : 0);
      checkPermission(node, wish, path);
      if (options.truncate && node.type === "file") truncateInode(this.#store, node, 0, path);
    }
    return new InodeFile(this.#store, this.#random, node.ino, { read, write, append });
  }

  /** Opens an inode by number; if it does not exist the file is stale. */
  openInode(ino: number, mode: OpenMode): OpenFile {
    return new InodeFile(this.#store, this.#random, ino, mode);
  }

  /** Opens what a saved descriptor table has: `ino` and `path` of an open file. What is not there is stale. */
  reopen({ ino }: { readonly ino: number; readonly path?: string | undefined }, mode: OpenMode): OpenFile {
    return this.openInode(ino, mode);
  }

  // Names

  /** @throws {FsError} EEXIST (with `recursive` only if it is not a directory) */
  mkdir(path: string, options: At & { readonly recursive?: boolean; readonly mode?: number } = {}): void {
    const place = options.recursive ? this.#makeParents(path, options) : this.#entry(path, options);
    if (options.recursive && place.node?.type === "directory") return;
    this.#names.create(place, newDirectory(options.mode ?? 0o755, this.#store.now()));
  }

  /** @throws {FsError} EEXIST; EPERM for a directory, EXDEV for a file of a read-only layer, EMLINK */
  link(from: string, to: string, options: { readonly from?: Follow; readonly to?: At } = {}): void {
    const node = this.#node(from, { follow: false, ...options.from });
    this.#names.link(node, this.#entry(to, options.to));
  }

  /** @param target Any text that could be a path; what it names need not exist. @throws {FsError} EEXIST */
  symlink(target: string, path: string, options: At = {}): void {
    checkPath(target);
    const place = this.#entry(path, options);
    if (place.slash && place.node === undefined) throw new FsError("ENOENT", path);
    this.#names.create(place, newSymlink(target, this.#store.now()));
  }

  /** Keeps an entry of the root from being removed or renamed, whatever becomes of what is in it. */
  keep(path: string): void {
    this.#names.keep(this.#entry(path));
  }

  /** @throws {FsError} EISDIR, EBUSY (mount point) */
  unlink(path: string, options: At = {}): void {
    this.#names.unlink(this.#entry(path, options));
  }

  /** @throws {FsError} ENOTEMPTY, EBUSY (root, mount point, `.`, `..`) */
  rmdir(path: string, options: At = {}): void {
    this.#names.rmdir(this.#entry(path, options));
  }

  /**
   * Removes anything; with `recursive` also what is in it, with `force` without minding that it is not there. What
   * stops it half-way (a mount point) leaves the rest.
   */
  rm(path: string, options: At & { readonly recursive?: boolean; readonly force?: boolean } = {}): void {
    const place = this.#entry(path, options);
    if (place.node === undefined && options.force) return;
    if (options.recursive) this.#names.removeTree(place);
    else if (place.node?.type === "directory") this.#names.rmdir(place);
    else this.#names.unlink(place);
  }

  /**
   * Moves a name, replacing what has the new one if that is allowed: a file a file, a directory an empty directory.
   *
   * @throws {FsError} EISDIR, ENOTEMPTY, EINVAL (into itself), EBUSY (root, mount point)
   */
  rename(from: string, to: string, options: { readonly from?: At; readonly to?: At } = {}): void {
    this.#names.rename(this.#entry(from, options.from), this.#entry(to, options.to));
  }

  // Attributes

  chmod(path: string, mode: number, options: Follow = {}): void {
    setInodeMode(this.#store, this.#node(path, options), mode, path);
  }

  setTimes(path: string, times: Times, options: Follow = {}): void {
    setInodeTimes(this.#store, this.#node(path, options), times, path);
  }

  // States

  /** Freezes the present state; O(1). What is written later is copied first, a record and a chunk at a time. */
  snapshot(): Snapshot {
    return this.#store.snapshot();
  }

  /**
   * Goes back (or forth) to a state of this file system; O(1). Open files then see their inode as it was; those whose
   * inode was not there are stale. Unlinked files that only a descriptor table of that time kept alive are there
   * until {@link reap}.
   */
  restore(snapshot: Snapshot): void {
    this.#store.restore(snapshot);
  }

  /** Frees unlinked files that no open file refers to, after a restore. */
  reap(): void {
    this.#store.reap();
  }

  /** What changed between two states; see `diff.ts`. */
  diff(before: Snapshot, after: Snapshot, options: DiffOptions = {}): PathChange[] {
    return diff(before, after, options);
  }

  /** Every inode whose record is not the same in two states. A frozen record never changes, nor do its chunks. */
  inodeChanges(before: Snapshot | undefined, after: Snapshot): MapChange<Inode>[] {
    return PersistentMap.changes(before?.table ?? new PersistentMap<Inode>(), after.table);
  }

  /** The number that the next inode gets; one lower than it means one file for ever. */
  get nextIno(): number {
    return this.#store.nextIno;
  }

  /** Gives no inode a number below `ino` from now on: those mean files of before, which are gone. */
  skipInos(ino: number): void {
    this.#store.skipInos(ino);
  }

  /**
   * Takes on a tree that was stored; quotas are this file system's. As with {@link restore}, unlinked files stay
   * until {@link reap}.
   *
   * @throws {InvalidTreeError} and then has changed nothing.
   */
  load(tree: StoredTree): void {
    this.#store.restore(loadTree(this.#store, tree));
    this.#store.skipInos(tree.nextIno);
  }

  /**
   * Lets a tree of read-only files stand at `path`, whose directory must exist and whose name must be free. It is not
   * charged, not part of snapshots, and its contents are never copied. Mount before the first snapshot.
   *
   * @throws {FsError} EEXIST
   */
  mountReadOnly(path: string, tree: LayerNode): void {
    const place = this.#place(path, { follow: false });
    this.#names.mount(place, addLayer(this.#store, tree));
  }

  /**
   * Lets a text be read in a directory for as long as nothing else stands there, in place of the one before: a program's own,
   * which no file holds. It is not listed, not charged, and not part of snapshots.
   *
   * @param shown Absent: none is there any more. Nor is one whose directory is not there.
   */
  show(shown?: ShownText): void {
    this.#store.show(undefined);
    this.#shown = shown;
  }

  /** @see PathWalker.crossing */
  protected crossing(path: string, options: Follow, ends: ReadonlySet<number>): Crossing | undefined {
    return this.#names.crossing(path, options.at ?? ROOT_INO, options.follow ?? true, ends);
  }

  #place(path: string, options: Follow): Place {
    return this.#names.resolve(path, options.at ?? ROOT_INO, options.follow ?? true);
  }

  /** The entry itself, be it a symlink. */
  #entry(path: string, options: At = {}): Place {
    return this.#names.resolve(path, options.at ?? ROOT_INO, false);
  }

  #node(path: string, options: Follow): Inode {
    const follow = (options.follow ?? true) || path.endsWith("/");
    const node = this.#nodeAt(this.#names.resolve(path, options.at ?? ROOT_INO, follow));
    if (node === undefined) throw new FsError("ENOENT", path);
    return node;
  }

  /** What stands at a place, or is shown there. */
  #nodeAt({ node, directory, name, slash }: Place): Inode | undefined {
    const shown = this.#shown;
    if (node !== undefined || shown?.name !== name || slash) return node;
    if (!this.exists(shown.directory) || this.stat(shown.directory).ino !== directory.ino) return undefined;
    const there = this.#store.find(SHOWN_INO);
    if (there) return there;
    const bytes = encoder.encode(shown.text);
    return this.#store.show(layerFile({ bytes }, this.#store.now(), 0o644));
  }

  #makeParents(path: string, options: At): Place {
    checkPath(path);
    let place = this.#place(path.startsWith("/") ? "/" : ".", options);
    for (const name of componentStack(path).reverse()) {
      if (place.node === undefined) {
        place = { ...place, node: this.#names.create(place, newDirectory(0o755, this.#store.now())) };
      }
      if (place.node?.type !== "directory") throw new FsError("ENOTDIR", path);
      place = this.#place(name, { at: place.node.ino });
    }
    return { ...place, path };
  }

  #put(path: string, options: At & { readonly mode?: number }, change: (node: Inode) => void): void {
    const place = this.#place(path, options);
    if (place.node?.type === "device") return;
    if (place.node !== undefined) {
      checkPermission(place.node, permission.write, path);
      return change(place.node);
    }
    if (place.slash) throw new FsError("EISDIR", path);
    const node = this.#names.create(place, newFile(options.mode ?? 0o644, this.#store.now()));
    try {
      change(node);
    } catch (error) {
      this.#names.unlink({ ...place, node, entry: node.links[0] });
      throw error;
    }
  }
}

const encoder = new TextEncoder();

const fillRandom = crypto.getRandomValues.bind(crypto);
/** Most that the platform fills at a time. */
const RANDOM_BYTES = 65_536;

function secureRandom(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; at += RANDOM_BYTES) {
    fillRandom(bytes.subarray(at, at + RANDOM_BYTES) as Uint8Array<ArrayBuffer>);
  }
}

function wallClock(): bigint {
  return BigInt(Math.round((performance.timeOrigin + performance.now()) * 1000)) * 1000n;
}
