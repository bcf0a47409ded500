/** The stage that makes Python's base image: a booted, warmed interpreter. */

import { join } from "node:path";
import type { BaseImage } from "../../src/runtime/python/base_image.ts";
import { digestFiles, digestOf } from "./digest.ts";
import { AssetsError } from "./errors.ts";
import { repository } from "./paths.ts";
import { step } from "./progress.ts";
import { INPUTS } from "./recipe.ts";
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
      step("making Python's base image", async () => {
        const module = await WebAssembly.compile(await Deno.readFile(join(python.directory, "python.wasm")));
        const zip = await Deno.readFile(join(stdlib.directory, "python-stdlib.zip"));
        const { image, modules } = await boot(module, zip);
        await Deno.writeFile(join(target, "python.image"), image);
        await Deno.writeTextFile(join(target, "modules.json"), JSON.stringify(modules));
      }),
  );
  return { directory, digest };
}

/** Loads the runtime only now: the usual call finds everything built, and a long build may have seen it change. */
async function boot(module: WebAssembly.Module, stdlib: Uint8Array): Promise<BaseImage> {
  try {
    const url = new URL(SOURCE, import.meta.url).href;
    const { buildBaseImage } = await import(url) as typeof import("../../src/runtime/python/base_image.ts");
    return buildBaseImage(module, stdlib);
  } catch (error) {
    throw new AssetsError(
      "making Python's base image failed",
      error instanceof Error ? error.stack : String(error),
    );
  }
}
