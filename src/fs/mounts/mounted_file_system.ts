/** A session's file system with trees in it that are elsewhere. What a path leads to decides who does the work. */

import { concatBytes } from "../../bytes.ts";
import { FsError } from "../errors.ts";
import {
  type At,
  FileSystem,
  type FileSystemOptions,
  type Follow,
  type ListedEntry,
  type OpenFile,
  type OpenOptions,
  type Stat,
} from "../file_system.ts";
import { FIRST_REMOTE_INO } from "../inode.ts";
import type { Times } from "../inode_operations.ts";
import { checkPath, componentStack, SYMLINK_HOPS_MAX } from "../names.ts";
import type { OpenMode } from "../open_file.ts";
import { type Mount, MOUNT_PIECE_BYTES, type RemoteStat } from "./mount.ts";
import { MountedFile, type OpenFiles } from "./mounted_file.ts";
import { PageCache } from "./page_cache.ts";
import { absolutePath, inoOf, remoteStatOf, typeOf } from "./remote_inode.ts";
import { type RemotePlace, walkMount } from "./route.ts";

/** Largest file that is read as a whole. */
const WHOLE_FILE_BYTES = 256 * 1024 * 1024;
/** Directories whose entries are held while they are being read. */
const MAX_LISTINGS = 8;

/** A path in the tree in memory, and where it starts. */
interface LocalPath {
  readonly path: string;
  readonly at: At;
}
type Located = LocalPath | RemotePlace;

/** Snapshots, images and quotas are about the tree in memory alone. */
export class MountedFileSystem extends FileSystem {
  /** By the inodes of the directories they stand at. */
  readonly #mounts = new Map<number, Mount>();
  readonly #ends = new Set<number>();
  readonly #open = new OpenMountedFiles();

  constructor(options: FileSystemOptions) {
    super(options);
  }

  /** @param mount Its directory exists and belongs to a read-only layer. */
  mount(mount: Mount): void {
    const { ino } = super.stat(mount.path);
    this.#mounts.set(ino, mount);
    this.#ends.add(ino);
  }

  override stat(path: string, options: Follow = {}): Stat {
    const place = this.#locate(path, options, "recently");
    if (!isRemotePlace(place)) return super.stat(place.path, { ...options, ...place.at });
    return remoteStatOf(pathOf(place), present(place, path));
  }

  override exists(path: string, options: Follow = {}): boolean {
    try {
      this.stat(path, options);
      return true;
    } catch (error) {
      if (error instanceof FsError) return false;
      throw error;
    }
  }

  override readdir(path: string, options: At = {}): ListedEntry[] {
    const place = this.#locate(path, options, "recently");
    if (!isRemotePlace(place)) return super.readdir(place.path, place.at);
    if (present(place, path).type !== "directory") throw new FsError("ENOTDIR", path);
    const base = pathOf(place);
    return told(path, () => place.mount.source.list(place.names)).map(({ name, type }) => ({
      name,
      ino: inoOf(`${base}/${name}`),
      type: typeOf(type),
    }));
  }

  override readlink(path: string, options: At = {}): string {
    const place = this.#locate(path, { ...options, follow: false });
    if (!isRemotePlace(place)) return super.readlink(place.path, place.at);
    if (present(place, path).type !== "symlink") throw new FsError("EINVAL", path);
    if (place.target === null) throw new FsError("EACCES", path);
    return place.target;
  }

  override realpath(path: string, options: At = {}): string {
    const place = this.#locate(path, options, "recently");
    if (!isRemotePlace(place)) return super.realpath(place.path, place.at);
    present(place, path);
    return pathOf(place);
  }

  /** @throws {FsError} EFBIG, if it is in a mounted tree and very large. */
  override readFile(path: string, options: At = {}): Uint8Array<ArrayBuffer> {
    const place = this.#locate(path, options, "recently");
    if (!isRemotePlace(place)) return super.readFile(place.path, place.at);
    const stat = openable(place, path);
    if (stat.type === "directory") throw new FsError("EISDIR", path);
    using file = this.#opened(place, { read: true, write: false, append: false });
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    // Its size is that of a moment before: what there is of it says where it ends.
    for (let length = stat.size, done = 0;; length = MOUNT_PIECE_BYTES) {
      if (Math.max(done, stat.size) > WHOLE_FILE_BYTES) throw new FsError("EFBIG", path);
      const piece = new Uint8Array(length);
      const count = told(path, () => file.readAt(piece, done));
      if (count > 0) pieces.push(count === length ? piece : piece.slice(0, count));
      done += count;
      if (count < length) break;
    }
    const [only = new Uint8Array(0), ...others] = pieces;
    return others.length === 0 ? only : concatBytes(pieces);
  }

