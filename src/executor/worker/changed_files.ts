/** What an execution did to the user's files. */

import type { FileSystem, Snapshot } from "../../fs/file_system.ts";
import { WORKING_DIRECTORY } from "../../fs/places.ts";
import { isLitter } from "../../litter.ts";
import type { ChangedFiles } from "../wire/from_executor.ts";

/** Most files that are told of. */
export const MAX_CHANGED_FILES = 100;

const PREFIX = `${WORKING_DIRECTORY}/`;

/**
 * The files and links below /app that came, went or changed; at the price of what changed. What is elsewhere is
 * scratch, and so is the litter of interpreters and tools.
 *
 * @param before The state to compare the present one with.
 */
export function changedFiles(fs: FileSystem, before: Snapshot): ChangedFiles {
  const changes = fs.diff(before, fs.snapshot(), {
    limit: MAX_CHANGED_FILES + 1,
    directories: false,
    wanted: (path) => (path === WORKING_DIRECTORY || path.startsWith(PREFIX)) && !isLitter(path),
  });
  const files = changes.slice(0, MAX_CHANGED_FILES).map(({ path, change, type, size }) => ({
    path: path.slice(PREFIX.length),
    change,
    type: type === "symlink" ? "symlink" as const : "file" as const,
    size,
  }));
  return { files, truncated: changes.length > MAX_CHANGED_FILES };
}

/** Of an execution that left no trace. */
export const NO_CHANGED_FILES: ChangedFiles = { files: [], truncated: false };
