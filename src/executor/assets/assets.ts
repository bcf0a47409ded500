/** Loads the built assets into an executor: modules compiled once, bytes in shared memory. */

import { expandBaseHeap } from "../../image/base_heap.ts";
import { AssetLoader } from "./asset_loader.ts";
import { basesOf } from "./bases.ts";
import { compileModule } from "./compile.ts";
import { javascriptHeapOf } from "./javascript.ts";
import { readAsset, readManifest } from "../../program/stored_assets.ts";
import { scienceOf, scipyHeapOf } from "./science.ts";
import { shellHeapOf } from "./shell.ts";
import type { SharedAssets } from "./shared_assets.ts";

/** What an executor works with. */
export interface ExecutorAssets {
  readonly shared: SharedAssets;
  /** Reads the lazy ones of {@link shared}. */
  readonly loader: AssetLoader;
}

/**
 * @param meanwhile Called while V8's own threads compile, for work that would hold this up otherwise.
 * @throws {Deno.errors.NotFound} if the assets were not built.
 */
export async function loadAssets(meanwhile: () => void = () => {}): Promise<ExecutorAssets> {
  const opening = AssetLoader.open();
  const [code, image, javascriptHeap] = await Promise.all([
    readAsset("python.wasm"),
    readAsset("python.image"),
    readAsset("javascript.json"),
  ]);
  const compiling = compileModule(code);
  meanwhile();
  const pythonImage = expandBaseHeap(image);
  const javascript = javascriptHeapOf(javascriptHeap);
  const [python, loader, manifest] = await Promise.all([
    compiling,
    opening,
    readManifest(),
  ]);
  const bases = basesOf(manifest);
  const science = scienceOf(manifest);
  const scipy = scipyHeapOf(manifest);
  const shell = shellHeapOf(manifest);
  return {
    shared: {
      bases,
      science,
      scipy,
      shell,
      javascript,
      python,
      pythonImage,
      lazy: loader.shared,
    },
    loader,
  };
}
