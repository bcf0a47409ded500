/** The stages of what is taken ready-made: Python packages for every session, pip, time zones, fonts. */

import { join } from "node:path";
import type { BuildRoot } from "./build_root.ts";
import { digestFiles, digestOf } from "./digest.ts";
import { AssetsError } from "./errors.ts";
import type { BundledPackage, Installer } from "./manifest.ts";
import { repository } from "./paths.ts";
import { note, step } from "./progress.ts";
import { INPUTS } from "./recipe.ts";
import { STEPS } from "./steps.ts";
import type { Stage, StageStore } from "./store.ts";
import { downloadWheels, requirementsOf, type Wheel } from "./wheels.ts";
import { makeStage } from "./workbench.ts";

const RECIPE = join(repository, "wasm/python/packages");

/** `packages.json` of the recipe: names of Debian's binary packages, and wheels that Debian does not have. */
interface Wanted {
  readonly debian: readonly { readonly package: string }[];
  readonly wheels: readonly Wheel[];
  readonly certificates: string;
  readonly timezones: string;
  readonly pip: string;
  readonly fonts: string;
}

/** `packages.json` of the result. */
export interface PackedPackages {
  readonly packages: readonly BundledPackage[];
  readonly pip: Installer;
  readonly fonts: { readonly name: string; readonly licence: string; readonly source: string };
  /** Wheels that could not be had. */
  readonly leftOut: readonly string[];
}

/** `bundled.zip`, `tzdata.zip`, `pip.zip`, fonts, `licences/`, and `packages.json`: {@link PackedPackages}. */
export async function packPackages(store: StageStore, root: BuildRoot): Promise<Stage> {
  const wanted = await readWanted();
  const debs = await downloadDebs(store, root);
  const wheels = await obtainWheels(store, root, debs, wanted);
  const digest = digestOf({
    debs: debs.digest,
    wheels: wheels?.digest ?? "none",
    ...await digestFiles(debs.directory, ["."]),
    ...await digestFiles(repository, INPUTS.packages),
  });
  return await makeStage(store, root, STEPS.packages, digest, async (bench) => {
    await bench.place(debs.directory, "debs");
    if (wheels) await bench.place(wheels.directory, "wheels");
    const { inside } = bench;
    const recipe = `${inside}/recipe/packages`;
    await bench.perform("packing Python packages", [
      "python3.13",
      `${recipe}/pack.py`,
      recipe,
      `${inside}/debs`,
      `${inside}/wheels`,
      `${inside}/work/out`,
    ]);
  });
}

/** What {@link packPackages} says of its result. */
export async function readPackages({ directory }: Stage): Promise<PackedPackages> {
  return JSON.parse(await Deno.readTextFile(join(directory, "packages.json")));
}

async function readWanted(): Promise<Wanted> {
  return JSON.parse(await Deno.readTextFile(join(RECIPE, "packages.json")));
}

/** Binary packages of the suite, checked by apt. They stay as they are until the build root is made anew. */
export async function downloadDebs(store: StageStore, root: BuildRoot): Promise<Stage> {
  const wanted = await readWanted();
  const names = [
    ...wanted.debian.map((entry) => entry.package),
    wanted.certificates,
    wanted.timezones,
    wanted.pip,
    wanted.fonts,
  ];
  const packages = names.join(" ");
  const script = await digestFiles(repository, ["wasm/python/packages/fetch.sh"]);
  const digest = digestOf({ packages, arch: Deno.build.arch, ...root.versions, ...script });
  return await makeStage(store, root, STEPS.debs, digest, async (bench) => {
    const script = `${bench.inside}/recipe/packages/fetch.sh`;
    await bench.perform("downloading Python packages", ["bash", script], { PACKAGES: packages });
  });
}

/** The wheels; undefined if no pip can get at them. The next build that has to pack tries again. */
async function obtainWheels(
  store: StageStore,
  root: BuildRoot,
  debs: Stage,
  { wheels }: Wanted,
): Promise<Stage | undefined> {
  const digest = digestOf({ requirements: requirementsOf(wheels) });
  try {
    const directory = await store.obtain(
      "wheels",
      digest,
      (target) =>
        step(
          STEPS.wheels,
          () => downloadWheels(wheels, target, () => Promise.resolve({ root, debs })),
        ),
    );
    return { directory, digest };
  } catch (error) {
    if (!(error instanceof AssetsError)) throw error;
    note(`left out, since their wheels can't be downloaded: ${wheels.map(({ name }) => name).join(", ")}`);
    return undefined;
  }
}
