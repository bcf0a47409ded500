/** Wheels of Python's index: the very files that are pinned, downloaded by a pip that knows its index. */

import { join } from "node:path";
import type { BuildRoot } from "./build_root.ts";
import { isolation } from "./isolation.ts";
import { tryRun } from "./process.ts";
import type { Stage } from "./store.ts";
import { Workbench } from "./workbench.ts";

/** One file. */
export interface Wheel {
  readonly name: string;
  readonly version: string;
  /** Lower-case hex SHA-256 of the file. */
  readonly sha256: string;
}

/** What has a pip where this system has none. */
export interface PipOfBuildRoot {
  readonly root: BuildRoot;
  /** Debian's packages, with pip among them. */
  readonly debs: Stage;
}

/** How pip is called: without waiting long for an index that can't be reached. */
const PIP_OPTIONS = [
  "--quiet",
  "--no-deps",
  "--only-binary=:all:",
  "--require-hashes",
  "--disable-pip-version-check",
  "--retries=1",
  "--timeout=15",
];

/** What names a set of wheels: the lines of a file of requirements. */
export function requirementsOf(wheels: readonly Wheel[]): string {
  return wheels.map(({ name, version, sha256 }) => `${name}==${version} --hash=sha256:${sha256}\n`).join("");
}

/**
 * Downloads wheels into a directory: by this system's pip or, failing that, by the build root's.
 *
 * @throws {AssetsError} if neither can get at them.
 */
export async function downloadWheels(
  wheels: readonly Wheel[],
  target: string,
  buildRoot: () => Promise<PipOfBuildRoot>,
): Promise<void> {
  const requirements = requirementsOf(wheels);
  if (await downloadWithOwnPip(requirements, target)) return;
  await downloadWithPackedPip(await buildRoot(), requirements, target);
}

/** By this system's pip, if there is one: it knows its index. @returns Whether it worked. */
async function downloadWithOwnPip(requirements: string, target: string): Promise<boolean> {
  const list = await Deno.makeTempFile({ suffix: ".txt" });
  try {
    await Deno.writeTextFile(list, requirements);
    const prefix = await isolation();
    const download = ["download", ...PIP_OPTIONS, "--requirement", list, "--dest", target];
    for (const pip of [["pip3"], ["python3", "-m", "pip"]]) {
      if (await tryRun([...prefix, ...pip, ...download]) !== undefined) return true;
    }
    return false;
  } finally {
    await Deno.remove(list);
  }
}

/** By the pip that is packed for guests, in the build root, with what our environment says to pip. */
async function downloadWithPackedPip(
  { root, debs }: PipOfBuildRoot,
  requirements: string,
  target: string,
): Promise<void> {
  const settings = Object.entries(Deno.env.toObject()).filter(([name]) => name.startsWith("PIP_"));
  await Workbench.use(root, async (bench) => {
    await bench.place(debs.directory, "debs");
    await Deno.writeTextFile(join(bench.outside, "requirements.txt"), requirements);
    const script = `${bench.inside}/recipe/packages/wheels.sh`;
    await bench.perform("downloading wheels", ["bash", script, ...PIP_OPTIONS], {
      ...Object.fromEntries(settings),
      DEBS: `${bench.inside}/debs`,
      REQUIREMENTS: `${bench.inside}/requirements.txt`,
    });
    await bench.take(target);
  });
}
