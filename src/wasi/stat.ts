/** File attributes as WASI lays them out. */

import { isOfSystem, type Stat } from "../fs/file_system.ts";
import { filetype, fstflags } from "./constants.ts";
import { WasiError } from "./errors.ts";
import type { GuestMemory } from "./memory.ts";

export const FILESTAT_BYTES = 64;
export const FILETYPE_AT = 16;
/** The user of the sandbox, and its group; posix.c knows it too. */
const USER = 1000;

export function filetypeOf(type: Stat["type"]): number {
  return type === "device" ? filetype.characterDevice : filetype[type];
}

export function writeFilestat(memory: GuestMemory, pointer: number, stat: Stat): void {
  memory.bytes(pointer, FILESTAT_BYTES).fill(0);
  memory.setU64(pointer, 1n);
  memory.setU64(pointer + 8, BigInt(stat.ino));
  memory.setU8(pointer + FILETYPE_AT, filetypeOf(stat.type));
  // What WASI has no fields for goes into the padding: wasm/python/posix/posix.c reads it there.
  memory.setU16(pointer + 20, stat.mode);
  memory.setU16(pointer + 22, isOfSystem(stat.ino) ? 0 : USER);
  memory.setU64(pointer + 24, BigInt(stat.links));
  memory.setU64(pointer + 32, BigInt(stat.size));
  memory.setU64(pointer + 40, BigInt.asUintN(64, stat.atime));
  memory.setU64(pointer + 48, BigInt.asUintN(64, stat.mtime));
  memory.setU64(pointer + 56, BigInt.asUintN(64, stat.ctime));
}

/** The times a guest asks to set. @throws {WasiError} EINVAL */
export function timesToSet(
  atime: bigint,
  mtime: bigint,
  flags: number,
  now: () => bigint,
): { atime?: bigint; mtime?: bigint } {
  const both = (one: number, other: number) => (flags & one) !== 0 && (flags & other) !== 0;
  if (
    (flags & ~fstflags.all) !== 0 || both(fstflags.atime, fstflags.atimeNow) ||
    both(fstflags.mtime, fstflags.mtimeNow)
  ) throw new WasiError("EINVAL");
  const times: { atime?: bigint; mtime?: bigint } = {};
  if (flags & fstflags.atime) times.atime = BigInt.asUintN(64, atime);
  if (flags & fstflags.atimeNow) times.atime = now();
  if (flags & fstflags.mtime) times.mtime = BigInt.asUintN(64, mtime);
  if (flags & fstflags.mtimeNow) times.mtime = now();
  return times;
}
