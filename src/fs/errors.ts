/** Errors of the file system: POSIX codes, so that every language can map them to its own. */

const MESSAGES = {
  EACCES: "permission denied",
  EBADF: "bad file descriptor",
  EBUSY: "resource busy",
  EEXIST: "file exists",
  EFBIG: "file too large",
  EILSEQ: "invalid byte sequence",
  EINVAL: "invalid argument",
  EIO: "input/output error",
  EISDIR: "is a directory",
  ELOOP: "too many symbolic links",
  EMFILE: "too many open files",
  EMLINK: "too many links",
  ENAMETOOLONG: "file name too long",
  ENOENT: "no such file or directory",
  ENOSPC: "no space left on device",
  ENOTDIR: "not a directory",
  ENOTEMPTY: "directory not empty",
  EOVERFLOW: "value too large",
  EPERM: "operation not permitted",
  EROFS: "read-only file system",
  ESPIPE: "illegal seek",
  ESTALE: "stale file handle",
  EXDEV: "cross-device link",
} as const;

/** A POSIX error name that the file system can answer with. */
export type FsErrorCode = keyof typeof MESSAGES;

export const FS_ERROR_CODES = Object.keys(MESSAGES) as [FsErrorCode, ...FsErrorCode[]];

/** A file operation that failed. The file system is as it was before the operation. */
export class FsError extends Error {
  override name = "FsError";

  /** @param path What the caller asked for; empty where an open file, not a path, was used. */
  constructor(readonly code: FsErrorCode, readonly path = "") {
    super(path === "" ? `${code}: ${MESSAGES[code]}` : `${code}: ${MESSAGES[code]}, '${path}'`);
  }
}
