/** The stages of the shell: Rust's compiler, the crates, the module, its metered form and its base image. */

import { join } from "node:path";
import type { BuildRoot } from "./build_root.ts";
import { digestFiles, digestOf } from "./digest.ts";
import { readModule, withRuntime, writeHeap } from "./image_making.ts";
import { meterModule } from "./metered.ts";
import { repository } from "./paths.ts";
import { INPUTS } from "./recipe.ts";
import { obtainRust, RUST_FOLDER } from "./rust.ts";
import { obtainStage } from "./stage.ts";
import { SHELL_STEPS } from "./steps.ts";
import type { Stage, StageStore } from "./store.ts";
import { makeStage, type Workbench } from "./workbench.ts";

const FOLDER = "wasm/shell";

/** What a build has of the shell. */
export interface BuiltShell {
  /** `shell.wasm`, metered. */
  readonly module: Stage;
  /** `shell.memory`: the heap that shells start from; `heap.json`: what that does not say. */
  readonly image: Stage;
  /** `licences.txt` and `crates.json`. */
  readonly linked: Stage;
  /** Of Debian's packages that it was built with, by name. */
  readonly versions: Readonly<Record<string, string>>;
}

export async function buildShell(store: StageStore, root: BuildRoot): Promise<BuiltShell> {
  const rust = await obtainRust(store, root);
  const crates = await obtainCrates(store, root, rust);
  const libraries = await compileLibraries(store, root, { rust, crates });
  const linked = await compile(store, root, { rust, crates, libraries });
  const module = await meterModule(store, "shell", {
    digest: linked.digest,
    read: () => Deno.readFile(join(linked.directory, "shell.wasm")),
    options: { growHook: true },
  });
  const image = await buildImage(store, module);
  const listing = await Deno.readTextFile(join(rust.directory, "versions.txt"));
  const versions = Object.fromEntries(listing.trim().split("\n").map((line) => line.split(" ")));
  return { module, image, linked, versions };
}

async function obtainCrates(store: StageStore, root: BuildRoot, rust: Stage): Promise<Stage> {
  const digest = digestOf(
    await digestFiles(repository, [`${FOLDER}/build/crates.sh`, `${FOLDER}/guest/Cargo.lock`]),
  );
  return await makeStage(
    store,
    root,
    SHELL_STEPS.crates,
    digest,
    (bench) => perform(bench, "crates", { RUST: rust }),
  );
}

/** Minutes; the shell's own code is compiled and linked with them in seconds. */
async function compileLibraries(
  store: StageStore,
  root: BuildRoot,
  { rust, crates }: Readonly<Record<"rust" | "crates", Stage>>,
): Promise<Stage> {
  const inputs = [
    "build/toolchain.sh",
    "build/cargo.sh",
    "build/libraries.sh",
    "patches",
    "guest/Cargo.toml",
    "guest/build.rs",
  ];
  const files = await digestFiles(repository, [...inputs.map((name) => `${FOLDER}/${name}`), RUST_FOLDER]);
  const digest = digestOf({ ...root.versions, rust: rust.digest, crates: crates.digest, ...files });
  return await makeStage(
    store,
    root,
    SHELL_STEPS.libraries,
    digest,
    (bench) => perform(bench, "libraries", { RUST: rust, CRATES: crates }),
  );
}

async function compile(
  store: StageStore,
  root: BuildRoot,
  { rust, crates, libraries }: Readonly<Record<"rust" | "crates" | "libraries", Stage>>,
): Promise<Stage> {
  const digest = digestOf({ libraries: libraries.digest, ...await digestFiles(repository, INPUTS.shell) });
  return await makeStage(
    store,
    root,
    SHELL_STEPS.compile,
    digest,
    (bench) => perform(bench, "shell", { RUST: rust, CRATES: crates, LIBRARIES: libraries }),
  );
}

/** Runs a script of the recipe. @param stages By the variables that name them to it. */
async function perform(
  bench: Workbench,
  script: string,
  stages: Readonly<Record<string, Stage>>,
): Promise<void> {
  await bench.place(join(repository, FOLDER), "shell");
  await bench.place(join(repository, RUST_FOLDER), "rust");
  const env: Record<string, string> = {
    RECIPE: `${bench.inside}/shell`,
    RUST_RECIPE: `${bench.inside}/rust`,
  };
  for (const [variable, { directory }] of Object.entries(stages)) {
    await bench.place(directory, variable);
    env[variable] = `${bench.inside}/${variable}`;
  }
  await bench.perform(
    `${FOLDER}/build/${script}.sh`,
    ["bash", `${bench.inside}/shell/build/${script}.sh`],
    env,
  );
}

/** A shell that has run an empty script. */
async function buildImage(store: StageStore, module: Stage): Promise<Stage> {
  const files = await digestFiles(repository, INPUTS.shellImage);
  const digest = digestOf({ module: module.digest, ...files });
  return await obtainStage(store, SHELL_STEPS.image, digest, async (target) => {
    const code = await readModule(module, "shell.wasm");
    const image = await withRuntime("Shell", ({ buildShellImage }) => buildShellImage(code));
    await writeHeap(target, "shell.memory", image);
  });
}