  /** In a mounted tree what was there is gone at once, and others see the new contents grow. */
  override writeFile(path: string, bytes: Uint8Array, options: At & { readonly mode?: number } = {}): void {
    const place = this.#locate(path, options);
    if (!isRemotePlace(place)) return super.writeFile(place.path, bytes, { ...options, ...place.at });
    this.#put(place, bytes, { truncate: true });
  }

  override appendFile(path: string, bytes: Uint8Array, options: At & { readonly mode?: number } = {}): void {
    const place = this.#locate(path, options);
    if (!isRemotePlace(place)) return super.appendFile(place.path, bytes, { ...options, ...place.at });
    this.#put(place, bytes, { append: true });
  }

  override truncate(path: string, size: number, options: At = {}): void {
    const place = this.#locate(path, options);
    if (!isRemotePlace(place)) return super.truncate(place.path, size, place.at);
    using file = this.open(pathOf(place), { write: true });
    told(path, () => file.truncate(size));
  }

  override open(path: string, options: OpenOptions = {}): OpenFile {
    const { read = true, write = false, append = false, create = false, exclusive = false } = options;
    const follow = !(create && exclusive) && (options.follow ?? true);
    const looks = !write && !create && !options.truncate;
    const place = this.#locate(path, { ...options, follow }, looks ? "recently" : undefined);
    if (!isRemotePlace(place)) return super.open(place.path, { ...options, ...place.at });
    let { stat } = place;
    if (stat && create && exclusive) throw new FsError("EEXIST", path);
    if (!stat && !create) throw new FsError("ENOENT", path);
    if (!stat && (place.slash || options.directory)) throw new FsError("EISDIR", path);
    if (stat?.type === "symlink") throw new FsError("ELOOP", path);
    if (stat?.type === "other") throw new FsError("EACCES", path);
    if (options.directory && stat?.type !== "directory") throw new FsError("ENOTDIR", path);
    const changes = write || options.truncate === true || !stat;
    if (stat?.type === "directory" && changes) throw new FsError("EISDIR", path);
    if (changes) checkWritable(place, path);
    stat ??= told(path, () => place.mount.source.create(place.names, exclusive));
    const file = this.#opened({ ...place, stat }, { read, write, append });
    if (options.truncate) {
      told(path, () => place.mount.source.truncate(place.names, stat.id, 0));
    }
    return file;
  }

