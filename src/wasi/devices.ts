/** Names of a program's own descriptors: `/dev/stdin`, `/dev/fd/N`, `/proc/self/fd/N`. They are no files: each table has its own. */

import { ROOT_INO } from "../fs/file_system.ts";
import { fdflags, oflags, rights } from "./constants.ts";
import type { Descriptor, DescriptorTable, FileDescriptor } from "./descriptors.ts";
import { WasiError } from "./errors.ts";

const STREAMS = ["stdin", "stdout", "stderr"];
const NUMBERED = /^(?:dev|proc\/self)\/fd\/(0|[1-9]\d{0,8})$/;

/**
 * The number that a path names; undefined for that of a file.
 *
 * @param at The directory where it starts. @throws {WasiError} ENOENT for one that is not open.
 */
export function namedDescriptor(descriptors: DescriptorTable, path: string, at: number): number | undefined {
  // Of most paths no more than this is looked at.
  if (!path.includes("fd/") && !path.includes("std") || at !== ROOT_INO && !path.startsWith("/")) {
    return undefined;
  }
  const plain = path.split("/").filter((part) => part !== "" && part !== ".").join("/");
  const stream = plain.startsWith("dev/") ? STREAMS.indexOf(plain.slice("dev/".length)) : -1;
  const number = stream >= 0 ? stream : Number(NUMBERED.exec(plain)?.[1] ?? NaN);
  if (Number.isNaN(number)) return undefined;
  const row = descriptors.has(number) ? descriptors.get(number) : undefined;
  // The root is open for the guest's library, which has opened nothing.
  if (!row || row.kind === "file" && row.preopen) throw new WasiError("ENOENT");
  return number;
}

/** What opening a descriptor by its name gives, and how: as Linux has it. */
export interface Wish {
  readonly rights: number;
  readonly open: number;
  readonly flags: number;
}

/**
 * Opens it once more: a file from its start, a stream or a pipe as what it is.
 *
 * @throws {WasiError} EEXIST, ENOTDIR; EACCES for what the descriptor does not allow @throws {FsError}
 */
export function openAgain(descriptors: DescriptorTable, fd: number, wish: Wish): number {
  const row = descriptors.get(fd);
  if ((wish.open & oflags.create) !== 0 && (wish.open & oflags.exclusive) !== 0) {
    throw new WasiError("EEXIST");
  }
  const asDirectory = (wish.open & oflags.directory) !== 0;
  if (asDirectory && (row.kind !== "file" || row.file.stat().type !== "directory")) {
    throw new WasiError("ENOTDIR");
  }
  const reads = (wish.rights & rights.fdRead) !== 0;
  const writes = !asDirectory && (wish.rights & rights.fdWrite) !== 0;
  if (row.kind === "file") return fileAgain(descriptors, row, wish, { read: reads, write: writes });
  if (reads !== writes && reads !== isForReading(row)) throw new WasiError("EACCES");
  return descriptors.copy(fd);
}

function isForReading(row: Exclude<Descriptor, FileDescriptor>): boolean {
  return row.kind === "pipe" ? row.end === "read" : row.stream === "stdin";
}

function fileAgain(
  descriptors: DescriptorTable,
  { file, inheriting }: FileDescriptor,
  { rights: wanted, open, flags }: Wish,
  mode: { readonly read: boolean; readonly write: boolean },
): number {
  const truncates = (open & oflags.truncate) !== 0;
  if (mode.read && !file.mode.read || (mode.write || truncates) && !file.mode.write) {
    throw new WasiError("EACCES");
  }
  const number = descriptors.free();
  const { ino, path } = file;
  const again = descriptors.fs.reopen({ ino, path }, { ...mode, append: (flags & fdflags.append) !== 0 });
  if (truncates) file.truncate(0);
  descriptors.set(number, { kind: "file", file: again, preopen: false, flags, rights: wanted, inheriting });
  return number;
}
