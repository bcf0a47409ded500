/** The base image: a booted QuickJS with all of its prelude, from which every session starts. Made at build time. */

import { FuelMeter } from "../../control/meter.ts";
import { expandBaseHeap } from "../../image/base_heap.ts";
import { captureHeap, captureHeapOver } from "../../image/heap_image.ts";
import { WASM_PAGE } from "../../image/pages.ts";
import { atImageBench } from "../image_bench.ts";
import { finish } from "../steps.ts";
import { untouched } from "./instance.ts";
import { MODULES } from "./names.ts";
import { PRELUDE } from "./prelude.ts";
import { Realm } from "./realm.ts";
import type { RealmState } from "./state.ts";
import { Threads } from "./threads.ts";

/** Enough for booting; the image's own memory is much smaller. */
const MEMORY_BYTES = 512 * 1024 * 1024;

/** What a build makes of an engine. */
export interface BaseImage {
  readonly image: Uint8Array<ArrayBuffer>;
  readonly state: RealmState;
}

/** What the first run of a session would otherwise have to make. */
const WARM_UP = `
await (async () => {
  class A { #x = 1; get x() { return this.#x; } static y = [1, "a", null, { b: 2 }]; }
  try {
    null.x;
  } catch (error) {
    String(error.stack);
  }
  const awaited = await new Promise((resolve) => setTimeout(() => resolve([...A.y, new A().x]), 1));
  return JSON.parse(JSON.stringify(awaited)).map((each) => each);
})()`;

/**
 * Boots an engine and makes its image. The same inputs give the same bytes.
 *
 * @param module QuickJS, metered or not: the image is good for this module only.
 * @param libraries The texts of the bundled libraries that belong to the image, by name.
 * @throws {Error} with what the engine printed if it does not start.
 */
export function buildBaseImage(
  module: WebAssembly.Module,
  libraries: Readonly<Record<string, string>>,
): BaseImage {
  const textOf = (name: string) => {
    const text = libraries[name];
    if (text === undefined) throw new Error(`there is no library "${name}"`);
    return text;
  };
  return boot(module, textOf, (realm) => {
    realm.scrub();
    return { image: captureHeap(realm.memory, 0, untouched(module)), state: realm.state };
  });
}

/**
 * Makes an image of what a library has over the base image, to be restored over that one.
 *
 * @param base Made of the same module and libraries. @param text Of the library.
 * @throws {Error} if the library does not load, or what is beside the memory is not that of the base.
 */
export function buildOverlay(
  module: WebAssembly.Module,
  libraries: Readonly<Record<string, string>>,
  base: BaseImage,
  [name, text]: readonly [name: string, text: string],
): Uint8Array<ArrayBuffer> {
  const textOf = (wanted: string) => {
    const found = wanted === name ? text : libraries[wanted];
    if (found === undefined) throw new Error(`there is no library "${wanted}"`);
    return found;
  };
  return boot(module, textOf, (realm) => {
    runInside(realm, `void ${MODULES}.library(${JSON.stringify(name)})`);
    realm.scrub();
    if (JSON.stringify(realm.state) !== JSON.stringify(base.state)) {
      throw new Error(`the library "${name}" changes more than memory`);
    }
    const below = expandBaseHeap(base.image);
    // It is restored over the base, which may have grown by one step more: no memory can shrink.
    realm.memory.grow(Math.max(0, below.wasmPages - realm.memory.buffer.byteLength / WASM_PAGE));
    return captureHeapOver(realm.memory, 0, below.memory);
  });
}

function boot<Made>(
  module: WebAssembly.Module,
  textOf: (name: string) => string,
  make: (realm: Realm) => Made,
): Made {
  return atImageBench({ memoryBytes: MEMORY_BYTES }, (host) => {
    const meter = new FuelMeter(host.cell);
    const threads = new Threads(host, meter, () => {
      throw new Error("no threads run where an image is made");
    });
    const realm = new Realm(host, module, meter, textOf, { kind: "prelude", text: PRELUDE }, threads);
    host.cell.enter(1);
    runInside(realm, WARM_UP);
    const made = make(realm);
    host.cell.leave();
    return made;
  });
}

function runInside(realm: Realm, code: string): void {
  const ran = finish(realm.run({ code, filename: "<base image>", resultMaxBytes: 1000 }));
  if (ran.status !== "completed") throw new Error(`the warm-up did not complete: ${JSON.stringify(ran)}`);
}
