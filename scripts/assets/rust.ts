/** Rust's compiler, for what is built with it. */

import { join } from "node:path";
import type { BuildRoot } from "./build_root.ts";
import { digestFiles, digestOf } from "./digest.ts";
import { repository } from "./paths.ts";
import { RUST } from "./recipe.ts";
import { RUST_STEP } from "./steps.ts";
import type { Stage, StageStore } from "./store.ts";
import { makeStage } from "./workbench.ts";

/** Its recipe, and what the steps that build with it have in common. */
export const RUST_FOLDER = "wasm/rust";

/** Of a suite that moves: what was there on the day is kept. `versions.txt` tells what that is. */
export async function obtainRust(store: StageStore, root: BuildRoot): Promise<Stage> {
  const files = await digestFiles(repository, [`${RUST_FOLDER}/compiler.sh`]);
  const wanted = { RUST_SUITE: RUST.suite, RUST_PACKAGES: RUST.packages.join(" ") };
  const digest = digestOf({ ...files, ...wanted, arch: Deno.build.arch });
  return await makeStage(store, root, RUST_STEP, digest, async (bench) => {
    await bench.place(join(repository, RUST_FOLDER), "rust");
    await bench.perform("downloading Rust", ["bash", `${bench.inside}/rust/compiler.sh`], wanted);
  });
}
