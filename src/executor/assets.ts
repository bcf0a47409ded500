/** Loads the built assets into an executor: modules compiled once, bytes in shared memory. */

import { expandBaseHeap } from "../image/base_heap.ts";
import { AssetLoader } from "./asset_loader.ts";
import { openAsset, readAsset } from "./stored_assets.ts";
import type { SharedAssets } from "./worker_messages.ts";

/** What an executor works with. */
export interface ExecutorAssets {
  readonly shared: SharedAssets;
  /** Reads the lazy ones of {@link shared}. */
  readonly loader: AssetLoader;
}

/** @throws {Deno.errors.NotFound} if the assets were not built. */
export async function loadAssets(): Promise<ExecutorAssets> {
  const compile = async (name: string) => await WebAssembly.compile(await readAsset(name));
  const [quickjs, python, pythonImage, pythonStdlib, loader] = await Promise.all([
    compile("quickjs.wasm"),
    compile("python.wasm"),
    readAsset("python.image").then(expandBaseHeap),
    readShared("python-stdlib.zip"),
    AssetLoader.open(),
  ]);
  return { shared: { quickjs, python, pythonImage, pythonStdlib, lazy: loader.shared }, loader };
}

/** Bytes that all Workers see without a copy of their own. */
async function readShared(name: string): Promise<Uint8Array> {
  const asset = await openAsset(name);
  const bytes = new Uint8Array(new SharedArrayBuffer(asset.size));
  await asset.read(bytes);
  return bytes;
}
