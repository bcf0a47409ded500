/** JavaScript in a session: QuickJS, its global scope alive between runs. */

import * as z from "zod/mini";
import { Aborted } from "../../control/cell.ts";
import { FuelMeter, OutOfFuel } from "../../control/meter.ts";
import type { BaseHeap } from "../../image/base_heap.ts";
import { Section } from "../../executor/wire/entry.ts";
import { type HeapImage, restoreHeap } from "../../image/heap_image.ts";
import { ImageError } from "../../executor/wire/image_error.ts";
import { HeapRuntime } from "../heap_runtime.ts";
import { finish, type Steps } from "../steps.ts";
import { unlessOverspent } from "../overspent.ts";
import type { RunOutcome, RunRequest, RuntimeHost, SynchronousRuntime } from "../runtime.ts";
import type { Ending } from "./ending.ts";
import { MIN_MEMORY_BYTES } from "./instance.ts";
import { EngineOutOfMemory } from "./linear_memory.ts";
import { type Origin, Realm } from "./realm.ts";
import { parseRealmState, type RealmState } from "./state.ts";
import { Threads } from "./threads.ts";

/** A booted QuickJS with all of its prelude: what every heap starts from. */
export interface JavaScriptBase {
  readonly heap: BaseHeap;
  readonly state: RealmState;
  /** What a program of its own has over that heap. */
  readonly overlay?: HeapImage;
}

export interface JavaScriptEngine {
  /** QuickJS, metered or not. */
  readonly module: WebAssembly.Module;
  /** An image of exactly this module. */
  readonly base: JavaScriptBase;
}

export interface JavaScriptAssets {
  /** Asked for with the first program, or the image of a session that had one. */
  readonly engine: () => JavaScriptEngine;
  /** The text of a library that is no part of the image, by its name; undefined if there is none. */
  readonly libraries: (name: string) => string | undefined;
}

export function createJavaScriptRuntime(host: RuntimeHost, assets: JavaScriptAssets): SynchronousRuntime {
  return new JavaScriptRuntime(host, assets);
}

const texts = z.record(z.string(), z.string());

/** @param json The asset that has the texts of libraries by their names. @throws {z.core.$ZodError} if it is invalid. */
export function parseLibraries(json: Uint8Array): Readonly<Record<string, string>> {
  return texts.parse(JSON.parse(new TextDecoder().decode(json.slice())));
}

class JavaScriptRuntime extends HeapRuntime<RealmState, Realm> {
  readonly #host: RuntimeHost;
  readonly #assets: JavaScriptAssets;
  readonly #meter: FuelMeter;

  constructor(host: RuntimeHost, assets: JavaScriptAssets) {
    super("javascript", {
      sections: { state: Section.javascriptState, page: Section.javascriptPage },
      baseOf: () => assets.engine().base.heap,
      maxBytes: Math.max(host.memoryBytes, MIN_MEMORY_BYTES),
    });
    this.#host = host;
    this.#assets = assets;
    this.#meter = new FuelMeter(host.cell);
  }

  protected run(request: RunRequest): RunOutcome {
    return finish(this.#run(request));
  }

  executeInSteps(request: RunRequest): Steps<RunOutcome> {
    this.begin();
    return this.#run(request);
  }

  *#run(request: RunRequest): Steps<RunOutcome> {
    let ending: Ending;
    try {
      const realm = this.live();
      this.#meter.begin(request.fuelBudget);
      this.#host.clock.begin(this.#meter);
      if (request.reseed) realm.reseed(this.#host.random);
      ending = yield* realm.run(request);
    } catch (error) {
      ending = endingOf(error);
    }
    this.#host.clock.end();
    ending = unlessOverspent(ending, this.#meter);
    const outcome = { ...ending, fuelConsumed: this.#meter.consumed(), memoryBytes: this.memoryBytes() };
    if (ending.heap === "discarded") this.discard();
    return outcome;
  }

  protected revive(json: unknown, fill: (memory: WebAssembly.Memory) => void): void {
    const state = parseRealmState(json);
    try {
      this.instance = this.#make({ kind: "image", fill, state });
    } catch (error) {
      this.discard();
      if (error instanceof ImageError) throw error;
      throw new ImageError(`the heap can't be gone on with: ${error}`);
    }
  }

  protected live(): Realm {
    return this.instance ??= this.#make(this.#base());
  }

  #make(origin: Origin): Realm {
    const { engine, libraries } = this.#assets;
    const { module } = engine();
    const threads = new Threads(
      this.#host,
      this.#meter,
      (host, meter, all, self) => new Realm(host, module, meter, libraries, this.#base(), all, self),
    );
    return new Realm(this.#host, module, this.#meter, libraries, origin, threads);
  }

  /** What a program begins with. */
  #base(): Origin {
    const { heap, state, overlay } = this.#assets.engine().base;
    const fill = (memory: WebAssembly.Memory) => {
      restoreHeap(heap, memory);
      if (overlay) restoreHeap(overlay, memory);
    };
    return { kind: "base", fill, state };
  }

  override memoryBytes(): number {
    return super.memoryBytes() + (this.instance?.threadsBytes ?? 0);
  }
}

/** What an exception means that passed through the wasm; whatever it is, the instance is lost. */
function endingOf(error: unknown): Ending {
  const heap = "discarded";
  if (error instanceof Aborted) return { status: "stopped", heap };
  if (error instanceof OutOfFuel) return { status: "out_of_fuel", heap };
  if (error instanceof EngineOutOfMemory) return { status: "out_of_memory", heap };
  if (error instanceof RangeError && /call stack/i.test(error.message)) {
    return { status: "crashed", heap, reason: "the call stack of the host overflowed" };
  }
  return { status: "crashed", heap, reason: error instanceof Error ? error.message : String(error) };
}
