/**
 * The module `posix`: what POSIX has and preview1 has not, for wasm/python/posix/posix.c: modes, copies of descriptors,
 * pipes. Each call answers with an error number of WASI's.
 */

import type { WasiCall, WasiContext } from "./context.ts";
import { rights } from "./constants.ts";
import { follows, openPath } from "./path.ts";

const MODE_BITS = 0o7777;

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
