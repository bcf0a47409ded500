/** A directory of the host, mapped into sessions: nothing in here leads out of it, and what is written is counted. */

import { LISTED_MAX, type VolumeAnswer, type VolumeRequest, type WireStat } from "../host_calls/volume.ts";
import { FsError } from "../fs/errors.ts";
import { codeOf } from "./errors.ts";
import { Gate } from "./gate.ts";
import {
  checkFile,
  checkStraight,
  openFile,
  readPiece,
  readSmall,
  typeOf,
  versionOf,
  wireStat,
  writePiece,
} from "./host_files.ts";

/** What a new file or directory counts for, beside its contents. */
const ENTRY_BYTES = 4096;
/** Most entries of a directory that is listed: each piece of a listing looks at all of them. */
const DIRECTORY_MAX = 100_000;

export interface VolumeOptions {
  /** Absolute, without symlinks. */
  readonly root: string;
  readonly writable: boolean;
  /** Most that sessions may add, all together, while the server runs. */
  readonly maxBytes: number;
}

/** What can be asked of any mapping; all of it fails with what {@link codeOf} understands. */
export interface Readable {
  look(names: readonly string[]): Promise<VolumeAnswer<"look">>;
  /** @param entries Names of entries of the directory at `names`. */
  entries(names: readonly string[], entries: readonly string[]): Promise<VolumeAnswer<"entries">>;
  list(names: readonly string[], after: string | null): Promise<VolumeAnswer<"list">>;
  read(request: VolumeRequest<"read">): Promise<{ version: number; bytes: Uint8Array | undefined }>;
  /** Contents of small files in the directory at `names`, in their order; none of one that is not of that version. */
  files(names: readonly string[], files: readonly Versioned[]): Promise<(Uint8Array | undefined)[]>;
}

/** A file as it was seen. */
export type Versioned = VolumeRequest<"files">["files"][number];

type Change = VolumeRequest<"change">;

export class Volume implements Readable {
  readonly #root: string;
  readonly #writable: boolean;
  readonly #maxBytes: number;
  readonly #gate = new Gate();
  /** What sessions have added, less what they have removed again. */
  #added = 0;

  constructor({ root, writable, maxBytes }: VolumeOptions) {
    this.#root = root;
    this.#writable = writable;
    this.#maxBytes = maxBytes;
  }

