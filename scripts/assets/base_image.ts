/** The stage that makes Python's base image: a booted, warmed interpreter. */

import { join } from "node:path";
import type { PythonPackages } from "../../src/fs/layout.ts";
import { expandBaseHeap } from "../../src/image/base_heap.ts";
import { digestFiles, digestOf } from "./digest.ts";
import { readModule, withRuntime, writeHeap } from "./image_making.ts";
import { repository } from "./paths.ts";
import { INPUTS } from "./recipe.ts";
import { obtainStage } from "./stage.ts";
import { SCIENCE_STEPS, SCIPY_STEPS, STEPS } from "./steps.ts";
import type { Stage, StageStore } from "./store.ts";

/** `python.image`: an image of exactly this `python.wasm` with this stdlib; `modules.json`: the stdlib's modules. */
export async function buildBase(store: StageStore, python: Stage, stdlib: Stage): Promise<Stage> {
  const files = await digestFiles(repository, INPUTS.image);
  const digest = digestOf({ python: python.digest, stdlib: stdlib.digest, ...files });
  return await obtainStage(store, STEPS.image, digest, async (target) => {
    const module = await readModule(python, "python.wasm");
    const zip = await Deno.readFile(join(stdlib.directory, "python-stdlib.zip"));
    const { image, modules } = await withRuntime(
      "Python",
      ({ buildBaseImage }) => buildBaseImage(module, zip),
    );
    await Deno.writeFile(join(target, "python.image"), image);
    await Deno.writeTextFile(join(target, "modules.json"), JSON.stringify(modules));
  });
}

/**
 * `python-science.memory`: a heap with science's packages imported; `heap.json`: what that does not say. Or
 * `python-scipy.memory`, if scipy is given.
 */
export async function buildLargerHeap(
  store: StageStore,
  stages:
    & Readonly<Record<"python" | "stdlib" | "packages" | "science", Stage>>
    & { readonly scipy?: Stage },
): Promise<Stage> {
  const { python, stdlib, packages, science, scipy } = stages;
  const [base, making] = scipy
    ? ["scipy", SCIPY_STEPS.image] as const
    : ["science", SCIENCE_STEPS.image] as const;
  const digest = digestOf({
    python: python.digest,
    ...await digestFiles(repository, INPUTS.image),
    stdlib: stdlib.digest,
    packages: packages.digest,
    science: science.digest,
    ...scipy && { scipy: scipy.digest },
  });
  return await obtainStage(store, making, digest, async (target) => {
    const module = await readModule(python, `${base}.wasm`);
    const zip = await Deno.readFile(join(stdlib.directory, "python-stdlib.zip"));
    const data = await Deno.readFile(join(science.directory, "science.data"));
    const index = await scienceFiles(science);
    const files = Object.entries(index).map(([path, [start, size]]) => [
      path,
      { bytes: data.subarray(start, start + size) },
    ]);
    const zips = {
      ...await packageZips(packages, stdlib),
      science: { bytes: await Deno.readFile(join(science.directory, "science.zip")) },
      ...scipy && { scipy: { bytes: await Deno.readFile(join(scipy.directory, "scipy.zip")) } },
    };
    const made = await withRuntime(
      "Python",
      ({ buildLargerImage }) => buildLargerImage(base, module, zip, zips, Object.fromEntries(files)),
    );
    await writeHeap(target, `python-${base}.memory`, made);
  });
}

/** Where the files of `science.data` lie. */
export async function scienceFiles({ directory }: Stage): Promise<Record<string, [number, number]>> {
  return JSON.parse(await Deno.readTextFile(join(directory, "science.json")));
}

/** `python-pip.image`: what an interpreter with pip loaded has over the base image. */
export async function buildPip(
  store: StageStore,
  stages: Readonly<Record<"python" | "stdlib" | "image" | "packages", Stage>>,
): Promise<Stage> {
  const { python, stdlib, image, packages } = stages;
  const digest = digestOf({ image: image.digest, stdlib: stdlib.digest, packages: packages.digest });
  return await obtainStage(store, STEPS.pip, digest, async (target) => {
    const module = await readModule(python, "python.wasm");
    const base = expandBaseHeap(await Deno.readFile(join(image.directory, "python.image")));
    const zip = await Deno.readFile(join(stdlib.directory, "python-stdlib.zip"));
    const zips = await packageZips(packages, stdlib);
    const made = await withRuntime("Python", ({ buildPipImage }) => buildPipImage(module, base, zip, zips));
    await Deno.writeFile(join(target, "python-pip.image"), made);
  });
}

/** The zips as sessions have them. */
async function packageZips(packages: Stage, stdlib: Stage): Promise<PythonPackages> {
  const file = async ({ directory }: Stage, name: string) => ({
    bytes: await Deno.readFile(join(directory, name)),
  });
  const [sources, bundled, mathematics, more, tzdata, pip] = await Promise.all([
    file(stdlib, "python-sources.zip"),
    file(packages, "bundled.zip"),
    file(packages, "mathematics.zip"),
    file(packages, "more.zip"),
    file(packages, "tzdata.zip"),
    file(packages, "pip.zip"),
  ]);
  return { bundled, mathematics, more, tzdata, pip, sources };
}
