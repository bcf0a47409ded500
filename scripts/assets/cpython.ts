/** The stages that run in the build root: CPython's libraries, the linked module, the stdlib zip. */

import { join } from "node:path";
import type { BuildRoot } from "./build_root.ts";
import { digestFiles, digestOf } from "./digest.ts";
import { repository } from "./paths.ts";
import { run } from "./process.ts";
import { step } from "./progress.ts";
import { INPUTS } from "./recipe.ts";
import type { StageStore } from "./store.ts";

const RECIPE = "wasm/python";

/** A stage's result: its directory in the cache, and the digest of all that it was made from. */
export interface Stage {
  readonly directory: string;
  readonly digest: string;
}

/** One run in the build root: a directory both sides see, with a copy of the recipe in it. */
class Workbench {
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

/** Removes the workbenches that interrupted builds left. */
export async function clearWorkspace(root: BuildRoot): Promise<void> {
  await Deno.mkdir(root.workspace.outside, { recursive: true });
  for await (const { name } of Deno.readDir(root.workspace.outside)) {
    await Deno.remove(join(root.workspace.outside, name), { recursive: true });
  }
}

/** CPython and the libraries it embeds, as static libraries, with headers, stdlib sources and licences. */
export async function buildLibraries(store: StageStore, root: BuildRoot): Promise<Stage> {
  const digest = digestOf({ ...root.versions, ...await digestFiles(repository, INPUTS.libpython) });
  const directory = await store.obtain(
    "libpython",
    digest,
    (target) =>
      step("building CPython", () =>
        Workbench.use(root, async (bench) => {
          const script = `${bench.inside}/recipe/build/libpython.sh`;
          await bench.perform("building CPython", ["bash", script], { SOURCES: root.sources });
          await bench.take(target);
        })),
  );
  return { directory, digest };
}

/** The glue linked with the libraries: `python.wasm`, not metered. */
export async function linkPython(store: StageStore, root: BuildRoot, libraries: Stage): Promise<Stage> {
  const files = await digestFiles(repository, INPUTS.link);
  const digest = digestOf({ libraries: libraries.digest, ...without(files, ".py") });
  const directory = await store.obtain(
    "link",
    digest,
    (target) =>
      step("linking python.wasm", () =>
        Workbench.use(root, async (bench) => {
          await bench.place(libraries.directory, "libpython");
          const script = `${bench.inside}/recipe/build/link.sh`;
          await bench.perform("linking python.wasm", ["bash", script], {
            LIBPYTHON: `${bench.inside}/libpython`,
          });
          await bench.take(target);
        })),
  );
  return { directory, digest };
}

/** The stdlib and the glue's modules as bytecode: `python-stdlib.zip`. */
export async function packStdlib(store: StageStore, root: BuildRoot, libraries: Stage): Promise<Stage> {
  const files = await digestFiles(repository, INPUTS.stdlib);
  const digest = digestOf({ libraries: libraries.digest, ...without(without(files, ".c"), ".h") });
  const directory = await store.obtain(
    "stdlib",
    digest,
    (target) =>
      step("packing the stdlib", () =>
        Workbench.use(root, async (bench) => {
          await bench.place(join(libraries.directory, "Lib"), "Lib");
          const { inside } = bench;
          await bench.perform("packing the stdlib", [
            "python3.13",
            `${inside}/recipe/build/stdlib.py`,
            `${inside}/Lib`,
            `${inside}/recipe/glue`,
            `${inside}/work/out/python-stdlib.zip`,
          ]);
          await bench.take(target);
        })),
  );
  return { directory, digest };
}

function without(files: Readonly<Record<string, string>>, suffix: string): Record<string, string> {
  return Object.fromEntries(Object.entries(files).filter(([path]) => !path.endsWith(suffix)));
}