  override reopen(
    saved: { readonly ino: number; readonly path?: string | undefined },
    mode: OpenMode,
  ): OpenFile {
    const mount = [...this.#mounts.values()].find(({ path }) =>
      saved.path === path || saved.path?.startsWith(`${path}/`)
    );
    if (!mount) return super.reopen(saved, mode);
    const names = saved.path!.slice(mount.path.length + 1).split("/").filter((name) => name !== "");
    return new MountedFile(this.#open, mount, names, mode);
  }

  override mkdir(
    path: string,
    options: At & { readonly recursive?: boolean; readonly mode?: number } = {},
  ): void {
    if (options.recursive) {
      const parent = checkedParent(path);
      if (this.exists(path, options)) {
        if (this.stat(path, options).type === "directory") return;
      } else if (parent !== undefined) this.mkdir(parent, options);
    }
    const place = this.#locate(path, { ...options, follow: false });
    if (!isRemotePlace(place)) return super.mkdir(place.path, { ...options, ...place.at });
    if (place.stat) throw new FsError("EEXIST", path);
    checkWritable(place, path);
    told(path, () => place.mount.source.mkdir(place.names));
  }

  /** A mounted tree has no links across it, and gets none from here. */
  override link(from: string, to: string, options: { readonly from?: Follow; readonly to?: At } = {}): void {
    const source = this.#locate(from, { follow: false, ...options.from });
    const target = this.#locate(to, { ...options.to, follow: false });
    if (isRemotePlace(source) || isRemotePlace(target)) {
      throw new FsError(isRemotePlace(source) && isRemotePlace(target) ? "EPERM" : "EXDEV", to);
    }
    super.link(source.path, target.path, {
      from: { follow: false, ...options.from, ...source.at },
      to: target.at,
    });
  }

  override symlink(target: string, path: string, options: At = {}): void {
    const place = this.#locate(path, { ...options, follow: false });
    if (!isRemotePlace(place)) return super.symlink(target, place.path, place.at);
    checkWritable(place, path);
    throw new FsError(place.stat ? "EEXIST" : "EPERM", path);
  }

  override unlink(path: string, options: At = {}): void {
    const place = this.#locate(path, { ...options, follow: false });
    if (!isRemotePlace(place)) return super.unlink(place.path, place.at);
    if (present(place, path).type === "directory") throw new FsError("EISDIR", path);
    checkWritable(place, path);
    told(path, () => place.mount.source.unlink(place.names));
  }

  override rmdir(path: string, options: At = {}): void {
    const place = this.#locate(path, { ...options, follow: false });
    if (!isRemotePlace(place)) return super.rmdir(place.path, place.at);
    if (present(place, path).type !== "directory") throw new FsError("ENOTDIR", path);
    if (place.names.length === 0) throw new FsError("EBUSY", path);
    checkWritable(place, path);
    told(path, () => place.mount.source.rmdir(place.names));
  }

  override rm(
    path: string,
    options: At & { readonly recursive?: boolean; readonly force?: boolean } = {},
  ): void {
    const place = this.#locate(path, { ...options, follow: false });
    if (!isRemotePlace(place)) return super.rm(place.path, { ...options, ...place.at });
    if (!place.stat && options.force) return;
    if (present(place, path).type !== "directory") return this.unlink(pathOf(place));
    if (options.recursive) {
      checkWritable(place, path);
      for (const { name } of this.readdir(pathOf(place))) this.rm(`${pathOf(place)}/${name}`, options);
    }
    this.rmdir(pathOf(place));
  }

  override rename(
    from: string,
    to: string,
    options: { readonly from?: At; readonly to?: At } = {},
  ): void {
    const source = this.#locate(from, { ...options.from, follow: false });
    const target = this.#locate(to, { ...options.to, follow: false });
    if (!isRemotePlace(source) && !isRemotePlace(target)) {
      return super.rename(source.path, target.path, { from: source.at, to: target.at });
    }
    if (!isRemotePlace(source) || !isRemotePlace(target) || source.mount !== target.mount) {
      throw new FsError("EXDEV", to);
    }
    const { type } = present(source, from);
    if (source.names.length === 0 || target.names.length === 0) throw new FsError("EBUSY", from);
    if (target.slash && type !== "directory") throw new FsError("ENOTDIR", to);
    checkWritable(source, from);
    told(to, () => source.mount.source.rename(source.names, target.names));
    this.#open.pages.forget();
  }

  /** Modes of a mounted tree are its host's; asking for others has no effect. */
  override chmod(path: string, mode: number, options: Follow = {}): void {
    const place = this.#locate(path, options);
    if (!isRemotePlace(place)) return super.chmod(place.path, mode, { ...options, ...place.at });
    present(place, path);
    checkWritable(place, path);
  }

  override setTimes(path: string, times: Times, options: Follow = {}): void {
    const place = this.#locate(path, options);
    if (!isRemotePlace(place)) return super.setTimes(place.path, times, { ...options, ...place.at });
    openable(place, path);
    checkWritable(place, path);
    told(path, () => place.mount.source.setTimes(place.names, times));
  }

  #put(place: RemotePlace, bytes: Uint8Array, options: OpenOptions): void {
    const path = pathOf(place);
    if (place.slash && !place.stat) throw new FsError("EISDIR", path);
    using file = this.open(path, { ...options, write: true, create: true });
    told(path, () => {
      // The first piece that does not fit says why.
      for (let at = 0; at < bytes.length;) at += file.write(bytes.subarray(at, at + MOUNT_PIECE_BYTES));
    });
  }

