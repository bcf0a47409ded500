/** Where a step of the build runs: a directory of its own in the build root. */

import { join } from "node:path";
import type { BuildRoot } from "./build_root.ts";
import { repository } from "./paths.ts";
import { run } from "./process.ts";
import { Slots } from "./slots.ts";
import { obtainStage } from "./stage.ts";
import type { Step } from "./steps.ts";
import type { Stage, StageStore } from "./store.ts";

const RECIPE = "wasm/python";

/** Each step has stretches that keep one processor busy: what configures, what Cython translates, what links. */
const benches = new Slots(2);

/** One run in the build root: a directory both sides see, with a copy of the recipe in it. */
export class Workbench {
  private constructor(readonly root: BuildRoot, readonly outside: string, readonly inside: string) {}

  /** Runs `body` at a fresh workbench, which is gone afterwards. */
  static async use(root: BuildRoot, body: (bench: Workbench) => Promise<void>): Promise<void> {
    const name = crypto.randomUUID();
    const bench = new Workbench(root, join(root.workspace.outside, name), `${root.workspace.inside}/${name}`);
    await Deno.mkdir(join(bench.outside, "work", "out"), { recursive: true });
    try {
      await bench.place(join(repository, RECIPE), "recipe");
      await body(bench);
    } finally {
      await Deno.remove(bench.outside, { recursive: true }).catch(() => {});
    }
  }

  /** Copies a directory of ours in. */
  async place(directory: string, name: string): Promise<void> {
    await run("copying", { argv: ["cp", "-R", directory, join(this.outside, name)] });
  }

  /** Copies the results of stages in, into a folder of that name: each by its own. */
  async placeAll(stages: Readonly<Record<string, Stage>>, folder: string): Promise<void> {
    await Deno.mkdir(join(this.outside, folder));
    for (const [name, { directory }] of Object.entries(stages)) {
      await this.place(directory, `${folder}/${name}`);
    }
  }

  /** Runs a step of the recipe. */
  async perform(
    what: string,
    argv: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const settings = { WORK: `${this.inside}/work`, RECIPE: `${this.inside}/recipe`, ...env };
    await run(what, { argv: this.root.command(argv, settings) });
  }

  /** Moves what a step left in its `out` to a directory of ours. */
  async take(directory: string): Promise<void> {
    const out = join(this.outside, "work", "out");
    for await (const { name } of Deno.readDir(out)) await Deno.rename(join(out, name), join(directory, name));
  }
}

/**
 * A stage that is made at a workbench: all that `body` leaves in the `out` of its work.
 *
 * @param making The step that makes it; names the stage.
 */
export async function makeStage(
  store: StageStore,
  root: BuildRoot,
  making: Step & { readonly stage: string },
  digest: string,
  body: (bench: Workbench) => Promise<void>,
): Promise<Stage> {
  const make = (target: string) =>
    Workbench.use(root, async (bench) => {
      await body(bench);
      await bench.take(target);
    });
  return await obtainStage(store, making, digest, make, benches);
}

/** Removes the workbenches that interrupted builds left. */
export async function clearWorkspace(root: BuildRoot): Promise<void> {
  await Deno.mkdir(root.workspace.outside, { recursive: true });
  for await (const { name } of Deno.readDir(root.workspace.outside)) {
    await Deno.remove(join(root.workspace.outside, name), { recursive: true });
  }
}
