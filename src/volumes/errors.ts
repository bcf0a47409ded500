/** What the host's file system fails of, as guests may know it: a code, never a path. */

import { FS_ERROR_CODES, FsError, type FsErrorCode } from "../fs/errors.ts";

const CODES: ReadonlySet<string> = new Set(FS_ERROR_CODES);

/** Codes that mean the same to a guest. */
const SAME: Readonly<Record<string, FsErrorCode>> = { EDQUOT: "ENOSPC", ENXIO: "EACCES", ETXTBSY: "EBUSY" };

export function codeOf(error: unknown): FsErrorCode {
  if (error instanceof FsError) return error.code;
  const code = (error as { code?: unknown } | undefined)?.code;
  if (typeof code === "string" && CODES.has(code)) return code as FsErrorCode;
  if (typeof code === "string" && Object.hasOwn(SAME, code)) return SAME[code]!;
  if (error instanceof Deno.errors.NotFound) return "ENOENT";
  if (error instanceof Deno.errors.AlreadyExists) return "EEXIST";
  if (error instanceof Deno.errors.PermissionDenied || error instanceof Deno.errors.NotCapable) {
    return "EACCES";
  }
  if (error instanceof Deno.errors.NotADirectory) return "ENOTDIR";
  if (error instanceof Deno.errors.IsADirectory) return "EISDIR";
  if (error instanceof Deno.errors.FilesystemLoop) return "ELOOP";
  return "EIO";
}
