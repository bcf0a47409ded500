/** Where the build reads and writes. */

import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The checkout. */
export const repository: string = fileURLToPath(new URL("../..", import.meta.url));

/** The built assets; not in git. */
export const dist: string = join(repository, "wasm", "dist");

/**
 * The user's cache directory of this project: build roots, stages, downloads.
 *
 * @see https://specifications.freedesktop.org/basedir-spec/latest/
 */
export function cacheDirectory(): string {
  const base = Deno.env.get("XDG_CACHE_HOME") || join(Deno.env.get("HOME") ?? "/root", ".cache");
  return join(base, "wasmbox");
}