  #opened(place: RemotePlace, mode: OpenMode): MountedFile {
    const file = new MountedFile(this.#open, place.mount, place.names, mode, place.stat);
    this.#open.pages.forget(file.path); // what another one has closed is seen by whoever opens it now
    return file;
  }

  /** @param recently As in {@link MountSource.look}. */
  #locate(path: string, { at, follow = true }: Follow, recently?: "recently"): Located {
    checkPath(path);
    let local: LocalPath = { path, at: at === undefined ? {} : { at } };
    if (at !== undefined && at >= FIRST_REMOTE_INO) {
      const base = path.startsWith("/") ? "" : this.#open.pathOf(at);
      local = { path: `${base}/${path}`, at: {} };
    }
    for (let hops = 0; hops <= SYMLINK_HOPS_MAX; hops++) {
      const crossing = this.#crossing(local, follow);
      if (!crossing) return local;
      const mount = this.#mounts.get(crossing.ino)!;
      const place = told(path, () => walkMount(mount, crossing.rest, follow, crossing.slash, path, recently));
      if (isRemotePlace(place)) return place;
      local = { path: place.path, at: {} };
    }
    throw new FsError("ELOOP", path);
  }

  #crossing({ path, at }: LocalPath, follow: boolean) {
    try {
      return this.crossing(path, { ...at, follow: follow || path.endsWith("/") }, this.#ends);
    } catch (error) {
      if (error instanceof FsError) return undefined; // what is wrong with the path is for the operation to say
      throw error;
    }
  }
}

/** The open files of all mounts, of which directories can be where paths start. */
class OpenMountedFiles implements OpenFiles {
  readonly pages = new PageCache();
  readonly #files = new Map<number, Set<MountedFile>>();
  /** The one read last is the last. */
  readonly #listings = new Set<MountedFile>();

  /** @throws {FsError} ESTALE */
  pathOf(ino: number): string {
    const [file] = this.#files.get(ino) ?? [];
    if (!file) throw new FsError("ESTALE");
    return file.path;
  }

  opened(file: MountedFile): void {
    const files = this.#files.get(file.ino) ?? new Set();
    this.#files.set(file.ino, files.add(file));
  }

  closed(file: MountedFile): void {
    this.#listings.delete(file);
    const files = this.#files.get(file.ino);
    files?.delete(file);
    if (files?.size === 0) this.#files.delete(file.ino);
  }

  listing(file: MountedFile): void {
    this.#listings.delete(file);
    this.#listings.add(file);
    for (const oldest of this.#listings) {
      if (this.#listings.size <= MAX_LISTINGS) break;
      this.#listings.delete(oldest);
      oldest.forgetEntries();
    }
  }
}

function isRemotePlace(place: object): place is RemotePlace {
  return "mount" in place;
}

function pathOf({ mount, names }: RemotePlace): string {
  return absolutePath(mount, names);
}

/** @throws {FsError} ENOENT */
function present({ stat }: RemotePlace, path: string): RemoteStat {
  if (!stat) throw new FsError("ENOENT", path);
  return stat;
}

/** @throws {FsError} ENOENT; ELOOP for a symlink, EACCES for what is neither file nor directory */
function openable(place: RemotePlace, path: string): RemoteStat {
  const stat = present(place, path);
  if (stat.type === "symlink") throw new FsError("ELOOP", path);
  if (stat.type === "other") throw new FsError("EACCES", path);
  return stat;
}

/** @throws {FsError} EROFS */
function checkWritable({ mount }: RemotePlace, path: string): void {
  if (!mount.source.writable) throw new FsError("EROFS", path);
}

/** The path of the directory that a path's last name is in; undefined if that is where paths start. */
function checkedParent(path: string): string | undefined {
  checkPath(path);
  const names = componentStack(path).slice(1).reverse();
  if (names.length === 0) return undefined;
  return `${path.startsWith("/") ? "/" : ""}${names.join("/")}`;
}

/** Names the path that the caller gave in what a mounted tree says. */
function told<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof FsError && error.path === "") throw new FsError(error.code, path);
    throw error;
  }
}
