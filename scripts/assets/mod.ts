/**
 * Builds what the server embeds: the metered interpreters, Python's stdlib and its base image.
 *
 * Stages are cached by digests of what they are made from, so that the first build on a machine takes minutes, a changed
 * glue file seconds, and a second checkout next to nothing.
 *
 * What builds is loaded when it is needed: nearly always everything is there.
 *
 * @module
 */

import { join } from "node:path";
import type * as Build from "./build.ts";
import { digestFiles, digestOf } from "./digest.ts";
import { chooseBuildRoot } from "./find_build_root.ts";
import { withLock } from "./lock.ts";
import { filesPresent, type Manifest, readManifest } from "./manifest.ts";
import { cacheDirectory, dist, repository } from "./paths.ts";
import { announce, note } from "./progress.ts";
import { INPUTS } from "./recipe.ts";
import { duration, type Parts, type Step, stepsOf } from "./steps.ts";
import { StageStore } from "./store.ts";

const BUILD = "./build.ts";

export { AssetsError } from "./errors.ts";
export type { BundledPackage, Manifest } from "./manifest.ts";
export { readManifest } from "./manifest.ts";

/** The digest of every file of a checkout that all assets depend on. */
export async function recipeDigest(checkout: string = repository): Promise<string> {
  const { science: _science, shell: _shell, shellImage: _image, ...inputs } = INPUTS;
  return digestOf(await digestFiles(checkout, Object.values(inputs).flat()));
}

/** What is wanted of the assets. */
export interface Wanted {
  /** Whether numpy and what stands on it are there, which a quarter of an hour builds; absent: as it is. */
  readonly science?: boolean;
  /** Whether scipy is, which takes minutes too, and needs science; absent: as it is. */
  readonly scipy?: boolean;
  /** Whether the shell is there, which minutes build; absent: as it is. */
  readonly shell?: boolean;
}

/**
 * Makes sure that `wasm/dist` holds the assets of this checkout, building what is missing. When nothing has changed this
 * takes some ten milliseconds. Progress goes to stderr.
 *
 * @throws {AssetsError} if the build is impossible here, or a step of it failed.
 */
export async function ensureAssets(wanted: Wanted = {}): Promise<Manifest> {
  const present = await readManifest(dist);
  const science = wanted.science ?? present?.science !== undefined;
  const parts = {
    science,
    scipy: science && (wanted.scipy ?? present?.scipy !== undefined),
    shell: wanted.shell ?? present?.shell !== undefined,
  };
  const ofScience = digestOf(await digestFiles(repository, INPUTS.science));
  const recipes = {
    recipe: await recipeDigest(),
    science: ofScience,
    scipy: ofScience,
    shell: digestOf(await digestFiles(repository, [...INPUTS.shell, ...INPUTS.shellImage])),
  };
  return await currentManifest(recipes, parts) ?? await withCache(async (store) =>
    // Another process may have built the same while we waited.
    await currentManifest(recipes, parts) ?? await build(store, recipes, parts)
  );
}

/** Digests of what all builds, and of what those with more parts are made from. */
type Recipes = Readonly<Record<"recipe" | keyof Parts, string>>;

/** The argv that starts the native CPython whose minor version ours has: the build root's. */
export async function nativePython(): Promise<string[]> {
  const root = await withCache(async (store) => await (await chooseBuildRoot()).obtain(store));
  return root.command(["python3.13"]);
}

/** Runs `body` with the user's cache, while no other process uses it. */
export async function withCache<T>(body: (store: StageStore) => Promise<T>): Promise<T> {
  const cache = cacheDirectory();
  await Deno.mkdir(cache, { recursive: true });
  return await withLock(join(cache, "lock"), () => body(new StageStore(cache)));
}

async function currentManifest(recipes: Recipes, parts: Parts): Promise<Manifest | undefined> {
  const manifest = await readManifest(dist);
  if (manifest?.recipe !== recipes.recipe || !await filesPresent(dist, manifest)) return undefined;
  const current = (["science", "scipy", "shell"] as const).every((part) =>
    manifest[part]?.recipe === (parts[part] ? recipes[part] : undefined)
  );
  return current ? manifest : undefined;
}

async function build(store: StageStore, recipes: Recipes, parts: Parts): Promise<Manifest> {
  const { steps, obtain } = await chooseBuildRoot();
  const plan = [...steps, ...stepsOf(parts)];
  announce(plan);
  note(await foretell(store, plan));
  await store.clearScratch();
  const root = await obtain(store);
  const { build }: typeof Build = await import(new URL(BUILD, import.meta.url).href);
  return await build(store, root, {
    recipe: recipes.recipe,
    ...parts.science && { science: recipes.science },
    ...parts.scipy && { scipy: recipes.scipy },
    ...parts.shell && { shell: recipes.shell },
  });
}

/** What will be done, and how long it takes, as far as that can be known before. */
async function foretell(store: StageStore, plan: readonly Step[]): Promise<string> {
  let seconds = 0;
  for (const { stage, seconds: more, beside } of plan) {
    if (!beside && stage !== undefined && await store.isEmpty(stage)) seconds += more ?? 1;
  }
  if (seconds === 0) return `putting together what ${store.directory} has, building anew what has changed`;
  return `what the server embeds is built once, in ${store.directory} (1.3 GB): ${plan.length} steps, ` +
    `of which those to come take about ${duration(seconds)}`;
}
