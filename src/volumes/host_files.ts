/**
 * Files of the host, opened so that a symlink never leads to them.
 *
 * The platform can't be told to refuse symlinks while it opens a file. So the file that was opened is compared with what
 * a path without any symlink leads to, afterwards: only then something is read or written. Pipes, sockets and devices
 * are never opened; opening a pipe would wait for its other end.
 */

import type { WireStat } from "../host_calls/volume.ts";
import { FsError } from "../fs/errors.ts";
import { SMALL_FILE_BYTES } from "../fs/mounts/seen.ts";

/** Small files that are open for one request: a process may not have many. */
const OPEN_AT_ONCE = 8;

/** A file, and what it was when it was opened. */
export interface OpenedFile extends Disposable {
  readonly file: Deno.FsFile;
  readonly stat: Deno.FileInfo;
}

/** A file that is probably small, as it was seen. */
interface SmallFile {
  /** As {@link openFile} takes it; undefined if there is none. */
  readonly path: string | undefined;
  readonly version: number;
}

/** @param path Absolute, and so far known to have no symlinks above its last name. */
export async function openFile(path: string, id: number | null, write: boolean): Promise<OpenedFile> {
  const before = await Deno.lstat(path);
  checkFile(before);
  if (id !== null && idOf(before) !== id) throw new FsError("ESTALE");
  const file = await Deno.open(path, { read: !write, write });
  try {
    const [stat, now] = await Promise.all([file.stat(), Deno.lstat(path), checkStraight(path)]);
    if (!isSame(stat, before) || !isSame(stat, now)) throw new FsError("ELOOP");
    return { file, stat, [Symbol.dispose]: () => file.close() };
  } catch (error) {
    file.close();
    throw error;
  }
}

/** @throws {FsError} ELOOP, if there is a symlink in an existing path. */
export async function checkStraight(path: string): Promise<void> {
  if (await Deno.realPath(path) !== path) throw new FsError("ELOOP");
}

/** @throws {FsError} EISDIR, ELOOP, EACCES, if it is no regular file. */
export function checkFile(stat: Deno.FileInfo): void {
  if (stat.isSymlink) throw new FsError("ELOOP");
  if (stat.isDirectory) throw new FsError("EISDIR");
  if (!stat.isFile) throw new FsError("EACCES");
}

/** Bytes from `position` on; fewer at the end of the file as it was when it was opened. */
export async function readPiece(
  { file, stat }: OpenedFile,
  position: number,
  length: number,
): Promise<Uint8Array> {
  // A file without a size may still have contents: those of the system's own have none.
  const rest = stat.size === 0 ? length : Math.max(0, stat.size - position);
  const bytes = new Uint8Array(Math.min(length, rest));
  if (position > 0) await file.seek(position, Deno.SeekMode.Start);
  let done = 0;
  while (done < bytes.length) {
    const count = await file.read(bytes.subarray(done));
    if (count === null) break;
    done += count;
  }
  return bytes.subarray(0, done);
}

/**
 * Contents of small files, in their order; none of one that is not of that version, can't be read or is not small.
 */
export async function readSmall(
  files: readonly SmallFile[],
): Promise<(Uint8Array | undefined)[]> {
  const read: (Uint8Array | undefined)[] = [];
  for (let at = 0; at < files.length; at += OPEN_AT_ONCE) {
    read.push(...await Promise.all(files.slice(at, at + OPEN_AT_ONCE).map(readOneSmall)));
  }
  return read;
}

async function readOneSmall({ path, version }: SmallFile): Promise<Uint8Array | undefined> {
  if (path === undefined) return undefined;
  try {
    using opened = await openFile(path, null, false);
    if (versionOf(opened.stat) !== version || opened.stat.size > SMALL_FILE_BYTES) return undefined;
    const bytes = await readPiece(opened, 0, SMALL_FILE_BYTES + 1);
    return bytes.length > SMALL_FILE_BYTES ? undefined : bytes;
  } catch {
    return undefined; // whoever reads it is told why
  }
}

export async function writePiece(file: Deno.FsFile, position: number, bytes: Uint8Array): Promise<void> {
  await file.seek(position, Deno.SeekMode.Start);
  for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
}

export function typeOf(stat: Pick<Deno.FileInfo, "isFile" | "isDirectory" | "isSymlink">): WireStat["type"] {
  if (stat.isSymlink) return "symlink";
  return stat.isFile ? "file" : stat.isDirectory ? "directory" : "other";
}

/** @param writable Whether sessions may write to it: what the host permits beyond that is not told. */
export function wireStat(stat: Deno.FileInfo, writable: boolean): WireStat {
  // A date that the platform can't tell is one that JSON can't.
  const time = (date: Date | null) => date?.getTime() || 0;
  const type = typeOf(stat);
  const allowed = type === "directory" ? 0o755 : 0o755 & (stat.mode ?? 0o644) | 0o444;
  return {
    type,
    size: stat.size,
    mode: writable ? allowed | 0o200 : allowed & 0o555,
    links: Math.max(1, stat.nlink ?? 1),
    atime: time(stat.atime),
    mtime: time(stat.mtime),
    ctime: time(stat.ctime ?? stat.mtime),
    id: idOf(stat),
    version: versionOf(stat),
  };
}

export function idOf({ dev, ino }: Deno.FileInfo): number {
  return hash(`${dev} ${ino}`);
}

export function versionOf({ dev, ino, size, mtime, ctime }: Deno.FileInfo): number {
  return hash(`${dev} ${ino} ${size} ${mtime?.getTime()} ${ctime?.getTime()}`);
}

function isSame(one: Deno.FileInfo, other: Deno.FileInfo): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

/** 52 bits; the host's own numbers are nobody's business. */
function hash(text: string): number {
  let [a, b] = [0x9e3779b9, 0x85ebca6b];
  for (let at = 0; at < text.length; at++) {
    a = Math.imul(a ^ text.charCodeAt(at), 0x01000193);
    b = Math.imul(b ^ text.charCodeAt(at), 0x5bd1e995);
    b ^= b >>> 15;
  }
  a ^= a >>> 13;
  return (a >>> 0) * 2 ** 20 + (b >>> 12);
}
