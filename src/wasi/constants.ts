/** Numbers of WASI preview1 (`wasi_snapshot_preview1.witx`). */

export const errno = {
  SUCCESS: 0,
  EACCES: 2,
  EAGAIN: 6,
  EBADF: 8,
  EBUSY: 10,
  EDEADLK: 16,
  EEXIST: 20,
  EFAULT: 21,
  EFBIG: 22,
  EILSEQ: 25,
  EINTR: 27,
  EINVAL: 28,
  EIO: 29,
  EISDIR: 31,
  ELOOP: 32,
  EMFILE: 33,
  EMLINK: 34,
  ENAMETOOLONG: 37,
  ENOENT: 44,
  ENOSPC: 51,
  ENOTDIR: 54,
  ENOTEMPTY: 55,
  ENOTSUP: 58,
  EOVERFLOW: 61,
  EPERM: 63,
  EPIPE: 64,
  EROFS: 69,
  ESPIPE: 70,
  ESTALE: 72,
  EXDEV: 75,
  ENOTCAPABLE: 76,
} as const;

export type ErrnoName = keyof typeof errno;

export const filetype = {
  unknown: 0,
  characterDevice: 2,
  directory: 3,
  file: 4,
  socketStream: 6,
  symlink: 7,
} as const;

export const rights = {
  fdRead: 1 << 1,
  fdSeek: 1 << 2,
  fdTell: 1 << 5,
  fdWrite: 1 << 6,
  pollFdReadwrite: 1 << 27,
  all: (1 << 30) - 1,
} as const;

export const fdflags = { append: 1, dsync: 2, nonblock: 4, rsync: 8, sync: 16, all: 31 } as const;

export const oflags = { create: 1, directory: 2, exclusive: 4, truncate: 8, all: 15 } as const;

export const lookupflags = { symlinkFollow: 1 } as const;

export const fstflags = { atime: 1, atimeNow: 2, mtime: 4, mtimeNow: 8, all: 15 } as const;

export const whence = ["start", "current", "end"] as const;

export const clock = { realtime: 0, monotonic: 1, processCpu: 2, threadCpu: 3 } as const;

export const eventtype = { clock: 0, fdRead: 1, fdWrite: 2 } as const;

export const subclockflags = { absolute: 1 } as const;

export const eventrwflags = { hangup: 1 } as const;
