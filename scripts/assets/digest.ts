/** Digests that name what a stage was made from. */

import { createHash } from "node:crypto";
import { join } from "node:path";

/** Lower-case hex SHA-256. */
export function sha256(bytes: Uint8Array | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** One digest of named values. Their order does not matter; no two different sets run together. */
export function digestOf(values: Readonly<Record<string, string>>): string {
  const entries = Object.entries(values).sort(([a], [b]) => a < b ? -1 : 1);
  return sha256(JSON.stringify(entries));
}

/**
 * The files among `paths` and below those that are directories, relative to `base`, sorted. What does not exist has no
 * files: the parts of the recipe are written one after another.
 */
export async function filesBelow(base: string, paths: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  async function visit(path: string): Promise<void> {
    const info = await Deno.stat(join(base, path)).catch((error) => {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw error;
    });
    if (info?.isFile) found.push(path);
    if (!info?.isDirectory) return;
    for await (const entry of Deno.readDir(join(base, path))) await visit(`${path}/${entry.name}`);
  }
  for (const path of paths) await visit(path);
  return [...new Set(found)].sort();
}

/** Path and SHA-256 of every file, for {@link digestOf}. Tests beside the code are no part of a recipe. */
export async function digestFiles(base: string, paths: readonly string[]): Promise<Record<string, string>> {
  const files = (await filesBelow(base, paths)).filter((path) => !/_test\.ts$|\.md$|__pycache__/.test(path));
  const digests = await Promise.all(
    files.map(async (path) => [path, sha256(await Deno.readFile(join(base, path)))] as const),
  );
  return Object.fromEntries(digests);
}
