/** What the stages of base images have in common: the runtimes that make them, and how heaps are kept. */

import { join } from "node:path";
import { describeBaseHeap, expandBaseHeap, type ExpandedHeap } from "../../src/image/base_heap.ts";
import { AssetsError } from "./errors.ts";
import type { Stage } from "./store.ts";

/** What makes images of a language. */
interface Makers {
  readonly Python: typeof import("../../src/runtime/python/base_image.ts");
  readonly JavaScript: typeof import("../../src/runtime/javascript/base_image.ts");
  readonly Shell: typeof import("../../src/runtime/shell/base_image.ts");
}

/** Loads a runtime only now: the usual call finds everything built, and a long build may have seen it change. */
export async function withRuntime<Name extends keyof Makers, Made>(
  name: Name,
  make: (makers: Makers[Name]) => Made,
): Promise<Made> {
  const source = `../../src/runtime/${name.toLowerCase()}/base_image.ts`;
  try {
    return make(await import(new URL(source, import.meta.url).href));
  } catch (error) {
    throw new AssetsError(
      `making an image of ${name} failed`,
      error instanceof Error ? error.stack : String(error),
    );
  }
}

export async function readModule({ directory }: Stage, name: string): Promise<WebAssembly.Module> {
  return await WebAssembly.compile(await Deno.readFile(join(directory, name)));
}

/** Writes an image as the heap that it stands for, `FILE`, and what that does not say, `heap.json`. */
export async function writeHeap(target: string, file: string, image: Uint8Array): Promise<void> {
  const description = await writeMemory(target, file, image);
  await Deno.writeTextFile(join(target, "heap.json"), JSON.stringify(description));
}

/** Writes a heap's memory. @returns What that does not say. */
export async function writeMemory(target: string, file: string, image: Uint8Array): Promise<ExpandedHeap> {
  const heap = expandBaseHeap(image);
  await Deno.writeFile(join(target, file), new Uint8Array(heap.memory.buffer).slice());
  return describeBaseHeap(heap);
}
