/** The table of descriptors: part of a guest's state, so it can be saved and restored. */

import { type FileSystem, type OpenFile, ROOT_INO } from "../fs/file_system.ts";
import { rights } from "./constants.ts";
import { WasiError } from "./errors.ts";

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

export type Descriptor = StreamDescriptor | FileDescriptor;

/** One row of a saved table: plain data. */
export type SavedDescriptor =
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

export class DescriptorTable {
  readonly #rows: (Descriptor | undefined)[] = [];

  constructor(readonly fs: FileSystem) {
    for (const stream of ["stdin", "stdout", "stderr"] as const) {
      this.#rows.push({ kind: "stream", stream, flags: 0 });
    }
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
    if (row.kind === "file") row.file.close();
    this.#rows[fd >>> 0] = undefined;
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
    return this.#rows.flatMap((row, fd): SavedDescriptor[] => {
      if (row === undefined) return [];
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
    for (const row of [...saved].sort((a, b) => a.fd - b.fd)) {
      while (rows.length < row.fd) rows.push(undefined);
      rows[row.fd] = this.#reopen(row);
    }
    this.closeAll();
    this.#rows.push(...rows);
  }

  #reopen(saved: SavedDescriptor): Descriptor {
    if (saved.kind === "stream") return { kind: "stream", stream: saved.stream, flags: saved.flags };
    const { read, write, append, preopen, flags, rights, inheriting } = saved;
    const file = this.fs.reopen(saved, { read, write, append });
    file.position = saved.position;
    return { kind: "file", file, preopen, flags, rights, inheriting };
  }
}
