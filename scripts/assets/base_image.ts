/** The stage that makes Python's base image: a booted, warmed interpreter. */

import { join } from "node:path";
import { expandBaseHeap } from "../../src/image/base_heap.ts";
import type * as Runtime from "../../src/runtime/python/base_image.ts";
import { digestFiles, digestOf } from "./digest.ts";
import { AssetsError } from "./errors.ts";
import { repository } from "./paths.ts";
import { step } from "./progress.ts";
import { INPUTS } from "./recipe.ts";
import { STEPS } from "./steps.ts";
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
        const read = ({ directory }: Stage, name: string) => Deno.readFile(join(directory, name));
        const file = async (name: string, stage = packages) => ({ bytes: await read(stage, name) });
        const [base, zip, sources, bundled, mathematics, more, tzdata, pip] = await Promise.all([
          read(image, "python.image"),
          read(stdlib, "python-stdlib.zip"),
          file("python-sources.zip", stdlib),
          file("bundled.zip"),
          file("mathematics.zip"),
          file("more.zip"),
          file("tzdata.zip"),
          file("pip.zip"),
        ]);
        const made = await withRuntime(({ buildPipImage }) =>
          buildPipImage(module, expandBaseHeap(base), zip, {
            bundled,
            mathematics,
            more,
            tzdata,
            pip,
            sources,
          })
        );
        await Deno.writeFile(join(target, "python-pip.image"), made);
      }),
  );
  return { directory, digest };
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
