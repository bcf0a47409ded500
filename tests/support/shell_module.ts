/** The built shell, for tests that hold one in their own process. */

import { shellHeapOf } from "../../src/executor/assets/shell.ts";
import { baseHeapIn, sharedMemory } from "../../src/image/base_heap.ts";
import { WASM_PAGE } from "../../src/image/pages.ts";
import type { ShellModule } from "../../src/runtime/shell/shell.ts";

const dist = new URL("../../wasm/dist/", import.meta.url);

export const shellModule: ShellModule = load();

function load(): ShellModule {
  const module = new WebAssembly.Module(Deno.readFileSync(new URL("shell.wasm", dist)));
  const bytes = Deno.readFileSync(new URL("shell.memory", dist));
  const memory = sharedMemory(bytes.length / WASM_PAGE);
  new Uint8Array(memory.memory.buffer).set(bytes);
  const manifest = JSON.parse(Deno.readTextFileSync(new URL("manifest.json", dist)));
  return { module, heap: baseHeapIn(memory, shellHeapOf(manifest)!) };
}
