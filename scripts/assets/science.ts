/**
 * The stages of science: numpy, pandas, Pillow, matplotlib and what they stand on, as objects to be linked and a zip; and
 * those of scipy and scikit-learn, which are linked with them.
 */

import { join } from "node:path";
import type { BuildRoot } from "./build_root.ts";
import { digestFiles, digestOf } from "./digest.ts";
import type { BundledPackage } from "./manifest.ts";
import { repository } from "./paths.ts";
import { tryRun } from "./process.ts";
import { INPUTS, SUITE } from "./recipe.ts";
import { obtainRust, RUST_FOLDER } from "./rust.ts";
import { all } from "./slots.ts";
import { SCIENCE_STEPS, SCIPY_STEPS, type Step } from "./steps.ts";
import type { Stage, StageStore } from "./store.ts";
import { makeStage } from "./workbench.ts";

const FOLDER = "wasm/python/science";

const PACKING: Readonly<Record<"science" | "scipy", Step & { readonly stage: string }>> = {
  science: SCIENCE_STEPS.pack,
  scipy: SCIPY_STEPS.pack,
};

/** The lists of what is downloaded: `NAME.json`. One that changes makes anew what is built from it, and no more. */
const LISTS = ["sources", "formats", "documents", "fonts", "rust", "parquet"] as const;
const SCIPY_LISTS = ["scipy", "sklearn"] as const;
type SourceList = typeof LISTS[number] | typeof SCIPY_LISTS[number];

const STEPS = { ...SCIENCE_STEPS, ...SCIPY_STEPS };

/** A step that makes packages. */
interface Build {
  readonly name: keyof typeof STEPS;
  /** What its sources are of; absent: the first of the lists. */
  readonly list?: SourceList;
  /** The steps whose results it needs, by the names that it knows them by. */
  readonly needs?: Readonly<Record<string, string>>;
  /** Further files of the recipe that it goes by. */
  readonly files?: readonly string[];
}

const RUST_FILES = [
  "rust.inc.sh",
  "rust",
  ...["cramjam", "jiter", "orjson", "pydantic_core", "rpds_py"].map((name) => `patches/${name}`),
];

/** Libraries in C, which others are linked with; those of formats are Pillow's alone. */
const LIBRARIES: readonly Build[] = [
  { name: "libraries" },
  { name: "formats", list: "formats", needs: { LIBRARIES: "libraries" } },
];
/** Those with extension modules, in their order. */
const LINKED: readonly Build[] = [
  { name: "numpy", files: ["blas", "floating_point.c", "floating_point.h", "sort.cpp"] },
  {
    name: "overflow",
    needs: { NUMPY: "numpy" },
    files: ["overflow.c", "indices.c", "indices_found.h", "indices_given.h"],
  },
  { name: "pandas", needs: { NUMPY: "numpy" } },
  { name: "pillow", needs: { LIBRARIES: "libraries", FORMATS: "formats" } },
  {
    name: "matplotlib",
    needs: { LIBRARIES: "libraries", NUMPY: "numpy" },
    files: ["patches/kiwisolver", "patches/contourpy"],
  },
  { name: "documents", list: "documents" },
  { name: "rust", list: "rust", files: RUST_FILES },
  { name: "parquet", list: "parquet", needs: { NUMPY: "numpy" } },
];

/** What has data alone. */
const FONTS: Build = { name: "fonts", list: "fonts" };

/** What scipy is linked with, scipy, and what stands on it. */
const LAPACK: Build = { name: "lapack", list: "scipy", files: ["lapack"] };
const SCIPY: Build = {
  name: "scipy",
  list: "scipy",
  needs: { LAPACK: "lapack", NUMPY: "numpy" },
  files: ["scipy.c", "scipy.h", "scipy_files.py"],
};
const SKLEARN: Build = {
  name: "sklearn",
  list: "sklearn",
  needs: { NUMPY: "numpy" },
  files: ["patches/scikit_learn"],
};

/** A list of the recipe. */
interface Sources {
  readonly index: readonly { readonly file: string; readonly sha256: string }[];
  readonly debian?: readonly string[];
  readonly tools?: readonly string[];
}

/** `packages.json` of the result. */
export interface PackedScience {
  readonly packages: readonly BundledPackage[];
  readonly libraries: readonly { readonly name: string; readonly licence: string }[];
}

