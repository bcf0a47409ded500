/** What every package has in it: the bundles and the assets, to be run by a Deno that its installer brings along. */

import { fileURLToPath } from "node:url";
import { v8Flags } from "../../src/executor/server/spawn.ts";
import { PROGRAM_LICENCES } from "../../src/program/about.ts";
import { PACK } from "../../src/program/stored_assets.ts";
import { OPTIONAL_ASSET } from "../../src/selftest/asset_hashes.ts";
import { MANIFEST } from "../assets/manifest.ts";
import type { Manifest } from "../assets/mod.ts";
import { bundle, BUNDLED_SOURCES } from "../bundle/mod.ts";
import { writePack } from "../pack_assets.ts";
import { npmLicences, npmPackagesOf } from "../npm_packages.ts";

/** The version that the project is tested with, which packages depend on exactly. */
export const DENO_VERSION = "2.9.6";
export const HOMEPAGE_TEXT = "Runs untrusted Python, JavaScript and shell code for MCP clients";

/** How Deno runs the program. */
export const DENO_OPTIONS: readonly string[] = [
  "run",
  "--quiet",
  "--no-prompt",
  "--no-config",
  "--cached-only",
  "--unstable-worker-options",
  `--v8-flags=${v8Flags(Deno.version.v8)}`,
  ...["read", "write", "net", "env", "run", "sys"].map((name) => `--allow-${name}`),
];

const ROOT = new URL("../../", import.meta.url);

/** Makes the directory of it. */
export async function stageProgram(directory: string, { files }: Manifest): Promise<void> {
  await Deno.mkdir(`${directory}/assets`, { recursive: true });
  await bundle(directory);
  const licences = `${directory}/assets/${PROGRAM_LICENCES}`;
  await Deno.writeTextFile(licences, await npmLicences(await npmPackagesOf(BUNDLED_SOURCES)));
  const names = [...Object.keys(files).filter((name) => !OPTIONAL_ASSET.test(name)), MANIFEST];
  const built = Object.fromEntries(names.map((name) => [name, inRoot(`wasm/dist/${name}`)]));
  await writePack(`${directory}/assets/${PACK}`, { ...built, [PROGRAM_LICENCES]: licences });
  await Deno.remove(licences);
}

/** A file beside this one, with its placeholders filled in. */
export async function filled(name: string, values: Readonly<Record<string, unknown>>): Promise<string> {
  let text = await Deno.readTextFile(new URL(name, import.meta.url));
  for (const [key, value] of Object.entries(values)) {
    text = text.replaceAll(`__${key}__`, () => JSON.stringify(value));
  }
  return text;
}

/** Path of a file of the checkout. */
export function inRoot(path: string): string {
  return fileURLToPath(new URL(path, ROOT));
}
