/** The executable that `deno task compile` made, for scripts that measure it. */

import { join } from "node:path";
import { dist, repository } from "./assets/paths.ts";

/** What it is made of: if one of these is younger it is another program than the one that lies here. */
const MADE_OF = ["main.ts", "deno.json", "deno.lock", "src"].map((name) => join(repository, name))
  .concat(join(dist, "manifest.json"));

/**
 * Its path; undefined if there is none.
 *
 * @throws {Error} if it is older than what it is made of: figures of it would be told of what is here now.
 */
export async function builtExecutable(): Promise<string | undefined> {
  const path = join(repository, "dist", "wasmbox");
  const made = await modified(path);
  if (made === undefined) return undefined;
  for (const name of MADE_OF) {
    const newer = await newerThan(made, name);
    if (newer !== undefined) {
      throw new Error(`${path} is older than ${newer}: deno task compile makes it anew`);
    }
  }
  return path;
}

/** A file that was changed later, among those below a path. */
async function newerThan(time: number, path: string): Promise<string | undefined> {
  const { isDirectory, mtime } = await Deno.stat(path);
  if (!isDirectory) return (mtime?.getTime() ?? 0) > time ? path : undefined;
  for await (const { name, isSymlink } of Deno.readDir(path)) {
    if (isSymlink || name === "node_modules") continue;
    const newer = await newerThan(time, join(path, name));
    if (newer !== undefined) return newer;
  }
  return undefined;
}

async function modified(path: string): Promise<number | undefined> {
  try {
    return (await Deno.stat(path)).mtime?.getTime();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
