/** Imports that take paths. All of the tree is open to the guest; beside it only descriptors have names. */

import { fdflags, lookupflags, oflags, rights } from "./constants.ts";
import type { WasiCall, WasiContext } from "./context.ts";
import { namedDescriptor, openAgain } from "./devices.ts";
import { WasiError } from "./errors.ts";
import { rightsOf, writeDescriptorStat } from "./fd.ts";
import { FILESTAT_BYTES, timesToSet, writeFilestat } from "./stat.ts";

const encoder = new TextEncoder();

export function pathImports(context: WasiContext): Record<string, WasiCall> {
  const { host, memory, descriptors } = context;
  const { fs } = host;
  const at = (fd: number) => ({ at: descriptors.directory(fd) });

  return {
    path_create_directory(fd: number, path: number, length: number) {
      fs.mkdir(memory.path(path, length), at(fd));
    },

    path_filestat_get(fd: number, flags: number, path: number, length: number, result: number) {
      memory.check(result, FILESTAT_BYTES);
      const text = memory.path(path, length);
      const start = descriptors.directory(fd);
      const named = host.sharesStreams ? undefined : namedDescriptor(descriptors, text, start);
      if (named !== undefined) return writeDescriptorStat(memory, result, named, descriptors.get(named));
      const stat = fs.stat(text, { at: start, follow: follows(flags) });
      writeFilestat(memory, result, stat);
    },

    path_filestat_set_times(
      fd: number,
      flags: number,
      path: number,
      length: number,
      atime: bigint,
      mtime: bigint,
      which: number,
    ) {
      const times = timesToSet(atime, mtime, which, () => host.realtime());
      fs.setTimes(memory.path(path, length), times, { ...at(fd), follow: follows(flags) });
    },

    path_link(
      fromFd: number,
      flags: number,
      from: number,
      fromLength: number,
      toFd: number,
      to: number,
      toLength: number,
    ) {
      fs.link(memory.path(from, fromLength), memory.path(to, toLength), {
        from: { ...at(fromFd), follow: follows(flags) },
        to: at(toFd),
      });
    },

    path_open(
      fd: number,
      lookup: number,
      path: number,
      length: number,
      open: number,
      baseRights: bigint,
      inheritingRights: bigint,
      flags: number,
      result: number,
    ) {
      openPath(context, { fd, lookup, path, length, open, baseRights, inheritingRights, flags, result });
    },

    path_readlink(
      fd: number,
      path: number,
      length: number,
      buffer: number,
      bufferLength: number,
      result: number,
    ) {
      const target = memory.bytes(buffer, bufferLength);
      memory.check(result, 4);
      const link = encoder.encode(fs.readlink(memory.path(path, length), at(fd))).subarray(0, target.length);
      target.set(link);
      memory.setU32(result, link.length);
    },

    path_remove_directory(fd: number, path: number, length: number) {
      fs.rmdir(memory.path(path, length), at(fd));
    },

    path_rename(
      fromFd: number,
      from: number,
      fromLength: number,
      toFd: number,
      to: number,
      toLength: number,
    ) {
      fs.rename(memory.path(from, fromLength), memory.path(to, toLength), { from: at(fromFd), to: at(toFd) });
    },

    path_symlink(target: number, targetLength: number, fd: number, path: number, length: number) {
      fs.symlink(memory.path(target, targetLength), memory.path(path, length), at(fd));
    },

    path_unlink_file(fd: number, path: number, length: number) {
      fs.unlink(memory.path(path, length), at(fd));
    },
  };
}

/** Arguments of `path_open`, and the mode of a file that it makes. */
export interface PathOpen {
  readonly fd: number;
  readonly lookup: number;
  readonly path: number;
  readonly length: number;
  readonly open: number;
  readonly baseRights: bigint;
  readonly inheritingRights: bigint;
  readonly flags: number;
  readonly mode?: number;
  readonly result: number;
}

/** @throws {WasiError | FsError} */
export function openPath({ host, memory, descriptors }: WasiContext, call: PathOpen): void {
  const { fd, lookup, path, length, open, baseRights, inheritingRights, flags, mode, result } = call;
  if ((open & ~oflags.all) !== 0 || (flags & ~fdflags.all) !== 0) throw new WasiError("EINVAL");
  memory.check(result, 4);
  const parent = descriptors.file(fd, "ENOTDIR");
  const base = rightsOf(baseRights) & parent.inheriting;
  const text = memory.path(path, length);
  const at = descriptors.directory(fd);
  const named = host.sharesStreams ? undefined : namedDescriptor(descriptors, text, at);
  if (named !== undefined) {
    memory.setU32(result, openAgain(descriptors, named, { rights: base, open, flags }));
    return;
  }
  const number = descriptors.free();
  const directory = (open & oflags.directory) !== 0;
  const append = (flags & fdflags.append) !== 0;
  const file = host.fs.open(text, {
    at,
    follow: follows(lookup),
    read: (base & rights.fdRead) !== 0,
    // Rights are what may be done, not what is wanted: all of them are often given for a directory.
    write: !directory && (base & rights.fdWrite) !== 0,
    append,
    create: (open & oflags.create) !== 0,
    directory,
    exclusive: (open & oflags.exclusive) !== 0,
    truncate: (open & oflags.truncate) !== 0,
    ...(mode !== undefined && { mode }),
  });
  descriptors.set(number, {
    kind: "file",
    file,
    preopen: false,
    flags,
    rights: base,
    inheriting: rightsOf(inheritingRights) & parent.inheriting,
  });
  memory.setU32(result, number);
}

export function follows(flags: number): boolean {
  return (flags & lookupflags.symlinkFollow) !== 0;
}
