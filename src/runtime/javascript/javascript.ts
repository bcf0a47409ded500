/** JavaScript in a session: QuickJS, its global scope alive between runs. */

import { Aborted } from "../../control/cell.ts";
import { FuelMeter, OutOfFuel } from "../../control/meter.ts";
import { emptyBaseHeap } from "../../image/base_heap.ts";
import { type ImageEntry, Section } from "../../executor/wire/entry.ts";
import { HeapPart, usedMemory } from "../../image/heap_part.ts";
import { ImageError } from "../../executor/wire/image_error.ts";
import type { PendingCapture } from "../../image/part.ts";
import { unlessOverspent } from "../overspent.ts";
import type { LiveState, RunOutcome, RunRequest, Runtime, RuntimeHost } from "../runtime.ts";
import { EngineOutOfMemory } from "./engine.ts";
import { MIN_MEMORY_BYTES } from "./instance.ts";
import { type Ending, Realm } from "./realm.ts";
import { parseRealmState, type RealmState } from "./state.ts";

export interface JavaScriptAssets {
  /** QuickJS, metered or not. */
  readonly module: WebAssembly.Module;
}

export function createJavaScriptRuntime(host: RuntimeHost, assets: JavaScriptAssets): Runtime {
  return new JavaScriptRuntime(host, assets);
}

class JavaScriptRuntime implements Runtime {
  readonly language = "javascript";
  readonly #host: RuntimeHost;
  #runs = 0;
  readonly #module: WebAssembly.Module;
  readonly #meter: FuelMeter;
  readonly #part: HeapPart<RealmState>;
  #realm: Realm | undefined;

  constructor(host: RuntimeHost, assets: JavaScriptAssets) {
    this.#host = host;
    this.#module = assets.module;
    this.#meter = new FuelMeter(host.cell);
    const base = emptyBaseHeap();
    this.#part = new HeapPart(
      this.language,
      {
        live: () => this.#realm,
        runs: () => this.#runs,
        revive: (state, fill) => this.#revive(state, fill),
        discard: () => this.discard(),
      },
      {
        sections: { state: Section.javascriptState, page: Section.javascriptPage },
        baseOf: () => base,
        maxBytes: Math.max(host.memoryBytes, MIN_MEMORY_BYTES),
      },
    );
  }

  get name(): string {
    return this.#part.name;
  }

  get sections(): readonly number[] {
    return this.#part.sections;
  }

  beginCapture(): PendingCapture {
    return this.#part.beginCapture();
  }

  rollback(): void {
    this.#part.rollback();
  }

  restore(entries: readonly ImageEntry[]): undefined {
    this.#part.restore(entries);
  }

  // deno-lint-ignore require-await -- a failure to boot is a rejection
  async prepare(): Promise<void> {
    this.#boot();
  }

  execute(request: RunRequest): Promise<RunOutcome> {
    this.#runs++;
    let ending: Ending;
    try {
      const realm = this.#boot();
      this.#meter.begin(request.fuelBudget);
      this.#host.clock.begin(this.#meter);
      ending = realm.run(request);
    } catch (error) {
      ending = endingOf(error);
    }
    this.#host.clock.end();
    ending = unlessOverspent(ending, this.#meter);
    const outcome = { ...ending, fuelConsumed: this.#meter.consumed(), memoryBytes: this.memoryBytes() };
    if (ending.heap === "discarded") this.discard();
    return Promise.resolve(outcome);
  }

  memoryBytes(): number {
    return this.#realm?.memoryBytes ?? 0;
  }

  recordedBytes(): number {
    return this.#part.recordedBytes;
  }

  inspect(): LiveState | undefined {
    const live = this.#realm;
    return live && { memory: usedMemory(live), state: live.state };
  }

  discard(): void {
    this.#realm = undefined;
  }

  #revive(json: unknown, fill: (memory: WebAssembly.Memory) => void): void {
    const state = parseRealmState(json);
    try {
      this.#realm = new Realm(this.#host, this.#module, this.#meter, { fill, state });
    } catch (error) {
      this.discard();
      if (error instanceof ImageError) throw error;
      throw new ImageError(`the heap can't be gone on with: ${error}`);
    }
  }

  #boot(): Realm {
    return this.#realm ??= new Realm(this.#host, this.#module, this.#meter);
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
