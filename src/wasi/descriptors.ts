/** The table of descriptors: part of a guest's state, so it can be saved and restored. */

import { fromBase64, toBase64 } from "../base64.ts";
import { type FileSystem, type OpenFile, ROOT_INO } from "../fs/file_system.ts";
import { rights } from "./constants.ts";
import { WasiError } from "./errors.ts";
import { FileLocks } from "./locks.ts";
import { Pipe } from "./pipe.ts";

/** Most descriptors open at once. */
export const DESCRIPTORS_MAX = 1024;

export type StreamName = "stdin" | "stdout" | "stderr";

export interface StreamDescriptor {
  readonly kind: "stream";
  readonly stream: StreamName;
  flags: number;
}

export interface FileDescriptor {
  readonly kind: "file";
  readonly file: OpenFile;
  /** The directory that the guest was given, `/`. */
  readonly preopen: boolean;
  flags: number;
  rights: number;
  inheriting: number;
}

/** One end of a pipe. */
export interface PipeDescriptor {
  readonly kind: "pipe";
  readonly pipe: Pipe;
  readonly end: "read" | "write";
  flags: number;
}

/** What a number stands for; several may stand for the same one (`dup`). */
export type Descriptor = StreamDescriptor | FileDescriptor | PipeDescriptor;

/** One row of a saved table: plain data. */
export type SavedDescriptor =
  /** A copy of another row, which comes before it. */
  | { readonly fd: number; readonly kind: "copy"; readonly of: number }
  /** Ends of the same pipe have its number; the first of them has what the pipe holds, as base64. */
  | {
    readonly fd: number;
    readonly kind: "pipe";
    readonly pipe: number;
    readonly end: "read" | "write";
    readonly holds: string;
    readonly flags: number;
  }
  | { readonly fd: number; readonly kind: "stream"; readonly stream: StreamName; readonly flags: number }
  | {
    readonly fd: number;
    readonly kind: "file";
    readonly ino: number;
    /** {@link OpenFile.path} */
    readonly path?: string | undefined;
    readonly position: number;
    readonly read: boolean;
    readonly write: boolean;
    readonly append: boolean;
    readonly preopen: boolean;
    readonly flags: number;
    readonly rights: number;
    readonly inheriting: number;
  };

const STREAMS = ["stdin", "stdout", "stderr"] as const;

export class DescriptorTable {
  readonly #rows: (Descriptor | undefined)[] = [];
  readonly locks: FileLocks;

