/** Paths of a session's files, as far as one was typed. */

import { WasmboxError } from "../errors.ts";
import type { Session } from "../session/session.ts";

/** One more than a completion may hold, so that it is known that there are more. */
const MAX_PATHS = 101;

/**
 * What is in the directory that was typed, and begins as what was typed of its name. Directories end in a slash. Nothing
 * while code runs in the session: who types can't wait for it.
 */
export async function pathsLike(session: Session | undefined, typed: string): Promise<string[]> {
  if (!session || session.busy || typed.includes("\0")) return [];
  const directory = typed.slice(0, typed.lastIndexOf("/") + 1);
  const name = typed.slice(directory.length).replace(/[*?[\]{}\\]/g, "\\$&");
  try {
    const { entries } = await session.files.list(`./${directory}`, { pattern: `${name}*`, limit: MAX_PATHS });
    return entries.map(({ path, type }) => directory + path + (type === "directory" ? "/" : ""));
  } catch (error) {
    if (error instanceof WasmboxError) return []; // there is no such directory
    throw error;
  }
}
