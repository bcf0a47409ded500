/** The stages that run in the build root: CPython's libraries, the linked module, the stdlib zip. */

import { join } from "node:path";
import type { BuildRoot } from "./build_root.ts";
import { digestFiles, digestOf } from "./digest.ts";
import { repository } from "./paths.ts";
import { INPUTS } from "./recipe.ts";
import type { Science } from "./science.ts";
import { type Step, STEPS } from "./steps.ts";
import type { Stage, StageStore } from "./store.ts";
import { makeStage, type Workbench } from "./workbench.ts";

/** CPython and the libraries it embeds, as static libraries, with headers, stdlib sources and licences. */
export async function buildLibraries(store: StageStore, root: BuildRoot): Promise<Stage> {
  const digest = digestOf({ ...root.versions, ...await digestFiles(repository, INPUTS.libpython) });
  return await makeStage(store, root, STEPS.libraries, digest, async (bench) => {
    const script = `${bench.inside}/recipe/build/libpython.sh`;
    await bench.perform("building CPython", ["bash", script], { SOURCES: root.sources });
  });
}

/**
 * What extension modules see of CPython before they are linked. Named by what it is, not by what made it: they stay as they
 * are when CPython's own code is compiled in another way.
 */
export async function pythonHeaders({ directory }: Stage): Promise<Stage> {
  const headers = join(directory, "include");
  return { directory: headers, digest: digestOf(await digestFiles(headers, ["."])) };
}

/**
 * The glue linked with the libraries and, if they are given, extension modules: `python.wasm`, not metered.
 *
 * @param science What `step` links.
 */
export async function linkPython(
  store: StageStore,
  root: BuildRoot,
  libraries: Stage,
  step: Step & { readonly stage: string } = STEPS.link,
  science?: Pick<Science, "tools" | "modules">,
): Promise<Stage> {
  const files = without(await digestFiles(repository, INPUTS.link), ".py");
  const digest = digestOf({
    libraries: libraries.digest,
    ...files,
    ...science && {
      ...Object.fromEntries(Object.entries(science.modules).map(([name, { digest }]) => [name, digest])),
      ...await digestFiles(repository, ["wasm/python/science/inittab.py"]),
    },
  });
  return await makeStage(store, root, step, digest, async (bench) => {
    await bench.place(libraries.directory, "libpython");
    const script = `${bench.inside}/recipe/build/link.sh`;
    await bench.perform("linking python.wasm", ["bash", script], {
      LIBPYTHON: `${bench.inside}/libpython`,
      ...science && await placeScience(bench, science),
    });
  });
}

async function placeScience(
  bench: Workbench,
  { tools, modules }: Pick<Science, "tools" | "modules">,
): Promise<Record<string, string>> {
  await bench.place(tools.directory, "tools");
  await bench.placeAll(modules, "packages");
  return { TOOLS: `${bench.inside}/tools`, PACKAGES: `${bench.inside}/packages` };
}

/** The stdlib and our own modules as bytecode: `python-stdlib.zip`; their source text: `python-sources.zip`. */
export async function packStdlib(store: StageStore, root: BuildRoot, libraries: Stage): Promise<Stage> {
  const files = await digestFiles(repository, INPUTS.stdlib);
  const digest = digestOf({ libraries: libraries.digest, ...without(without(files, ".c"), ".h") });
  return await makeStage(store, root, STEPS.stdlib, digest, async (bench) => {
    await bench.place(join(libraries.directory, "Lib"), "Lib");
    const { inside } = bench;
    await bench.perform("packing the stdlib", [
      "python3.13",
      `${inside}/recipe/build/stdlib.py`,
      `${inside}/Lib`,
      `${inside}/recipe/glue`,
      `${inside}/recipe/modules`,
      `${inside}/work/out`,
    ]);
  });
}

function without(files: Readonly<Record<string, string>>, suffix: string): Record<string, string> {
  return Object.fromEntries(Object.entries(files).filter(([path]) => !path.endsWith(suffix)));
}
