/** What JavaScript has of the assets, as plain data that can be posted to Workers. */

import { javascriptHeapOf } from "../../src/executor/assets/javascript.ts";
import { baseHeapIn, sharedMemory } from "../../src/image/base_heap.ts";
import { WASM_PAGE } from "../../src/image/pages.ts";
import {
  type JavaScriptAssets,
  type JavaScriptBase,
  parseLibraries,
} from "../../src/runtime/javascript/javascript.ts";

export interface StoredJavaScript {
  readonly module: WebAssembly.Module;
  readonly base: JavaScriptBase;
  readonly libraries: Readonly<Record<string, string>>;
}

const read = (name: string) => Deno.readFileSync(new URL(`../../wasm/dist/${name}`, import.meta.url));

export function loadJavaScript(): StoredJavaScript {
  const bytes = read("javascript.memory");
  const shared = sharedMemory(bytes.length / WASM_PAGE);
  new Uint8Array(shared.memory.buffer).set(bytes);
  const { heap, state } = javascriptHeapOf(read("javascript.json"));
  return {
    module: new WebAssembly.Module(read("quickjs.wasm")),
    base: { heap: baseHeapIn(shared, heap), state },
    libraries: parseLibraries(read("javascript-libraries.json")),
  };
}

/** As a runtime takes it. */
export function javaScriptAssets({ module, base, libraries }: StoredJavaScript): JavaScriptAssets {
  return { engine: () => ({ module, base }), libraries: (name) => libraries[name] };
}
