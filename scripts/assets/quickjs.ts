/** QuickJS-ng's wasm, out of the npm package that wraps it. */

import { join } from "node:path";
import { AssetsError } from "./errors.ts";
import { repository } from "./paths.ts";
import { run } from "./process.ts";
import { QUICKJS } from "./recipe.ts";

/** The folder of the package in Deno's npm cache; it is downloaded (and checked against deno.lock) if it is missing. */
export async function quickjsPackage(): Promise<string> {
  const id = `${QUICKJS.name}@${QUICKJS.version}`;
  const specifier = `npm:${id}`;
  const config = ["--config", join(repository, "deno.json")];
  const deno = Deno.execPath();
  await run("downloading QuickJS", { argv: [deno, "cache", "--quiet", ...config, specifier] });
  const listing = await run("locating QuickJS", { argv: [deno, "info", "--json", ...config, specifier] });
  const { npmPackages } = JSON.parse(listing) as { npmPackages?: Record<string, { localPath?: string }> };
  const path = npmPackages?.[id]?.localPath;
  if (path === undefined) throw new AssetsError(`locating QuickJS: deno info knows no ${id}`);
  return path;
}

/** The wasm file. @param directory What {@link quickjsPackage} gave. */
export function quickjsPath(directory: string): string {
  return join(directory, "dist", "emscripten-module.wasm");
}