/** What science, or scipy with it, comes to before it is linked. */
export interface Science {
  readonly tools: Stage;
  /** By name, what is linked. */
  readonly modules: Readonly<Record<string, Stage>>;
  /** `{science,scipy}.zip`, `packages.json` and `licences/`; of science, `science.{data,json}` too. */
  readonly packed: Stage;
}

/**
 * @param headers CPython's: all that they see of it before they are linked.
 * @param defaultIndex Where Python's packages come from, unless this system's pip is told otherwise.
 */
export async function buildScience(
  store: StageStore,
  root: BuildRoot,
  headers: Stage,
  defaultIndex: string,
): Promise<Science> {
  const download = (list: SourceList) => downloadSources(store, root, list, defaultIndex);
  const builds = [...LIBRARIES, ...LINKED, FONTS];
  // Each begins when what it needs is there, whatever stands before it.
  const tools = download("sources").then((SOURCES) => make(store, root, "tools", { SOURCES }, ["tools.sh"]));
  const beginning = new Map<string, Promise<Stage>>();
  for (const build of builds) {
    const list = build.list ?? "sources";
    const stages = async () => ({
      SOURCES: await download(list),
      TOOLS: await tools,
      HEADERS: headers,
      ...build.name === "rust" && await obtainCrates(store, root, await download(list)),
    });
    beginning.set(build.name, stages().then((stages) => makeBuild(store, root, build, stages, beginning)));
  }
  const stages = await all([...beginning.values()]);
  const made = new Map(builds.map(({ name }, index) => [name as string, stages[index]!]));
  const modules = Object.fromEntries(LINKED.map(({ name }) => [name, made.get(name)!]));
  const libraries = Object.fromEntries(LIBRARIES.map(({ name }) => [name, made.get(name)!]));
  const beside = { tools: await tools, ...libraries };
  const packed = { ...modules, fonts: made.get(FONTS.name)! };
  return { tools: beside.tools, modules, packed: await pack(store, root, "science", LISTS, packed, beside) };
}

/** scipy, to be linked with science's modules. */
export async function buildScipy(
  store: StageStore,
  root: BuildRoot,
  headers: Stage,
  { tools, modules }: Science,
  defaultIndex: string,
): Promise<Science> {
  const SOURCES = await downloadSources(store, root, "scipy", defaultIndex);
  const ofSklearn = await downloadSources(store, root, "sklearn", defaultIndex);
  const stages = { SOURCES, TOOLS: tools, HEADERS: headers };
  const lapack = await makeBuild(store, root, LAPACK, stages, new Map());
  const made = new Map(
    Object.entries({ ...modules, lapack }).map(([name, stage]) => [name, Promise.resolve(stage)] as const),
  );
  const [scipy, sklearn] = await all([
    makeBuild(store, root, SCIPY, stages, made),
    makeBuild(store, root, SKLEARN, { ...stages, SOURCES: ofSklearn, SCIPY_SOURCES: SOURCES }, made),
  ]);
  const beside = { lapack };
  return {
    tools,
    modules: { ...modules, scipy, sklearn },
    packed: await pack(store, root, "scipy", SCIPY_LISTS, { scipy, sklearn }, beside),
  };
}

/** What is built of Rust: its compiler, and the crates. */
async function obtainCrates(
  store: StageStore,
  root: BuildRoot,
  SOURCES: Stage,
): Promise<Record<string, Stage>> {
  const RUST = await obtainRust(store, root);
  return { RUST, CRATES: await make(store, root, "crates", { SOURCES, RUST }, ["crates.sh", ...RUST_FILES]) };
}

/** @param made What is made, or was. */
async function makeBuild(
  store: StageStore,
  root: BuildRoot,
  { name, needs = {}, files = [] }: Build,
  stages: Readonly<Record<string, Stage>>,
  made: ReadonlyMap<string, Promise<Stage>>,
): Promise<Stage> {
  const others = await all(
    Object.entries(needs).map(async ([variable, build]) => [variable, await made.get(build)!] as const),
  );
  const common = [`${name}.sh`, `patches/${name}`, "bin", "collect.py", "cross.ini", "threads.h"];
  return await make(store, root, name, { ...stages, ...Object.fromEntries(others) }, [...common, ...files]);
}

/** What science has to say of its packages. */
export async function readScience({ directory }: Stage): Promise<PackedScience> {
  return JSON.parse(await Deno.readTextFile(join(directory, "packages.json")));
}

