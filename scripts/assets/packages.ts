/** The stages of what is taken ready-made: Python packages for every session, pip, time zones, fonts. */

import { join } from "node:path";
import type { BuildRoot } from "./build_root.ts";
import { digestFiles, digestOf } from "./digest.ts";
import { AssetsError } from "./errors.ts";
import type { BundledPackage, Installer } from "./manifest.ts";
import { repository } from "./paths.ts";
import { tryRun } from "./process.ts";
import { note, step } from "./progress.ts";
import { INPUTS } from "./recipe.ts";
import type { Stage, StageStore } from "./store.ts";
import { Workbench } from "./workbench.ts";

const RECIPE = join(repository, "wasm/python/packages");

/** `packages.json` of the recipe: names of Debian's binary packages, and wheels that Debian does not have. */
interface Wanted {
  readonly debian: readonly { readonly package: string }[];
  readonly wheels: readonly { readonly name: string; readonly version: string; readonly sha256: string }[];
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

/** How pip is called: the very files that are pinned, without waiting long for an index that can't be reached. */
const PIP_OPTIONS = [
  "--quiet",
  "--no-deps",
  "--only-binary=:all:",
  "--require-hashes",
  "--disable-pip-version-check",
  "--retries=1",
  "--timeout=15",
];

/** `bundled.zip`, `tzdata.zip`, `pip.zip`, fonts, `licences/`, and `packages.json`: {@link PackedPackages}. */
export async function packPackages(store: StageStore, root: BuildRoot): Promise<Stage> {
  const wanted = JSON.parse(await Deno.readTextFile(join(RECIPE, "packages.json"))) as Wanted;
  const debs = await downloadDebs(store, root, wanted);
  const wheels = await downloadWheels(store, root, debs, wanted);
  const digest = digestOf({
    debs: debs.digest,
    wheels: wheels?.digest ?? "none",
    ...await digestFiles(debs.directory, ["."]),
    ...await digestFiles(repository, INPUTS.packages),
  });
  const directory = await store.obtain(
    "packages",
    digest,
    (target) =>
      step("packing Python packages", () =>
        Workbench.use(root, async (bench) => {
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
          await bench.take(target);
        })),
  );
  return { directory, digest };
}

/** What {@link packPackages} says of its result. */
export async function readPackages({ directory }: Stage): Promise<PackedPackages> {
  return JSON.parse(await Deno.readTextFile(join(directory, "packages.json")));
}

/** Binary packages of the suite, checked by apt. They stay as they are until the build root is made anew. */
async function downloadDebs(store: StageStore, root: BuildRoot, wanted: Wanted): Promise<Stage> {
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
  const directory = await store.obtain(
    "debs",
    digest,
    (target) =>
      step("downloading Python packages", () =>
        Workbench.use(root, async (bench) => {
          const script = `${bench.inside}/recipe/packages/fetch.sh`;
          await bench.perform("downloading Python packages", ["bash", script], { PACKAGES: packages });
          await bench.take(target);
        })),
  );
  return { directory, digest };
}

/** The wheels; undefined if no pip can get at them. The next build that has to pack tries again. */
async function downloadWheels(
  store: StageStore,
  root: BuildRoot,
  debs: Stage,
  { wheels }: Wanted,
): Promise<Stage | undefined> {
  const requirements = wheels.map((wheel) =>
    `${wheel.name}==${wheel.version} --hash=sha256:${wheel.sha256}\n`
  )
    .join("");
  const digest = digestOf({ requirements });
  try {
    const directory = await store.obtain(
      "wheels",
      digest,
      (target) =>
        step("downloading wheels", async () => {
          if (await downloadWithOwnPip(requirements, target)) return;
          await downloadWithPackedPip(root, debs, requirements, target);
        }),
    );
    return { directory, digest };
  } catch (error) {
    if (!(error instanceof AssetsError)) throw error;
    note(`left out, since their wheels can't be downloaded: ${wheels.map(({ name }) => name).join(", ")}`);
    return undefined;
  }
}

/** By this system's pip, if there is one: it knows its index. @returns Whether it worked. */
async function downloadWithOwnPip(requirements: string, target: string): Promise<boolean> {
  const list = await Deno.makeTempFile({ suffix: ".txt" });
  try {
    await Deno.writeTextFile(list, requirements);
    const download = ["download", ...PIP_OPTIONS, "--requirement", list, "--dest", target];
    for (const pip of [["pip3"], ["python3", "-m", "pip"]]) {
      if (await tryRun([...pip, ...download]) !== undefined) return true;
    }
    return false;
  } finally {
    await Deno.remove(list);
  }
}

/** By the pip that is packed too, in the build root, with what our environment says to pip. */
async function downloadWithPackedPip(
  root: BuildRoot,
  debs: Stage,
  requirements: string,
  target: string,
): Promise<void> {
  const settings = Object.entries(Deno.env.toObject()).filter(([name]) => name.startsWith("PIP_"));
  await Workbench.use(root, async (bench) => {
    await bench.place(debs.directory, "debs");
    await Deno.writeTextFile(join(bench.outside, "requirements.txt"), requirements);
    const script = `${bench.inside}/recipe/packages/wheels.sh`;
    await bench.perform("downloading wheels", ["bash", script, ...PIP_OPTIONS], {
      ...Object.fromEntries(settings),
      DEBS: `${bench.inside}/debs`,
      REQUIREMENTS: `${bench.inside}/requirements.txt`,
    });
    await bench.take(target);
  });
}
