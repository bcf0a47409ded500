/** The build itself: all stages, each taken from the cache where it is there. */

import { join } from "node:path";
import { assemble } from "./assemble.ts";
import { buildBase, buildLargerHeap, buildPip, scienceFiles } from "./base_image.ts";
import type { BuildRoot } from "./build_root.ts";
import { buildLibraries, linkPython, packStdlib, pythonHeaders } from "./cpython.ts";
import { digestOf, sha256 } from "./digest.ts";
import { buildJavaScriptImage, bundleLibraries } from "./javascript.ts";
import { thirdPartyLicences } from "./licences.ts";
import { componentVersions, type Manifest } from "./manifest.ts";
import { meterModule } from "./metered.ts";
import { npmPackage, type NpmWasm } from "./npm.ts";
import { npmDefaults } from "./npm_defaults.ts";
import { packPackages, readPackages } from "./packages.ts";
import { buildPage, PAGE_FILES } from "./page.ts";
import { dist } from "./paths.ts";
import { buildQuickJS } from "./quickjs.ts";
import { RESVG } from "./recipe.ts";
import { buildScience, buildScipy, type PackedScience, readScience, type Science } from "./science.ts";
import { buildShell, type BuiltShell } from "./shell.ts";
import { all } from "./slots.ts";
import { SCIENCE_STEPS, SCIPY_STEPS } from "./steps.ts";
import type { Stage, StageStore } from "./store.ts";
import { warmUpPrograms } from "./warm_up.ts";
import { clearWorkspace } from "./workbench.ts";

/** Digests of the recipe, and of its parts that are wanted. */
export interface BuildRecipes {
  /** {@link recipeDigest} of the checkout. */
  readonly recipe: string;
  readonly science?: string;
  readonly scipy?: string;
  readonly shell?: string;
}

/** What sessions run in, but for QuickJS, whose segments are small. */
const IMAGED: ReadonlySet<string> = new Set([
  "python.wasm",
  "python-science.wasm",
  "python-scipy.wasm",
  "shell.wasm",
]);

/**
 * Builds what is missing and puts it together in `wasm/dist`.
 *
 * @param recipes What the manifest tells of the checkout.
 * @throws {AssetsError} if a step failed.
 */
export async function build(
  store: StageStore,
  root: BuildRoot,
  { recipe, science: scienceRecipe, scipy: scipyRecipe, shell: shellRecipe }: BuildRecipes,
): Promise<Manifest> {
  await clearWorkspace(root);
  // What configures CPython, and what packs and compiles QuickJS, keep one core busy each.
  const [libraries, { packages, packed, engine }] = await all([
    buildLibraries(store, root),
    buildBeside(store, root),
  ]);
  const headers = await pythonHeaders(libraries);
  const [science, shell] = await all([
    scienceRecipe === undefined
      ? Promise.resolve(undefined)
      : buildScience(store, root, headers, packed.pip.indexUrl),
    shellRecipe === undefined ? Promise.resolve(undefined) : buildShell(store, root),
  ]);
  const scipy = science && scipyRecipe !== undefined
    ? await buildScipy(store, root, headers, science, packed.pip.indexUrl)
    : undefined;
  const linked = await linkPython(store, root, libraries);
  const stdlib = await packStdlib(store, root, libraries);
  const python = await meterPython(store, "python", linked);
  const quickjs = await meterModule(store, "quickjs", {
    digest: engine.digest,
    read: () => Deno.readFile(join(engine.directory, "quickjs.wasm")),
    options: { growHook: true },
  });
  const resvg = await meterPackage(store, "resvg", RESVG);
  const image = await buildBase(store, python, stdlib);
  const pipImage = await buildPip(store, { python, stdlib, image, packages });

  const javascriptLibraries = await bundleLibraries(store);
  const javascriptImage = await buildJavaScriptImage(store, quickjs, javascriptLibraries);

  const page = await buildPage(store);

  const more = science && scienceRecipe !== undefined
    ? await scienceParts(store, scienceRecipe, science, {
      linked: await linkPython(store, root, libraries, SCIENCE_STEPS.link, science),
      stdlib,
      packages,
    })
    : NO_SCIENCE;
  const most = science && scipy && scipyRecipe !== undefined
    ? await scipyParts(store, scipyRecipe, science, scipy, {
      linked: await linkPython(store, root, libraries, SCIPY_STEPS.link, scipy),
      stdlib,
      packages,
    })
    : NO_SCIENCE;
  const folders = {
    libpython: libraries.directory,
    quickjs: engine.directory,
    javascript: javascriptLibraries.directory,
    page: page.directory,
    packages: packages.directory,
    ...science && { science: science.packed.directory },
    ...scipy && { scipy: scipy.packed.directory },
    ...shell && { shell: shell.linked.directory },
  };
  const licences = await thirdPartyLicences(folders, packed, { science: more.packed, scipy: most.packed });
  return await assemble(dist, {
    copies: {
      "python.wasm": join(python.directory, "python.wasm"),
      "python.unmetered.wasm": join(linked.directory, "python.wasm"),
      "python-stdlib.zip": join(stdlib.directory, "python-stdlib.zip"),
      "python-sources.zip": join(stdlib.directory, "python-sources.zip"),
      "python.image": join(image.directory, "python.image"),
      "python-pip.image": join(pipImage.directory, "python-pip.image"),
      "python-bundled.zip": join(packages.directory, "bundled.zip"),
      "python-mathematics.zip": join(packages.directory, "mathematics.zip"),
      "python-more.zip": join(packages.directory, "more.zip"),
      "python-tzdata.zip": join(packages.directory, "tzdata.zip"),
      "python-pip.zip": join(packages.directory, "pip.zip"),
      "DejaVuSans.ttf": join(packages.directory, "DejaVuSans.ttf"),
      "DejaVuSans-Bold.ttf": join(packages.directory, "DejaVuSans-Bold.ttf"),
      "quickjs.wasm": join(quickjs.directory, "quickjs.wasm"),
      "quickjs.unmetered.wasm": join(engine.directory, "quickjs.wasm"),
      "javascript.memory": join(javascriptImage.directory, "javascript.memory"),
      "javascript.json": join(javascriptImage.directory, "javascript.json"),
      "javascript-git.image": join(javascriptImage.directory, "javascript-git.image"),
      "javascript-libraries.json": join(javascriptLibraries.directory, "lazy.json"),
      "resvg.wasm": join(resvg.directory, "resvg.wasm"),
      ...Object.fromEntries(PAGE_FILES.map((name) => [name, join(page.directory, name)])),
      ...more.copies,
      ...most.copies,
      ...shell && {
        "shell.wasm": join(shell.module.directory, "shell.wasm"),
        "shell.memory": join(shell.image.directory, "shell.memory"),
      },
    },
    texts: { "THIRD_PARTY_LICENSES.txt": licences, "warm_up.json": await warmUpPrograms() },
    imaged: IMAGED,
    recipe,
    build: digestOf({ recipe, ...root.versions }),
    versions: componentVersions(root.versions),
    packages: [...packed.packages, ...more.packed.packages, ...most.packed.packages],
    ...more.described,
    ...most.described,
    ...shell && shellRecipe !== undefined && { shell: await describeShell(shell, shellRecipe) },
    leftOut: packed.leftOut,
    pip: packed.pip,
    npm: npmDefaults(),
    stdlib: JSON.parse(await Deno.readTextFile(join(image.directory, "modules.json"))),
  });
}

