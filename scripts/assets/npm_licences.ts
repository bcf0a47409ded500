/** The licences of the npm packages that a bundle is made of, beside the bundle. */

import { join } from "node:path";
import { repository } from "./paths.ts";
import { run } from "./process.ts";

/** An npm package in a bundle. */
export interface BundledNpmPackage {
  /** Name and version. */
  readonly id: string;
  /** SPDX. */
  readonly licence: string;
  /** Where its text is, in the stage. */
  readonly text: string;
}

/**
 * Writes `packages.json`, and the licences of all packages that the entries' import, whether all of them is bundled or not.
 *
 * @param entries Paths.
 */
export async function collectLicences(entries: readonly string[], target: string): Promise<void> {
  const found = new Map<string, BundledNpmPackage>();
  await Deno.mkdir(join(target, "licences"));
  for (const entry of entries) {
    for (const [id, directory] of await packagesOf(entry)) {
      if (found.has(id)) continue;
      const { license = "unknown" } = JSON.parse(await Deno.readTextFile(join(directory, "package.json")));
      const text = `licences/${found.size}`;
      await Deno.writeTextFile(join(target, text), await licenceIn(directory) ?? `${license}\n`);
      found.set(id, { id, licence: license, text });
    }
  }
  await Deno.writeTextFile(join(target, "packages.json"), JSON.stringify([...found.values()]));
}

/** What `deno info` says of an entry. */
interface EntryInfo {
  readonly modules: readonly { readonly npmPackage?: string }[];
  readonly npmPackages?: Readonly<
    Record<string, { readonly localPath: string; readonly dependencies: readonly string[] }>
  >;
}

/** The npm packages that an entry imports, and those that they depend on: where they are, by name and version. */
async function packagesOf(entry: string): Promise<ReadonlyMap<string, string>> {
  const config = join(repository, "deno.json");
  const argv = [Deno.execPath(), "info", "--json", `--config=${config}`, entry];
  const { modules, npmPackages = {} }: EntryInfo = JSON.parse(
    await run(`looking up what ${entry} imports`, { argv }),
  );
  const found = new Map<string, string>();
  const visit = (key: string) => {
    const id = key.replace(/(?<=.)_.*$/, ""); // peers follow
    const listed = npmPackages[key];
    if (found.has(id) || listed === undefined) return;
    found.set(id, listed.localPath);
    listed.dependencies.forEach(visit);
  };
  for (const { npmPackage } of modules) if (npmPackage !== undefined) visit(npmPackage);
  return found;
}

async function licenceIn(directory: string): Promise<string | undefined> {
  for await (const { name } of Deno.readDir(directory)) {
    if (/^licen[cs]e/i.test(name)) return await Deno.readTextFile(join(directory, name));
  }
  return undefined;
}
