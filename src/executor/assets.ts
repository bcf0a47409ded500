/** Loads the built assets into an executor: modules compiled once, bytes in shared memory. */

import { expandBaseHeap } from "../image/base_heap.ts";
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

/** @throws {Deno.errors.NotFound} if the assets were not built. */
export async function loadAssets(directory: URL): Promise<SharedAssets> {
  const compile = async (name: string) => await WebAssembly.compile(await readAsset(directory, name));
  const load = async (name: string) => share(await readAsset(directory, name));
  const [quickjs, python, pythonImage, pythonStdlib, bundled, tzdata, pip] = await Promise.all([
    compile("quickjs.wasm"),
    compile("python.wasm"),
    readAsset(directory, "python.image").then(expandBaseHeap),
    load("python-stdlib.zip"),
    load("python-bundled.zip"),
    load("python-tzdata.zip"),
    load("python-pip.zip"),
  ]);
  return { quickjs, python, pythonImage, pythonStdlib, pythonPackages: { bundled, tzdata, pip } };
}
