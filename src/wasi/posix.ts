/**
 * The module `posix`: what POSIX has and preview1 has not, for wasm/python/posix/posix.c: modes, copies of descriptors,
 * pipes. Each call answers with an error number of WASI's.
 */

import type { WasiCall, WasiContext } from "./context.ts";
import { rights } from "./constants.ts";
import { WasiError } from "./errors.ts";
import { follows, openPath } from "./path.ts";

const MODE_BITS = 0o7777;
/** As `fcntl` numbers them; what comes after is none. */
const LOCK_MODES = ["shared", "exclusive"] as const;
const UNLOCKED = 2;
const PROBE = 16;

export function posixImports(context: WasiContext): Record<string, WasiCall> {
  const { host, memory, descriptors } = context;
  const { fs } = host;

  return {
    path_open(
      fd: number,
      lookup: number,
      path: number,
      length: number,
      open: number,
      baseRights: bigint,
      flags: number,
      mode: number,
      result: number,
    ) {
      const inheritingRights = BigInt(rights.all);
      openPath(context, {
        fd,
        lookup,
        path,
        length,
        open,
        baseRights,
        inheritingRights,
        flags,
        mode: mode & MODE_BITS,
        result,
      });
    },

    path_create_directory(fd: number, path: number, length: number, mode: number) {
      fs.mkdir(memory.path(path, length), { at: descriptors.directory(fd), mode: mode & MODE_BITS });
    },

    path_chmod(fd: number, lookup: number, path: number, length: number, mode: number) {
      const follow = follows(lookup);
      fs.chmod(memory.path(path, length), mode & MODE_BITS, { at: descriptors.directory(fd), follow });
    },

    fd_chmod(fd: number, mode: number) {
      descriptors.file(fd).file.chmod(mode & MODE_BITS);
    },

    fd_dup(fd: number, result: number) {
      memory.check(result, 4);
      memory.setU32(result, descriptors.copy(fd));
    },

    fd_dup2: (from: number, to: number) => descriptors.copyTo(from, to),

    fd_pipe(result: number) {
      memory.check(result, 8);
      const [from, to] = descriptors.openPipe();
      memory.setU32(result, from);
      memory.setU32(result + 4, to);
    },

    /**
     * A lock of a file: of all of it, where `whole` is not 0, which the description has; or of a range (a length of 0: to the end),
     * which a part of the process has.
     *
     * @param mode 0: shared; 1: exclusive; 2: none. With `PROBE`: it is only asked for.
     * @param result Gets the mode of what keeps it from that; 2: nothing does.
     */
    fd_lock(
      fd: number,
      whole: number,
      part: number,
      mode: number,
      start: bigint,
      length: bigint,
      result: number,
    ) {
      const { file } = descriptors.file(fd);
      memory.check(result, 4);
      const table = whole ? descriptors.locks.files : descriptors.locks.ranges;
      const owner = whole ? { of: file, part: 0 } : { of: descriptors, part };
      const first = whole ? 0 : Number(start);
      if (first < 0 || length < 0n) throw new WasiError("EINVAL");
      const end = whole || length === 0n ? Infinity : first + Number(length);
      const wanted = LOCK_MODES[mode & ~PROBE];
      memory.setU32(result, UNLOCKED);
      if (!wanted) {
        if (!(mode & PROBE)) table.release(file.ino, owner, { start: first, end });
        return;
      }
      const lock = { owner, mode: wanted, start: first, end };
      const other = table.conflict(file.ino, lock);
      if (mode & PROBE) return other && memory.setU32(result, LOCK_MODES.indexOf(other.mode));
      if (!other && table.take(file.ino, lock)) return;
      memory.setU32(result, LOCK_MODES.indexOf(other?.mode ?? "exclusive"));
      throw new WasiError("EAGAIN");
    },

    /** What is there and what is free of it: bytes, then inodes. */
    space(result: number) {
      memory.check(result, 32);
      const { maxBytes, maxInodes } = fs.quota;
      const { bytes, inodes } = fs.usage;
      const numbers = [maxBytes, Math.max(0, maxBytes - bytes), maxInodes, Math.max(0, maxInodes - inodes)];
      numbers.forEach((number, at) => memory.setU64(result + 8 * at, BigInt(Math.floor(number))));
    },
  };
}
