/** What JavaScript has of the assets, as plain data that can be posted to Workers. */

import { expandBaseHeap } from "../../src/image/base_heap.ts";
import {
  type JavaScriptAssets,
  type JavaScriptBase,
  parseLibraries,
} from "../../src/runtime/javascript/javascript.ts";
import { parseBaseState } from "../../src/runtime/javascript/state.ts";

export interface StoredJavaScript {
  readonly module: WebAssembly.Module;
  readonly base: JavaScriptBase;
  readonly libraries: Readonly<Record<string, string>>;
}

const read = (name: string) => Deno.readFileSync(new URL(`../../wasm/dist/${name}`, import.meta.url));

export function loadJavaScript(): StoredJavaScript {
  return {
    module: new WebAssembly.Module(read("quickjs.wasm")),
    base: {
      heap: expandBaseHeap(read("javascript.image")),
      state: parseBaseState(JSON.parse(new TextDecoder().decode(read("javascript.json")))),
    },
    libraries: parseLibraries(read("javascript-libraries.json")),
  };
}

/** As a runtime takes it. */
export function javaScriptAssets({ module, base, libraries }: StoredJavaScript): JavaScriptAssets {
  return { module, base, libraries: (name) => libraries[name] };
}
