/** The stage that makes Python's base image: a booted, warmed interpreter. */

import { join } from "node:path";
import type { Stage } from "./cpython.ts";
import { digestFiles, digestOf } from "./digest.ts";
import { AssetsError } from "./errors.ts";
import { repository } from "./paths.ts";
import { step } from "./progress.ts";
import { INPUTS } from "./recipe.ts";
import type { StageStore } from "./store.ts";

const SOURCE = "../../src/runtime/python/base_image.ts";

/** `python.image`: an image of exactly this `python.wasm` with this stdlib. */
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
        await Deno.writeFile(join(target, "python.image"), await boot(module, zip));
      }),
  );
  return { directory, digest };
}

/** Loads the runtime only now: the usual call finds everything built, and a long build may have seen it change. */
async function boot(module: WebAssembly.Module, stdlib: Uint8Array): Promise<Uint8Array> {
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
