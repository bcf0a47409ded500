/** Imports about descriptors themselves: attributes, positions, sizes, closing. */

import { fdflags, filetype, rights, whence } from "./constants.ts";
import type { WasiCall, WasiContext } from "./context.ts";
import type { Descriptor } from "./descriptors.ts";
import { WasiError } from "./errors.ts";
import { offsetOf } from "./fd_io.ts";
import type { GuestMemory } from "./memory.ts";
import { FILESTAT_BYTES, FILETYPE_AT, filetypeOf, timesToSet, writeFilestat } from "./stat.ts";

const FDSTAT_BYTES = 24;
const PREOPEN = new TextEncoder().encode("/");

export function fdImports({ host, memory, descriptors }: WasiContext): Record<string, WasiCall> {
  return {
    fd_advise(fd: number, _offset: bigint, _length: bigint, advice: number) {
      descriptors.file(fd, "ESPIPE");
      if (advice >>> 0 > 5) throw new WasiError("EINVAL");
    },

    fd_allocate(fd: number, offset: bigint, length: bigint) {
      const { file } = descriptors.file(fd, "ESPIPE");
      if (length === 0n) throw new WasiError("EINVAL");
      const end = offsetOf(offset) + offsetOf(length);
      if (end > file.stat().size) file.truncate(end);
    },

    fd_close: (fd: number) => descriptors.close(fd),

    fd_datasync: (fd: number) => void descriptors.file(fd).file.stat(),

    fd_sync: (fd: number) => void descriptors.file(fd).file.stat(),

    fd_fdstat_get(fd: number, result: number) {
      const descriptor = descriptors.get(fd);
      memory.bytes(result, FDSTAT_BYTES).fill(0);
      memory.setU16(result + 2, descriptor.flags);
      if (descriptor.kind === "pipe") {
        memory.setU8(result, filetype.socketStream);
        const right = descriptor.end === "read" ? rights.fdRead : rights.fdWrite;
        memory.setU64(result + 8, BigInt(right | rights.pollFdReadwrite));
      } else if (descriptor.kind === "stream") {
        memory.setU8(result, filetype.characterDevice);
        memory.setU64(result + 8, BigInt(streamRights(descriptor.stream === "stdin")));
      } else {
        memory.setU8(result, filetypeOf(descriptor.file.stat().type));
        memory.setU64(result + 8, BigInt(descriptor.rights));
        memory.setU64(result + 16, BigInt(descriptor.inheriting));
      }
    },

    fd_fdstat_set_flags(fd: number, flags: number) {
      if ((flags & ~fdflags.all) !== 0) throw new WasiError("EINVAL");
      const descriptor = descriptors.get(fd);
      descriptor.flags = flags;
      if (descriptor.kind === "file") descriptor.file.append = (flags & fdflags.append) !== 0;
    },

    fd_fdstat_set_rights(fd: number, base: bigint, inheriting: bigint) {
      const descriptor = descriptors.file(fd);
      const kept = rightsOf(base);
      const inherited = rightsOf(inheriting);
      if ((kept & ~descriptor.rights) !== 0 || (inherited & ~descriptor.inheriting) !== 0) {
        throw new WasiError("ENOTCAPABLE");
      }
      descriptor.rights = kept;
      descriptor.inheriting = inherited;
    },

    fd_filestat_get(fd: number, result: number) {
      const descriptor = descriptors.get(fd);
      memory.check(result, FILESTAT_BYTES);
      writeDescriptorStat(memory, result, fd, descriptor);
    },

    fd_filestat_set_size(fd: number, size: bigint) {
      const { file, rights: held } = descriptors.file(fd);
      if ((held & rights.fdWrite) === 0) throw new WasiError("EINVAL");
      file.truncate(offsetOf(size));
    },

    fd_filestat_set_times(fd: number, atime: bigint, mtime: bigint, flags: number) {
      const { file } = descriptors.file(fd);
      file.setTimes(timesToSet(atime, mtime, flags, () => host.realtime()));
    },

    fd_prestat_get(fd: number, result: number) {
      if (!isPreopen(fd)) throw new WasiError("EBADF");
      memory.bytes(result, 8).fill(0);
      memory.setU32(result + 4, PREOPEN.length);
    },

    fd_prestat_dir_name(fd: number, pointer: number, length: number) {
      if (!isPreopen(fd)) throw new WasiError("EBADF");
      if (length >>> 0 < PREOPEN.length) throw new WasiError("ENAMETOOLONG");
      memory.bytes(pointer, PREOPEN.length).set(PREOPEN);
    },

    fd_renumber: (from: number, to: number) => descriptors.renumber(from, to),

    fd_seek(fd: number, offset: bigint, origin: number, result: number) {
      const { file } = descriptors.file(fd, "ESPIPE");
      const from = whence[origin >>> 0];
      if (from === undefined) throw new WasiError("EINVAL");
      memory.check(result, 8);
      memory.setU64(result, BigInt(file.seek(Number(offset), from)));
    },

    fd_tell(fd: number, result: number) {
      const { file } = descriptors.file(fd, "ESPIPE");
      memory.check(result, 8);
      memory.setU64(result, BigInt(file.seek(0, "current")));
    },
  };

  function isPreopen(fd: number): boolean {
    const descriptor = descriptors.get(fd);
    return descriptor.kind === "file" && descriptor.preopen;
  }
}

export function writeDescriptorStat(
  memory: GuestMemory,
  result: number,
  fd: number,
  descriptor: Descriptor,
): void {
  if (descriptor.kind === "file") return writeFilestat(memory, result, descriptor.file.stat());
  const stat = { ino: fd, size: 0, mode: 0o600, links: 1, version: 0, atime: 0n, mtime: 0n, ctime: 0n };
  writeFilestat(memory, result, { ...stat, type: "device" });
  if (descriptor.kind === "pipe") memory.setU8(result + FILETYPE_AT, filetype.socketStream);
}

export function rightsOf(value: bigint): number {
  return Number(BigInt.asUintN(32, value)) & rights.all;
}

/** A character device that claims to seek is not a terminal to wasi-libc's isatty, and streams here are none. */
function streamRights(input: boolean): number {
  return (input ? rights.fdRead : rights.fdWrite) | rights.fdSeek | rights.fdTell | rights.pollFdReadwrite;
}
