/** The stage that makes Python's base image: a booted, warmed interpreter. */

import { join } from "node:path";
import type { PythonPackages } from "../../src/fs/layout.ts";
import { describeBaseHeap, expandBaseHeap } from "../../src/image/base_heap.ts";
import type * as Runtime from "../../src/runtime/python/base_image.ts";
import { digestFiles, digestOf } from "./digest.ts";
import { AssetsError } from "./errors.ts";
import { repository } from "./paths.ts";
import { step } from "./progress.ts";
import { INPUTS } from "./recipe.ts";
import { SCIENCE_STEPS, STEPS } from "./steps.ts";
import type { Stage, StageStore } from "./store.ts";

const SOURCE = "../../src/runtime/python/base_image.ts";

/** `python.image`: an image of exactly this `python.wasm` with this stdlib; `modules.json`: the stdlib's modules. */
export async function buildBase(store: StageStore, python: Stage, stdlib: Stage): Promise<Stage> {
  const files = await digestFiles(repository, INPUTS.image);
  const digest = digestOf({ python: python.digest, stdlib: stdlib.digest, ...files });
  const directory = await store.obtain(
    "image",
    digest,
    (target) =>
      step(STEPS.image, async () => {
        const module = await WebAssembly.compile(await Deno.readFile(join(python.directory, "python.wasm")));
        const zip = await Deno.readFile(join(stdlib.directory, "python-stdlib.zip"));
        const { image, modules } = await withRuntime(({ buildBaseImage }) => buildBaseImage(module, zip));
        await Deno.writeFile(join(target, "python.image"), image);
        await Deno.writeTextFile(join(target, "modules.json"), JSON.stringify(modules));
      }),
  );
  return { directory, digest };
}

/** `python-science.memory`: a heap with science's packages imported; `heap.json`: what that does not say. */
export async function buildScienceHeap(
  store: StageStore,
  stages: Readonly<Record<"python" | "stdlib" | "packages" | "science", Stage>>,
): Promise<Stage> {
  const { python, stdlib, packages, science } = stages;
  const digest = digestOf({
    python: python.digest,
    ...await digestFiles(repository, INPUTS.image),
    stdlib: stdlib.digest,
    packages: packages.digest,
    science: science.digest,
  });
  const directory = await store.obtain(
    "science-image",
    digest,
    (target) =>
      step(SCIENCE_STEPS.image, async () => {
        const module = await WebAssembly.compile(await Deno.readFile(join(python.directory, "science.wasm")));
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
        };
        const made = await withRuntime(({ buildScienceImage }) =>
          buildScienceImage(module, zip, zips, Object.fromEntries(files))
        );
        const heap = expandBaseHeap(made);
        await Deno.writeFile(
          join(target, "python-science.memory"),
          new Uint8Array(heap.memory.buffer).slice(),
        );
        await Deno.writeTextFile(join(target, "heap.json"), JSON.stringify(describeBaseHeap(heap)));
      }),
  );
  return { directory, digest };
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
  const directory = await store.obtain(
    "installer-image",
    digest,
    (target) =>
      step(STEPS.pip, async () => {
        const module = await WebAssembly.compile(await Deno.readFile(join(python.directory, "python.wasm")));
        const base = expandBaseHeap(await Deno.readFile(join(image.directory, "python.image")));
        const zip = await Deno.readFile(join(stdlib.directory, "python-stdlib.zip"));
        const zips = await packageZips(packages, stdlib);
        const made = await withRuntime(({ buildPipImage }) => buildPipImage(module, base, zip, zips));
        await Deno.writeFile(join(target, "python-pip.image"), made);
      }),
  );
  return { directory, digest };
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

/** Loads the runtime only now: the usual call finds everything built, and a long build may have seen it change. */
async function withRuntime<Made>(make: (runtime: typeof Runtime) => Made): Promise<Made> {
  try {
    return make(await import(new URL(SOURCE, import.meta.url).href));
  } catch (error) {
    throw new AssetsError(
      "making an image of Python failed",
      error instanceof Error ? error.stack : String(error),
    );
  }
}
