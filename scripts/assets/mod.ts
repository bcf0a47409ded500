/**
 * Builds what the server embeds: the metered interpreters, Python's stdlib and its base image.
 *
 * Stages are cached by digests of what they are made from, so that the first build on a machine takes minutes, a changed
 * glue file seconds, and a second checkout next to nothing.
 *
 * @module
 */

import { join } from "node:path";
import type { MeteringOptions } from "../../wasm/metering/mod.ts";
import { assemble } from "./assemble.ts";
import { buildBase, buildPip } from "./base_image.ts";
import { buildLibraries, linkPython, packStdlib } from "./cpython.ts";
import { digestFiles, digestOf, sha256 } from "./digest.ts";
import { obtainBuildRoot } from "./find_build_root.ts";
import { thirdPartyLicences } from "./licences.ts";
import { withLock } from "./lock.ts";
import { componentVersions, filesPresent, type Manifest, readManifest } from "./manifest.ts";
import { meterModule } from "./metered.ts";
import { npmPackage, type NpmWasm } from "./npm.ts";
import { npmDefaults } from "./npm_defaults.ts";
import { packPackages, readPackages } from "./packages.ts";
import { cacheDirectory, dist, repository } from "./paths.ts";
import { INPUTS, QUICKJS, RESVG } from "./recipe.ts";
import { type Stage, StageStore } from "./store.ts";
import { clearWorkspace } from "./workbench.ts";

export { AssetsError } from "./errors.ts";
export type { BundledPackage, Manifest } from "./manifest.ts";
export { readManifest } from "./manifest.ts";

/** The digest of every file of a checkout that the assets depend on. */
export async function recipeDigest(checkout: string = repository): Promise<string> {
  return digestOf(await digestFiles(checkout, Object.values(INPUTS).flat()));
}

/**
 * Makes sure that `wasm/dist` holds the assets of this checkout, building what is missing. When nothing has changed this
 * takes some ten milliseconds. Progress goes to stderr.
 *
 * @throws {AssetsError} if the build is impossible here, or a step of it failed.
 */
export async function ensureAssets(): Promise<Manifest> {
  const recipe = await recipeDigest();
  const current = await currentManifest(recipe);
  if (current) return current;
  const cache = cacheDirectory();
  await Deno.mkdir(cache, { recursive: true });
  return await withLock(join(cache, "lock"), async () =>
    // Another process may have built the same while we waited.
    await currentManifest(recipe) ?? await build(new StageStore(cache), recipe));
}

/** The argv that starts the native CPython whose minor version ours has: the build root's. */
export async function nativePython(): Promise<string[]> {
  const cache = cacheDirectory();
  await Deno.mkdir(cache, { recursive: true });
  const root = await withLock(join(cache, "lock"), () => obtainBuildRoot(new StageStore(cache)));
  return root.command(["python3.13"]);
}

async function currentManifest(recipe: string): Promise<Manifest | undefined> {
  const manifest = await readManifest(dist);
  return manifest?.recipe === recipe && await filesPresent(dist, manifest) ? manifest : undefined;
}

async function build(store: StageStore, recipe: string): Promise<Manifest> {
  await store.clearScratch();
  const root = await obtainBuildRoot(store);
  await clearWorkspace(root);
  const libraries = await buildLibraries(store, root);
  const linked = await linkPython(store, root, libraries);
  const stdlib = await packStdlib(store, root, libraries);
  const python = await meterModule(store, "python", {
    digest: linked.digest,
    read: () => Deno.readFile(join(linked.directory, "python.wasm")),
    options: { growHook: true },
  });
  const quickjs = await meterPackage(store, "quickjs", QUICKJS, {});
  const resvg = await meterPackage(store, "resvg", RESVG, { growHook: true });
  const image = await buildBase(store, python, stdlib);
  const packages = await packPackages(store, root);
  const packed = await readPackages(packages);
  const pipImage = await buildPip(store, { python, stdlib, image, packages });

  const folders = {
    libpython: libraries.directory,
    quickjs: quickjs.folder,
    packages: packages.directory,
  };
  const licences = await thirdPartyLicences(folders, packed);
  return await assemble(dist, {
    copies: {
      "python.wasm": join(python.directory, "python.wasm"),
      "python.unmetered.wasm": join(linked.directory, "python.wasm"),
      "python-stdlib.zip": join(stdlib.directory, "python-stdlib.zip"),
      "python.image": join(image.directory, "python.image"),
      "python-pip.image": join(pipImage.directory, "python-pip.image"),
      "python-bundled.zip": join(packages.directory, "bundled.zip"),
      "python-tzdata.zip": join(packages.directory, "tzdata.zip"),
      "python-pip.zip": join(packages.directory, "pip.zip"),
      "DejaVuSans.ttf": join(packages.directory, "DejaVuSans.ttf"),
      "DejaVuSans-Bold.ttf": join(packages.directory, "DejaVuSans-Bold.ttf"),
      "quickjs.wasm": join(quickjs.directory, "quickjs.wasm"),
      "quickjs.unmetered.wasm": join(quickjs.folder, QUICKJS.file),
      "resvg.wasm": join(resvg.directory, "resvg.wasm"),
    },
    texts: { "THIRD_PARTY_LICENSES.txt": licences },
    recipe,
    build: digestOf({ recipe, ...root.versions }),
    versions: componentVersions(root.versions),
    packages: packed.packages,
    leftOut: packed.leftOut,
    pip: packed.pip,
    npm: npmDefaults(),
    stdlib: JSON.parse(await Deno.readTextFile(join(image.directory, "modules.json"))),
  });
}

/** The wasm of an npm package, metered; `folder` is the package's. */
async function meterPackage(
  store: StageStore,
  name: string,
  from: NpmWasm,
  options: MeteringOptions,
): Promise<Stage & { readonly folder: string }> {
  const folder = await npmPackage(from);
  const unmetered = await Deno.readFile(join(folder, from.file));
  const read = () => Promise.resolve(unmetered);
  return { ...await meterModule(store, name, { digest: sha256(unmetered), read, options }), folder };
}
