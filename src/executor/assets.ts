/** Loads the built assets into an executor: modules compiled once, bytes in shared memory. */

import { expandBaseHeap } from "../image/base_heap.ts";
import { AssetLoader } from "./lazy_assets.ts";
import type { SharedAssets } from "./worker_messages.ts";

/**
 * Reads `name` from `directory`, or `name.gz`, as executables embed it.
 *
 * @throws {Deno.errors.NotFound} if the assets were not built.
 */
export async function readAsset(directory: URL, name: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return await Deno.readFile(new URL(name, directory));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  const packed = await Deno.readFile(new URL(`${name}.gz`, directory));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Bytes that all Workers see without a copy of their own. */
function share(bytes: Uint8Array): Uint8Array {
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return shared;
}

/** What an executor works with. */
export interface ExecutorAssets {
  readonly shared: SharedAssets;
  /** Reads the lazy ones of {@link shared}. */
  readonly loader: AssetLoader;
}

/** @throws {Deno.errors.NotFound} if the assets were not built. */
export async function loadAssets(directory: URL): Promise<ExecutorAssets> {
  const compile = async (name: string) => await WebAssembly.compile(await readAsset(directory, name));
  const [quickjs, python, pythonImage, pythonStdlib, loader] = await Promise.all([
    compile("quickjs.wasm"),
    compile("python.wasm"),
    readAsset(directory, "python.image").then(expandBaseHeap),
    readAsset(directory, "python-stdlib.zip").then(share),
    openLazy(directory),
  ]);
  return { shared: { quickjs, python, pythonImage, pythonStdlib, lazy: loader.shared }, loader };
}

/** Sizes are the manifest's: an embedded file does not tell its own. */
export async function openLazy(directory: URL): Promise<AssetLoader> {
  const { files } = JSON.parse(new TextDecoder().decode(await readAsset(directory, "manifest.json"))) as {
    files: Record<string, { bytes: number }>;
  };
  return await AssetLoader.open(directory, (name) => files[name]?.bytes ?? 0);
}
