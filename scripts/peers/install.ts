/** Puts packages of public registries into the user's cache, each version into a directory of its own. */

import { join } from "node:path";
import { run, tryRun } from "../assets/process.ts";
import { cacheDirectory } from "../assets/paths.ts";
import { Unavailable } from "./peer.ts";

/** The oldest Python that all peers from PyPI run on, as its second number. */
const PYTHON_MINOR = 12;

function directoryOf(name: string, version: string): string {
  return join(cacheDirectory(), "peers", `${name}-${version}`);
}

/** Fills a directory once. Half of an installation is never taken for a whole one. */
async function installed(directory: string, fill: (directory: string) => Promise<void>): Promise<string> {
  if (await Deno.stat(join(directory, ".complete")).catch(() => undefined)) return directory;
  await Deno.remove(directory, { recursive: true }).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
  await Deno.mkdir(directory, { recursive: true });
  try {
    await fill(directory);
  } catch (error) {
    const log = error instanceof Error && "log" in error ? `\n${error.log}` : "";
    console.error(`peers: ${error instanceof Error ? error.message : error}${log}`);
    throw new Unavailable("could not be installed");
  }
  await Deno.writeTextFile(join(directory, ".complete"), "");
  return directory;
}

/** A Python that is new enough, wherever this machine has one: PEERS_PYTHON names another. */
async function python(): Promise<string> {
  const home = Deno.env.get("HOME") ?? "";
  const minors = [PYTHON_MINOR + 1, PYTHON_MINOR + 2, PYTHON_MINOR];
  const versions = await tryRun(["ls", `${home}/.pyenv/versions`]) ?? "";
  const candidates = [
    Deno.env.get("PEERS_PYTHON") ?? "",
    ...minors.map((minor) => `python3.${minor}`),
    "python3",
    ...minors.flatMap((minor) =>
      versions.split("\n").filter((name) => name.startsWith(`3.${minor}.`))
        .map((name) => `${home}/.pyenv/versions/${name}/bin/python`)
    ),
  ];
  const isNewEnough = `import sys, venv; sys.exit(sys.version_info < (3, ${PYTHON_MINOR}))`;
  for (const candidate of candidates.filter(Boolean)) {
    if (await tryRun([candidate, "-c", isNewEnough]) !== undefined) return candidate;
  }
  throw new Unavailable(`needs Python 3.${PYTHON_MINOR}, which is not here`);
}

/** Installs a wheel of PyPI and what it needs. @returns The Python that has it. */
export async function fromPyPI(name: string, version: string): Promise<string> {
  const directory = await installed(directoryOf(name, version), async (directory) => {
    await run(`making a place for ${name}`, { argv: [await python(), "-m", "venv", directory] });
    const pip = [join(directory, "bin", "python"), "-m", "pip", "--disable-pip-version-check"];
    const options = ["install", "--quiet", "--only-binary", ":all:"];
    await run(`installing ${name}`, { argv: [...pip, ...options, `${name}==${version}`] });
  });
  return join(directory, "bin", "python");
}

/** Installs a package of npm, without what it would run. @returns The directory of the package. */
export async function fromNpm(name: string, version: string): Promise<string> {
  const directory = await installed(directoryOf(name, version), async (directory) => {
    const options = ["--no-audit", "--no-fund", "--ignore-scripts", "--prefix", directory];
    await run(`installing ${name}`, { argv: ["npm", "install", ...options, `${name}@${version}`] });
  });
  return join(directory, "node_modules", name);
}
