/**
 * Sizes that both ends of the executor's protocol keep to. Apart from its schemas: a Worker needs these only, and making
 * the schemas would take a tenth of the time in which it starts.
 */

import type { ChangingOperation, WorkspaceOperation } from "./workspace_protocol.ts";

/** Longest message in either direction: 1 MiB of code, or of result and traceback, with JSON's escapes. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** Most that is held of messages, batches and bytes that have begun and not ended, on all channels of a pipe together. */
export const MAX_HELD_BYTES = MAX_MESSAGE_BYTES + 8 * 1024 * 1024;

/** Size that batches of image entries stay below where possible, so that each is one frame. */
export const IMAGE_BATCH_BYTES = 60 * 1024;

/**
 * What a pipe between server and executor holds, where the system lets it be made so wide (Linux: 64 KiB as a rule). One
 * end then goes on while the other is busy, and takes more at a time.
 */
export const PIPE_BYTES = 1024 * 1024;

/** Batches of an image that are written to it at once. */
export const IMAGE_WRITE_BYTES = PIPE_BYTES / 2;

/** Longest batch: one entry, if it is a whole one of the largest. */
export const MAX_IMAGE_BATCH_BYTES = 128 * 1024;

/** Bytes of an image that a Worker sends ahead of what its executor has passed on. */
export const IMAGE_WINDOW_BYTES = 1024 * 1024;

/** Bytes of image frames that may be under way before the server grants more. */
export const BULK_WINDOW_BYTES = 4 * 1024 * 1024;

/** Most entries of one listing. */
export const MAX_LISTED = 1000;

/** Most bytes that the paths of one listing have as JSON, which may take six for a character. */
export const MAX_LISTED_BYTES = 1024 * 1024;

/** Characters of a document's text. */
export const MAX_DOCUMENT_TEXT = 1024 * 1024;

/** Variables that are told of each language, and characters of their names, types and values. */
export const MAX_VARIABLES = 100;
export const MAX_VARIABLE_TEXT = 200;

/** Parts of an image whose loss is told, and characters that are told of each. */
export const MAX_LOSSES = 16;
export const MAX_LOSS_NAME = 40;
export const MAX_LOSS_REASON = 300;

/** Packages that an outcome names as installed. */
export const MAX_INSTALLED = 200;

/** Characters of a package's name, of a version, and of why no newer one was taken. */
export const MAX_PACKAGE_NAME = 200;
export const MAX_VERSION = 200;
export const MAX_BECAUSE = 800;

const CHANGING: Readonly<Record<ChangingOperation["kind"], true>> = {
  reset: true,
  write: true,
  delete: true,
  move: true,
  mkdir: true,
};

export function changesWorkspace({ kind }: WorkspaceOperation): boolean {
  return Object.hasOwn(CHANGING, kind);
}