/** What a list names, downloaded and compared with its SHA-256. */
export async function downloadSources(
  store: StageStore,
  root: BuildRoot,
  list: SourceList,
  defaultIndex: string,
): Promise<Stage> {
  const inputs = [`${list}.json`, "fetch_index.py", "fetch_debian.sh"].map((name) => `${FOLDER}/${name}`);
  const digest = digestOf({ suite: SUITE, ...await digestFiles(repository, inputs) });
  const wanted: Sources = JSON.parse(await Deno.readTextFile(join(repository, FOLDER, `${list}.json`)));
  return await makeStage(store, root, STEPS[`${list}Download`], digest, async (bench) => {
    const recipe = `${bench.inside}/recipe/science`;
    const { debian = [], tools = [] } = wanted;
    if (debian.length + tools.length > 0) {
      await bench.perform("downloading sources from Debian", ["bash", `${recipe}/fetch_debian.sh`], {
        SUITE,
        SOURCE_PACKAGES: debian.join(" "),
        TOOLS: tools.join(" "),
      });
    }
    const argv = [
      "python3.13",
      `${recipe}/fetch_index.py`,
      `${recipe}/${list}.json`,
      `${bench.inside}/work/out`,
    ];
    await bench.perform("downloading sources from Python's index", argv, {
      INDEX_URL: await indexUrl(defaultIndex),
    });
  });
}

/** The index that this system's pip uses. */
export async function indexUrl(otherwise: string): Promise<string> {
  const said = Deno.env.get("PIP_INDEX_URL") ??
    await tryRun(["pip3", "config", "get", "global.index-url"]) ?? "";
  return said.trim() || otherwise;
}

/** Runs `NAME.sh`. @param stages By the variables that name them to it. @param files Of the recipe, what it goes by. */
async function make(
  store: StageStore,
  root: BuildRoot,
  name: Build["name"],
  stages: Readonly<Record<string, Stage>>,
  files: readonly string[],
): Promise<Stage> {
  const inputs = [
    "wasm/python/build/toolchain.sh",
    ...["toolchain.sh", ...files].map((file) => `${FOLDER}/${file}`),
    ..."RUST" in stages ? [RUST_FOLDER] : [],
  ];
  const digests = Object.entries(stages).map(([variable, { digest }]) => [variable, digest]);
  const digest = digestOf({
    ...root.versions,
    ...Object.fromEntries(digests),
    ...await digestFiles(repository, inputs),
  });
  return await makeStage(store, root, STEPS[name], digest, async (bench) => {
    const env: Record<string, string> = { CPYTHON_SOURCES: root.sources };
    if ("RUST" in stages) {
      await bench.place(join(repository, RUST_FOLDER), "rust");
      env.RUST_RECIPE = `${bench.inside}/rust`;
    }
    for (const [variable, { directory }] of Object.entries(stages)) {
      await bench.place(directory, variable);
      env[variable] = `${bench.inside}/${variable}`;
    }
    await bench.perform(name, ["bash", `${bench.inside}/recipe/science/${name}.sh`], env);
  });
}

/** @param lists What names its sources. @param made What has distributions. @param beside What has licences alone. */
async function pack(
  store: StageStore,
  root: BuildRoot,
  name: keyof typeof PACKING,
  lists: readonly SourceList[],
  made: Readonly<Record<string, Stage>>,
  beside: Readonly<Record<string, Stage>>,
): Promise<Stage> {
  const inputs = [...lists.map((list) => `${list}.json`), "pack.py"].map((name) => `${FOLDER}/${name}`);
  const digests = Object.entries({ ...made, ...beside }).map(([name, { digest }]) => [name, digest]);
  const digest = digestOf({
    ...Object.fromEntries(digests),
    ...await digestFiles(repository, [...INPUTS.packages, ...inputs]),
  });
  return await makeStage(store, root, PACKING[name], digest, async (bench) => {
    const packages = `${bench.inside}/packages`;
    await bench.placeAll(made, "packages");
    for (const [name, { directory }] of Object.entries(beside)) {
      await Deno.mkdir(join(bench.outside, "packages", name));
      await bench.place(join(directory, "licences"), `packages/${name}/licences`);
    }
    const { inside } = bench;
    await bench.perform("packing", [
      "python3.13",
      `${inside}/recipe/science/pack.py`,
      packages,
      `${inside}/work/out`,
      name,
      ...lists.map((list) => `${list}.json`),
    ]);
  });
}
