/** An open file or directory of a mounted tree: its path and a position. The other side knows nothing of it. */

import { FsError } from "../errors.ts";
import type { Dirent, Stat } from "../inode.ts";
import type { Times } from "../inode_operations.ts";
import { checkOffset, type OpenDirectory, OpenFile, type OpenMode, positionAfter } from "../open_file.ts";
import { type Mount, MOUNT_PIECE_BYTES, type Names, type RemoteEntry, type RemoteStat } from "./mount.ts";
import { absolutePath, inoOf, remoteStatOf, typeOf } from "./remote_inode.ts";
import type { PageCache } from "./page_cache.ts";

/** What the open files of all mounted trees of a session share. */
export interface OpenFiles {
  readonly pages: PageCache;
  opened(file: MountedFile): void;
  closed(file: MountedFile): void;
  /** A directory is being listed; says which listings are given up for that. */
  listing(file: MountedFile): void;
}

export class MountedFile extends OpenFile {
  declare readonly path: string;
  readonly #open: OpenFiles;
  #closed = false;
  /** Of the file that was opened; unknown after it was restored. */
  #id: number | undefined;
  /** Whether the file was there after it was opened: it may be found as it was a moment before. */
  #confirmed = false;
  #entries: readonly RemoteEntry[] | undefined;

  constructor(
    open: OpenFiles,
    readonly mount: Mount,
    readonly names: Names,
    mode: OpenMode,
    stat?: RemoteStat,
  ) {
    const path = absolutePath(mount, names);
    super(inoOf(path), mode, path);
    this.#open = open;
    this.#id = stat?.id;
    open.opened(this);
  }

  override readAt(target: Uint8Array, position: number): number {
    this.#check(this.mode.read);
    checkOffset(position);
    let done = 0;
    while (done < target.length) {
      const at = position + done;
      const page = this.#page(Math.floor(at / MOUNT_PIECE_BYTES));
      const offset = at % MOUNT_PIECE_BYTES;
      const piece = page.subarray(offset, offset + target.length - done);
      target.set(piece, done);
      done += piece.length;
      if (page.length < MOUNT_PIECE_BYTES) break;
    }
    return done;
  }

  #page(index: number): Uint8Array {
    const page = () => this.#open.pages.page(this.path, this.mount.source, this.names, this.#id, index);
    try {
      return page();
    } catch (error) {
      // It was opened as it had been found a moment before; another one may have been put in its place since.
      if (this.#confirmed || !(error instanceof FsError) || error.code !== "ESTALE") throw error;
      this.#look();
      return page();
    } finally {
      this.#confirmed = true;
    }
  }

  override write(source: Uint8Array): number {
    return this.#write(source, this.append ? null : this.position, (end) => this.position = end);
  }

  override writeAt(source: Uint8Array, position: number): number {
    checkOffset(position);
    return this.#write(source, position, () => {});
  }

  override seek(offset: number, origin: Parameters<OpenFile["seek"]>[1]): number {
    this.#check(true);
    return this.position = positionAfter(offset, origin, this.position, () => this.stat().size);
  }

  override truncate(size: number): void {
    this.#check(this.mode.write);
    this.mount.source.truncate(this.names, this.#id, size);
    this.#open.pages.forget(this.path);
  }

  override stat(): Stat {
    return remoteStatOf(this.path, this.#look("recently"));
  }

  override setTimes(times: Times): void {
    this.#check(true);
    this.mount.source.setTimes(this.names, times);
  }

  /** Modes of a mounted tree are its host's; asking for others has no effect. */
  override chmod(_mode: number): void {
    this.#check(true);
  }

  override visitEntries(visit: (entry: Dirent) => boolean, first = 0): void {
    this.#check(true);
    if (first === 0 || !this.#entries) {
      this.#entries = this.mount.source.list(this.names);
      this.#open.listing(this);
    }
    for (let order = first; order < this.#entries.length; order++) {
      const { name, type } = this.#entries[order]!;
      const ino = inoOf(`${this.path}/${name}`);
      const entry = { directory: this.ino, name, nameBytes: 0, ino, type: typeOf(type), order };
      if (!visit(entry)) break;
    }
  }

  /** Lets go of the entries: they are asked for again. */
  forgetEntries(): void {
    this.#entries = undefined;
  }

  override directory(): OpenDirectory {
    if (this.#look("recently").type !== "directory") throw new FsError("ENOTDIR");
    return { ino: this.ino, links: [] };
  }

  override close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#entries = undefined;
    this.#open.closed(this);
  }

  /** @throws {FsError} ESTALE, if it is not there any more. */
  #look(recently?: "recently"): RemoteStat {
    this.#check(true);
    const found = this.mount.source.look(this.names, recently);
    const mayBeAnother = this.#id === undefined || !this.#confirmed && !this.mode.write;
    if (found.kind !== "found" || !mayBeAnother && found.stat.id !== this.#id) throw new FsError("ESTALE");
    this.#id = found.stat.id;
    return found.stat;
  }

  #write(source: Uint8Array, position: number | null, moved: (end: number) => void): number {
    this.#check(this.mode.write);
    let at = position;
    let done = 0;
    try {
      while (done < source.length) {
        // A copy: what is posted takes the whole memory that it is a view of along.
        const piece = source.slice(done, done + MOUNT_PIECE_BYTES);
        const end = this.mount.source.write(this.names, this.#id, at, piece);
        if (at !== null) at = end;
        done += piece.length;
        moved(end);
      }
    } catch (error) {
      if (done === 0 || !(error instanceof FsError)) throw error;
    } finally {
      this.#open.pages.forget(this.path);
    }
    return done;
  }

  #check(permitted: boolean): void {
    if (this.#closed || !permitted) throw new FsError("EBADF");
  }
}
