/** Wasm files out of npm packages. */

import { join } from "node:path";
import { AssetsError } from "./errors.ts";
import { repository } from "./paths.ts";
import { run } from "./process.ts";

/** A package of deno.lock, and the wasm file in it. */
export interface NpmWasm {
  readonly name: string;
  readonly version: string;
  readonly file: string;
}

/** The folder of the package in Deno's npm cache; it is downloaded (and checked against deno.lock) if it is missing. */
export async function npmPackage({ name, version }: NpmWasm): Promise<string> {
  const id = `${name}@${version}`;
  const specifier = `npm:${id}`;
  const config = ["--config", join(repository, "deno.json")];
  const deno = Deno.execPath();
  await run(`downloading ${name}`, { argv: [deno, "cache", "--quiet", ...config, specifier] });
  const listing = await run(`locating ${name}`, { argv: [deno, "info", "--json", ...config, specifier] });
  const { npmPackages } = JSON.parse(listing) as { npmPackages?: Record<string, { localPath?: string }> };
  const path = npmPackages?.[id]?.localPath;
  if (path === undefined) throw new AssetsError(`locating ${name}: deno info knows no ${id}`);
  return path;
}