/** What does not need CPython. */
async function buildBeside(store: StageStore, root: BuildRoot) {
  const packages = await packPackages(store, root);
  const packed = await readPackages(packages);
  return { packages, packed, engine: await buildQuickJS(store, root, packed.pip.indexUrl) };
}

function meterPython(store: StageStore, name: "python" | "science" | "scipy", linked: Stage): Promise<Stage> {
  return meterModule(store, name, {
    digest: linked.digest,
    read: () => Deno.readFile(join(linked.directory, "python.wasm")),
    options: { growHook: true },
  });
}

/** What the manifest says of the shell's parts. */
async function describeShell(
  { linked, image, versions }: BuiltShell,
  recipe: string,
): Promise<NonNullable<Manifest["shell"]>> {
  const crates: readonly { name: string; version: string }[] = JSON.parse(
    await Deno.readTextFile(join(linked.directory, "crates.json")),
  );
  const bashkit = crates.find(({ name }) => name === "bashkit")?.version ?? "unknown";
  return {
    recipe,
    versions: { bashkit, rustc: versions["rustc"] ?? "unknown" },
    heap: JSON.parse(await Deno.readTextFile(join(image.directory, "heap.json"))),
  };
}

/** What science, or scipy, adds to a build. */
interface ScienceParts {
  readonly copies: Readonly<Record<string, string>>;
  readonly packed: PackedScience;
  readonly described: Pick<Manifest, "science" | "scipy">;
}

const NO_SCIENCE: ScienceParts = { copies: {}, packed: { packages: [], libraries: [] }, described: {} };

async function scienceParts(
  store: StageStore,
  recipe: string,
  { packed }: Science,
  { linked, ...stages }: Readonly<Record<"linked" | "stdlib" | "packages", Stage>>,
): Promise<ScienceParts> {
  const python = await meterPython(store, "science", linked);
  const heap = await buildLargerHeap(store, { ...stages, python, science: packed });
  return {
    copies: {
      "python-science.wasm": join(python.directory, "science.wasm"),
      "python-science.zip": join(packed.directory, "science.zip"),
      "python-science.data": join(packed.directory, "science.data"),
      "python-science.memory": join(heap.directory, "python-science.memory"),
    },
    packed: await readScience(packed),
    described: {
      science: {
        recipe,
        files: await scienceFiles(packed),
        heap: JSON.parse(await Deno.readTextFile(join(heap.directory, "heap.json"))),
      },
    },
  };
}

async function scipyParts(
  store: StageStore,
  recipe: string,
  science: Science,
  { packed }: Science,
  { linked, ...stages }: Readonly<Record<"linked" | "stdlib" | "packages", Stage>>,
): Promise<ScienceParts> {
  const python = await meterPython(store, "scipy", linked);
  const heap = await buildLargerHeap(store, { ...stages, python, science: science.packed, scipy: packed });
  return {
    copies: {
      "python-scipy.wasm": join(python.directory, "scipy.wasm"),
      "python-scipy.zip": join(packed.directory, "scipy.zip"),
      "python-scipy.memory": join(heap.directory, "python-scipy.memory"),
    },
    packed: await readScience(packed),
    described: {
      scipy: { recipe, heap: JSON.parse(await Deno.readTextFile(join(heap.directory, "heap.json"))) },
    },
  };
}

/** The wasm of an npm package, metered. */
async function meterPackage(store: StageStore, name: "resvg", from: NpmWasm): Promise<Stage> {
  const packaged = await Deno.readFile(join(await npmPackage(from), from.file));
  return await meterModule(store, name, {
    digest: sha256(packaged),
    read: () => Promise.resolve(packaged),
    options: { growHook: true },
  });
}