  look(names: readonly string[]): Promise<VolumeAnswer<"look">> {
    return this.#gate.look(async () => {
      const path = this.#path(names);
      try {
        const stat = await Deno.lstat(path);
        if (!stat.isSymlink && await Deno.realPath(path) === path) {
          return { kind: "found", stat: this.#stat(stat) };
        }
      } catch (error) {
        if (codeOf(error) !== "ENOENT") throw error;
      }
      return await this.#walk(names);
    });
  }

  entries(names: readonly string[], entries: readonly string[]): Promise<VolumeAnswer<"entries">> {
    return this.#gate.look(async () => {
      const path = this.#path(names);
      await checkStraight(path);
      const look = async (name: string) => {
        const stat = await Deno.lstat(`${path}/${name}`).catch(() => undefined);
        return stat && !stat.isSymlink ? this.#stat(stat) : null;
      };
      const stats = await Promise.all(entries.map(look));
      await checkStraight(path);
      return { stats };
    });
  }

  list(names: readonly string[], after: string | null): Promise<VolumeAnswer<"list">> {
    return this.#gate.look(async () => {
      const path = this.#path(names);
      await checkStraight(path);
      const all: [string, WireStat["type"]][] = [];
      for await (const entry of Deno.readDir(path)) {
        if (all.push([entry.name, typeOf(entry)]) > DIRECTORY_MAX) throw new FsError("EOVERFLOW");
      }
      await checkStraight(path);
      const rest = after === null ? all : all.filter(([name]) => name > after);
      rest.sort(([a], [b]) => a < b ? -1 : 1);
      return { entries: rest.slice(0, LISTED_MAX), more: rest.length > LISTED_MAX };
    });
  }

  async read({ names, id, position, length, known }: VolumeRequest<"read">) {
    using opened = await this.#gate.look(() => openFile(this.#path(names), id, false));
    const version = versionOf(opened.stat);
    return { version, bytes: version === known ? undefined : await readPiece(opened, position, length) };
  }

  files(names: readonly string[], files: readonly Versioned[]): Promise<(Uint8Array | undefined)[]> {
    const path = this.#path(names);
    return this.#gate.look(() =>
      readSmall(files.map(({ name, version }) => ({ path: `${path}/${name}`, version })))
    );
  }

  /** @returns The position after it. */
  write({ names, id, position }: VolumeRequest<"write">, bytes: Uint8Array): Promise<number> {
    return this.#change(async () => {
      using opened = await openFile(this.#path(names), id, true);
      const { file, stat: { size } } = opened;
      const at = position ?? size;
      await this.#charged(Math.max(0, at + bytes.length - size), () => writePiece(file, at, bytes));
      return at + bytes.length;
    });
  }

  change(change: Change): Promise<WireStat | undefined> {
    return this.#change(async () => {
      const path = this.#path(change.names);
      if (change.names.length === 0) throw new FsError(change.kind === "mkdir" ? "EEXIST" : "EBUSY");
      if (change.kind !== "truncate") await checkStraight(this.#path(change.names.slice(0, -1)));
      switch (change.kind) {
        case "create":
          return await this.#create(path, change.exclusive);
        case "mkdir":
          return void await this.#charged(ENTRY_BYTES, () => Deno.mkdir(path, { mode: 0o755 }));
        case "unlink":
        case "rmdir":
          return await this.#remove(path, change.kind === "rmdir");
        case "rename":
          return await this.#rename(path, change.to);
        case "truncate":
          return await this.#truncate(path, change.id, change.size);
        case "times":
          return await this.#setTimes(path, change);
      }
    });
  }

  async #create(path: string, exclusive: boolean): Promise<WireStat> {
    try {
      await this.#charged(ENTRY_BYTES, async () => {
        const created = await Deno.open(path, { write: true, createNew: true, mode: 0o644 });
        created.close();
      });
    } catch (error) {
      if (exclusive || codeOf(error) !== "EEXIST") throw error;
    }
    const stat = await Deno.lstat(path);
    checkFile(stat);
    return this.#stat(stat);
  }

  async #remove(path: string, directory: boolean): Promise<undefined> {
    const stat = await Deno.lstat(path);
    if (directory !== stat.isDirectory) throw new FsError(directory ? "ENOTDIR" : "EISDIR");
    if (typeOf(stat) === "other") throw new FsError("EACCES");
    await Deno.remove(path);
    this.#freed(stat);
  }

  /** Symlinks stay where they are: elsewhere they could mean something else. */
  async #rename(path: string, to: readonly string[]): Promise<undefined> {
    if (to.length === 0) throw new FsError("EBUSY");
    const target = this.#path(to);
    await checkStraight(this.#path(to.slice(0, -1)));
    const stat = await Deno.lstat(path);
    if (!stat.isFile && !stat.isDirectory) throw new FsError("EPERM");
    const replaced = await Deno.lstat(target).catch(() => undefined);
    if (replaced && !replaced.isFile && !replaced.isDirectory) throw new FsError("EPERM");
    await Deno.rename(path, target);
    const sameFile = replaced?.dev === stat.dev && replaced?.ino === stat.ino;
    if (replaced && !sameFile) this.#freed(replaced);
  }

  async #truncate(path: string, id: number | null, size: number): Promise<undefined> {
    using opened = await openFile(path, id, true);
    const growth = size - opened.stat.size;
    await this.#charged(Math.max(0, growth), () => opened.file.truncate(size));
    if (growth < 0) this.#added = Math.max(0, this.#added + growth);
  }

  async #setTimes(
    path: string,
    { atime, mtime }: Extract<Change, { kind: "times" }>,
  ): Promise<undefined> {
    const stat = await Deno.lstat(path);
    const date = (nanoseconds: string | null, old: Date | null) =>
      nanoseconds === null ? old ?? new Date() : new Date(Number(BigInt(nanoseconds) / 1_000_000n));
    const times = [date(atime, stat.atime), date(mtime, stat.mtime)] as const;
    if (times.some((time) => Number.isNaN(time.getTime()))) throw new FsError("EINVAL");
    if (stat.isDirectory) return await Deno.utime(path, ...times) as undefined;
    using opened = await openFile(path, null, true);
    await opened.file.utime(...times);
  }

  /** The first name that is missing, or is a symlink. */
  async #walk(names: readonly string[]): Promise<VolumeAnswer<"look">> {
    for (const index of names.keys()) {
      const path = this.#path(names.slice(0, index + 1));
      let stat: Deno.FileInfo;
      try {
        stat = await Deno.lstat(path);
      } catch (error) {
        if (codeOf(error) !== "ENOENT") throw error;
        return { kind: "missing", index };
      }
      if (!stat.isSymlink) continue;
      const target = insideTarget(await Deno.readLink(path), index);
      return { kind: "symlink", index, stat: this.#stat(stat), target };
    }
    throw new FsError("ENOENT"); // it has come or gone meanwhile
  }

  #path(names: readonly string[]): string {
    return [this.#root, ...names].join("/");
  }

  #stat(stat: Deno.FileInfo): WireStat {
    return wireStat(stat, this.#writable);
  }

  #change<T>(work: () => Promise<T>): Promise<T> {
    if (!this.#writable) return Promise.reject(new FsError("EROFS"));
    return this.#gate.change(work);
  }

  /** Counts `bytes` before they are there; if that fails they are not. @throws {FsError} ENOSPC */
  async #charged(bytes: number, work: () => Promise<void>): Promise<void> {
    if (bytes > 0 && this.#added + bytes > this.#maxBytes) throw new FsError("ENOSPC");
    this.#added += bytes;
    try {
      await work();
    } catch (error) {
      this.#added -= bytes;
      throw error;
    }
  }

  /** A name is gone. Its file is so only if it had no other one. */
  #freed({ isFile, nlink, size }: Deno.FileInfo): void {
    const contents = isFile && (nlink ?? 1) <= 1 ? size : 0;
    this.#added = Math.max(0, this.#added - ENTRY_BYTES - contents);
  }
}

/** The target of a symlink at that depth, if it stays inside: others tell about the host. */
function insideTarget(target: string, depth: number): string | null {
  if (target.startsWith("/")) return null;
  for (const name of target.split("/")) {
    if (name === "..") depth--;
    else if (name !== "" && name !== ".") depth++;
    if (depth < 0) return null;
  }
  return target;
}
