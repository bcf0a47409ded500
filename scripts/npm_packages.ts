/** Packages of npm that modules of the checkout stand on, and their licences. */

import { fileURLToPath } from "node:url";
import { AssetsError } from "./assets/errors.ts";
import { run } from "./assets/process.ts";

const ROOT = new URL("../", import.meta.url);

export interface NpmPackage {
  readonly name: string;
  readonly version: string;
  /** Where Deno keeps it. */
  readonly localPath: string;
}

interface Info {
  readonly modules: readonly { readonly npmPackage?: string }[];
  readonly npmPackages: Readonly<Record<string, NpmPackage & { readonly dependencies: readonly string[] }>>;
}

/** What modules import, and what that depends on, by name and version. @param sources Paths from the checkout. */
export async function npmPackagesOf(sources: readonly string[]): Promise<NpmPackage[]> {
  const found = new Map<string, NpmPackage>();
  for (const source of sources) {
    const [config, path] = ["deno.json", source].map((name) => fileURLToPath(new URL(name, ROOT)));
    const argv = [Deno.execPath(), "info", "--json", `--config=${config}`, path!];
    const { modules, npmPackages }: Info = JSON.parse(await run(`reading what ${source} imports`, { argv }));
    const queue = modules.flatMap(({ npmPackage }) => npmPackage === undefined ? [] : [npmPackage]);
    for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
      const about = npmPackages[id];
      if (!about || found.has(id)) continue;
      found.set(id, about);
      queue.push(...about.dependencies);
    }
  }
  const keyOf = ({ name, version }: NpmPackage) => `${name}@${version}`;
  const unique = new Map([...found.values()].map((about) => [keyOf(about), about]));
  return [...unique.values()].sort((a, b) => keyOf(a) < keyOf(b) ? -1 : 1);
}

const LICENCE_FILE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;
const RULE = "=".repeat(80);

/** The licence of each, as one text. @throws {AssetsError} if a package tells of none. */
export async function npmLicences(packages: readonly NpmPackage[]): Promise<string> {
  const parts: string[] = [];
  for (const { name, version, localPath } of packages) {
    const { license, author } = JSON.parse(await Deno.readTextFile(`${localPath}/package.json`));
    if (typeof license !== "string") throw new AssetsError(`${name} ${version} does not name its licence`);
    const files = Array.from(Deno.readDirSync(localPath), (entry) => entry.name).filter((file) =>
      LICENCE_FILE.test(file)
    );
    const texts = await Promise.all(files.sort().map((file) => Deno.readTextFile(`${localPath}/${file}`)));
    // Some name a licence and leave its text to the reader.
    const text = texts.length > 0
      ? texts.join("\n")
      : `By ${author?.name ?? author ?? `the authors of ${name}`}.`;
    parts.push(`${RULE}\n${name}@${version} (npm)\nLicence: ${license}\n${RULE}\n\n${text.trim()}\n`);
  }
  return parts.join("\n");
}