  constructor(readonly fs: FileSystem) {
    this.locks = FileLocks.of(fs);
    this.openStreams();
    const file = fs.openInode(ROOT_INO, { read: true, write: false, append: false });
    this.#rows.push({
      kind: "file",
      file,
      preopen: true,
      flags: 0,
      rights: rights.all,
      inheriting: rights.all,
    });
  }

  /** Lets the first three numbers be the standard streams again, whatever a program has made of them. */
  openStreams(): void {
    STREAMS.forEach((stream, fd) => {
      const row = this.#rows[fd];
      if (row?.kind === "stream" && row.stream === stream) return;
      if (row) this.close(fd);
      this.#rows[fd] = { kind: "stream", stream, flags: 0 };
    });
  }

  has(fd: number): boolean {
    return this.#rows[fd >>> 0] !== undefined;
  }

  /** @throws {WasiError} EBADF */
  get(fd: number): Descriptor {
    const row = this.#rows[fd >>> 0];
    if (row === undefined) throw new WasiError("EBADF");
    return row;
  }

  /** @throws {WasiError} EBADF; `otherwise` for a stream. */
  file(fd: number, otherwise: "ESPIPE" | "EINVAL" | "ENOTDIR" = "EINVAL"): FileDescriptor {
    const row = this.get(fd);
    if (row.kind !== "file") throw new WasiError(otherwise);
    return row;
  }

  /** The inode of a directory that paths start at. @throws {WasiError} EBADF, ENOTDIR @throws {FsError} ESTALE */
  directory(fd: number): number {
    const { file } = this.file(fd, "ENOTDIR");
    return file.directory().ino;
  }

  /** The lowest free number. @throws {WasiError} EMFILE */
  free(): number {
    const hole = this.#rows.indexOf(undefined);
    if (hole >= 0) return hole;
    if (this.#rows.length >= DESCRIPTORS_MAX) throw new WasiError("EMFILE");
    return this.#rows.length;
  }

  set(fd: number, row: Descriptor): void {
    this.#rows[fd] = row;
  }

  /** @throws {WasiError} EBADF */
  close(fd: number): void {
    const row = this.get(fd);
    this.#rows[fd >>> 0] = undefined;
    if (row.kind !== "file") return;
    const { file } = row;
    // As POSIX has it: of a process's ranges none outlives any of its descriptors of the file.
    this.locks.ranges.releaseAll(file.ino, this);
    if (this.#rows.includes(row)) return;
    this.locks.files.releaseAll(file.ino, file);
    file.close();
  }

  /** Lets another number stand for the same. @returns It: the lowest free one. @throws {WasiError} EBADF, EMFILE */
  copy(fd: number): number {
    const row = this.get(fd);
    const to = this.free();
    this.#rows[to] = row;
    return to;
  }

  /** Lets `to`, which is closed first, stand for the same as `from`. @throws {WasiError} EBADF */
  copyTo(from: number, to: number): void {
    const row = this.get(from);
    if (to >>> 0 >= DESCRIPTORS_MAX) throw new WasiError("EBADF");
    if (from >>> 0 === to >>> 0) return;
    if (this.#rows[to >>> 0]) this.close(to);
    while (this.#rows.length < to >>> 0) this.#rows.push(undefined);
    this.#rows[to >>> 0] = row;
  }

  /** @returns The numbers of the ends to read from and to write to. @throws {WasiError} EMFILE */
  openPipe(): [number, number] {
    const pipe = new Pipe();
    const from = this.free();
    this.set(from, { kind: "pipe", pipe, end: "read", flags: 0 });
    try {
      const to = this.free();
      this.set(to, { kind: "pipe", pipe, end: "write", flags: 0 });
      return [from, to];
    } catch (error) {
      this.close(from);
      throw error;
    }
  }

  /** Whether there is such an end of a pipe. */
  hasEnd(pipe: Pipe, end: PipeDescriptor["end"]): boolean {
    return this.#rows.some((row) => row?.kind === "pipe" && row.pipe === pipe && row.end === end);
  }

  /** Moves `from` to `to`, which is closed first; both must be open. @throws {WasiError} EBADF */
  renumber(from: number, to: number): void {
    const row = this.get(from);
    this.get(to);
    if (from >>> 0 === to >>> 0) return;
    this.close(to);
    this.#rows[to >>> 0] = row;
    this.#rows[from >>> 0] = undefined;
  }

  closeAll(): void {
    this.#rows.forEach((row, fd) => row && this.close(fd));
    this.#rows.length = 0;
  }

  save(): SavedDescriptor[] {
    const first = new Map<Descriptor, number>();
    const pipes = new Map<Pipe, number>();
    return this.#rows.flatMap((row, fd): SavedDescriptor[] => {
      if (row === undefined) return [];
      const of = first.get(row);
      if (of !== undefined) return [{ fd, kind: "copy", of }];
      first.set(row, fd);
      if (row.kind === "pipe") {
        const known = pipes.get(row.pipe);
        if (known === undefined) pipes.set(row.pipe, fd);
        const holds = known === undefined ? toBase64(row.pipe.bytes) : "";
        return [{ fd, kind: "pipe", pipe: known ?? fd, end: row.end, holds, flags: row.flags }];
      }
      if (row.kind === "stream") return [{ fd, ...row }];
      const { file, ...rest } = row;
      const { read, write } = file.mode;
      const { ino, path, position, append } = file;
      return [{ fd, ino, ...(path !== undefined && { path }), position, read, write, append, ...rest }];
    });
  }

  /** Replaces the whole table. @throws {RangeError} if a number is not one of a descriptor. */
  restore(saved: readonly SavedDescriptor[]): void {
    if (saved.some(({ fd }) => !Number.isInteger(fd) || fd < 0 || fd >= DESCRIPTORS_MAX)) {
      throw new RangeError("a saved descriptor has an impossible number");
    }
    const rows: (Descriptor | undefined)[] = [];
    const pipes = new Map<number, Pipe>();
    for (const row of [...saved].sort((a, b) => a.fd - b.fd)) {
      while (rows.length < row.fd) rows.push(undefined);
      rows[row.fd] = row.kind === "copy" ? rows[row.of] : this.#reopen(row, pipes);
    }
    this.closeAll();
    this.#rows.push(...rows);
  }

  #reopen(saved: Exclude<SavedDescriptor, { kind: "copy" }>, pipes: Map<number, Pipe>): Descriptor {
    if (saved.kind === "pipe") {
      const { end, flags } = saved;
      const pipe = pipes.get(saved.pipe) ?? new Pipe(fromBase64(saved.holds));
      pipes.set(saved.pipe, pipe);
      return { kind: "pipe", pipe, end, flags };
    }
    if (saved.kind === "stream") return { kind: "stream", stream: saved.stream, flags: saved.flags };
    const { read, write, append, preopen, flags, rights, inheriting } = saved;
    const file = this.fs.reopen(saved, { read, write, append });
    file.position = saved.position;
    return { kind: "file", file, preopen, flags, rights, inheriting };
  }
}
