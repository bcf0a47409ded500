/** What a file operation failed of, for the caller. */

import { type ErrorCode, WasmboxError } from "../errors.ts";
import type { WorkspaceAnswer } from "../executor/wire/workspace_protocol.ts";

type Failure = Extract<WorkspaceAnswer, { kind: "failed" }>;

interface Explanation {
  readonly code: ErrorCode;
  /** Said of the path. */
  readonly what: string;
  readonly suggestion?: string;
  readonly retryable?: boolean;
}

const NOT_THERE: Explanation = {
  code: "FILE_NOT_FOUND",
  what: "does not exist",
  suggestion: "list_files shows what is there; relative paths start at /app.",
};
const BAD_PATH = "A path has names of at most 255 bytes, 4096 in all, and no NUL characters.";
const NOT_WRITABLE: Explanation = {
  code: "PATH_NOT_WRITABLE",
  what: "can't be changed: it belongs to the system, or to a volume that is read-only",
  suggestion: "Write below /app.",
};

const EXPLANATIONS: Record<Failure["code"], Explanation> = {
  ENOENT: NOT_THERE,
  ESTALE: NOT_THERE,
  EEXIST: {
    code: "FILE_EXISTS",
    what: "exists already",
    suggestion: "Choose another path, or say that it may be overwritten.",
  },
  CHANGED: {
    code: "FILE_CHANGED",
    what: "is not what was expected to be there",
    suggestion: "Look at it again, then decide.",
  },
  UPLOAD: {
    code: "EXECUTOR_LOST",
    what: "was not written: the process that held what had arrived of it was lost",
    suggestion: "Send it again.",
    retryable: true,
  },
  EISDIR: {
    code: "NOT_A_FILE",
    what: "is a directory",
    suggestion: "list_files shows what is in it; give the path of a file.",
  },
  EINVAL: {
    code: "INVALID_PATH",
    what: "can't be used for this: it is no regular file, would be moved into itself, or has a NUL character",
  },
  EPERM: { code: "INVALID_PATH", what: "can't be used for this" },
  ENOTDIR: {
    code: "NOT_A_DIRECTORY",
    what: "is not in a directory, or is not a directory: some part of the path is a file",
    suggestion: "Look at the directories with list_files.",
  },
  ENOTEMPTY: {
    code: "DIRECTORY_NOT_EMPTY",
    what: "is a directory that is not empty",
    suggestion: "Say that it is to be deleted recursively, or delete what is in it first.",
  },
  ELOOP: {
    code: "INVALID_PATH",
    what: "leads through too many symbolic links, or in a circle",
    suggestion: "Delete the link, or use the path of the file itself.",
  },
  ENAMETOOLONG: { code: "INVALID_PATH", what: "is too long or too deep", suggestion: BAD_PATH },
  EILSEQ: { code: "INVALID_PATH", what: "is not valid Unicode", suggestion: BAD_PATH },
  EXDEV: {
    code: "PATH_NOT_WRITABLE",
    what: "can't be moved there: a file moves only within the session's own files, or within one volume",
    suggestion: "Write a copy there and delete the original.",
  },
  EROFS: NOT_WRITABLE,
  EACCES: {
    code: "PATH_NOT_ACCESSIBLE",
    what:
      "is not accessible: the host does not permit it, it is no regular file, or a link that leads out of its volume",
  },
  EBUSY: {
    code: "PATH_NOT_WRITABLE",
    what: "can't be moved or deleted: programs need it",
    suggestion: "Delete what is in it, or call reset_workspace.",
  },
  EIO: {
    code: "VOLUME_UNAVAILABLE",
    what: "could not be reached on the host, or not in time",
    retryable: true,
  },
  EOVERFLOW: { code: "FILE_TOO_LARGE", what: "has too many entries to be listed" },
  EFBIG: { code: "FILE_TOO_LARGE", what: "would be too large" },
  ENOSPC: {
    code: "WORKSPACE_FULL",
    what: "was not written: the workspace, or its volume, may not hold so much",
    suggestion: "Delete files that are no longer needed; get_workspace_info tells what is used and allowed.",
  },
  EMLINK: { code: "WORKSPACE_FULL", what: "has too many names" },
  EMFILE: { code: "WORKSPACE_FULL", what: "can't be opened: too many files are open" },
  EBADF: { code: "INVALID_PATH", what: "can't be used for this" },
  ESPIPE: { code: "INVALID_PATH", what: "can't be used for this" },
  PATTERN: { code: "INVALID_ARGUMENTS", what: "" },
  TOO_LARGE: {
    code: "FILE_TOO_LARGE",
    what: "can't be told of in one answer",
    suggestion: "Ask for less at a time.",
  },
};

/** @param path As the caller gave it. */
export function fileError({ code, message }: Failure, path: string): WasmboxError {
  const { code: errorCode, what, suggestion, retryable } = EXPLANATIONS[code];
  const shown = path.length > 200 ? `${path.slice(0, 200)}…` : path;
  return new WasmboxError(
    errorCode,
    code === "PATTERN" ? `Bad pattern: ${message}.` : `"${shown}" ${what}.`,
    {
      ...(suggestion !== undefined && { suggestions: [suggestion] }),
      ...(code !== "PATTERN" && { context: { path: shown } }),
      ...(retryable !== undefined && { retryable }),
    },
  );
}
