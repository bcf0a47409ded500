/** Assembles small modules and runs them with and without metering. */

import assert from "node:assert/strict";
import wabt from "wabt";
import type { MeteringOptions } from "../../../../wasm/metering/mod.ts";
import { meter } from "../../../../wasm/metering/mod.ts";

const { parseWat } = await wabt();

const FEATURES = {
  exceptions: true,
  threads: true,
  tail_call: true,
  simd: true,
  relaxed_simd: true,
  multi_value: true,
  bulk_memory: true,
  reference_types: true,
  sign_extension: true,
  sat_float_to_int: true,
  mutable_globals: true,
  multi_memory: true,
  extended_const: true,
};

/** The binary of a module in text format, with names. Fails if it is not valid. */
export function assemble(wat: string): Uint8Array<ArrayBuffer> {
  const module = parseWat("test.wat", wat, FEATURES);
  module.resolveNames();
  const wasm = new Uint8Array(module.toBinary({ write_debug_names: true }).buffer);
  module.destroy();
  new WebAssembly.Module(wasm);
  return wasm;
}

/** Exported functions by name. */
// deno-lint-ignore no-explicit-any
export type Exports = Record<string, (...args: any[]) => any>;

/** Uses an instance, and returns what it got out of it. */
export type Script = (exports: Exports) => unknown;

/** What a program did, as far as anyone can see. */
export interface Observation {
  readonly result: unknown;
  /** Arguments of the calls of `host.log`, in order. */
  readonly log: readonly unknown[];
  /** Values of exported globals. */
  readonly globals: Readonly<Record<string, unknown>>;
  /** Contents of the exported memory. */
  readonly memory: Uint8Array | undefined;
}

export class Exhausted extends Error {}

/** The host's side for one instance. */
export class Host {
  readonly log: unknown[] = [];
  calls = 0;
  readonly #module: WebAssembly.Module;
  #fuel: WebAssembly.Global | undefined;
  #granted = 0;

  /** @param slice Fuel given at a time. @param budget Fuel after which {@link Exhausted} is thrown. */
  constructor(wasm: Uint8Array<ArrayBuffer>, readonly slice: number, readonly budget = Infinity) {
    this.#module = new WebAssembly.Module(wasm);
  }

  instantiate(imports: WebAssembly.ModuleImports = {}): WebAssembly.Instance {
    const instance = new WebAssembly.Instance(this.#module, {
      host: { log: (...values: unknown[]) => void this.log.push(...values), ...imports },
      sandbox: { out_of_fuel: () => this.#refill() },
    });
    this.#fuel = instance.exports["sandbox_fuel"] as WebAssembly.Global | undefined;
    if (this.#fuel) this.#fuel.value = this.#granted = this.slice;
    return instance;
  }

  consumed(): number {
    return this.#fuel ? this.#granted - this.#fuel.value : 0;
  }

  #refill(): void {
    this.calls++;
    if (!this.#fuel) return;
    if (this.#granted >= this.budget) throw new Exhausted();
    this.#granted += this.slice;
    this.#fuel.value += this.slice;
  }
}

const ADDED_EXPORTS = ["sandbox_fuel", "sandbox_max_pages"];

function observe(host: Host, script: Script, imports?: () => WebAssembly.ModuleImports): Observation {
  const { exports } = host.instantiate(imports?.());
  const functions: Exports = {};
  for (const [name, item] of Object.entries(exports)) {
    if (typeof item === "function") functions[name] = item as Exports[string];
  }
  const result = attempt(() => script(functions));
  const globals: Record<string, unknown> = {};
  let memory: Uint8Array | undefined;
  for (const [name, item] of Object.entries(exports)) {
    if (item instanceof WebAssembly.Memory) memory = new Uint8Array(item.buffer);
    if (item instanceof WebAssembly.Global && !ADDED_EXPORTS.includes(name)) globals[name] = item.value;
  }
  return { result, log: host.log, globals, memory };
}

/** The value of `action`, or what it threw, as text. */
export function attempt(action: () => unknown): unknown {
  try {
    return action();
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error;
    return String(error);
  }
}

/**
 * Runs `script` on the module as it is and metered, with several sizes of slices and both ways of treating
 * memory.grow, and asserts that nobody can tell the difference.
 *
 * @returns What was observed, and the fuel consumed, which is the same for every size of slice.
 */
export function assertSameBehaviour(
  wasm: Uint8Array<ArrayBuffer>,
  script: Script,
  imports?: () => WebAssembly.ModuleImports,
): Observation & { readonly fuel: number } {
  const expected = observe(new Host(wasm, 0), script, imports);
  let fuel: number | undefined;
  for (const growHook of [false, true]) {
    const metered = meter(wasm, { growHook }).wasm;
    for (const slice of [1, 2, 7, 1000, 1_000_000]) {
      const host = new Host(metered, slice);
      assert.deepEqual(observe(host, script, imports), expected, `slices of ${slice}, growHook: ${growHook}`);
      fuel ??= host.consumed();
      assert.equal(host.consumed(), fuel, `fuel with slices of ${slice}`);
    }
  }
  return { ...expected, fuel: fuel! };
}

/** Runs `script` on the metered module with little fuel. @returns What it threw. */
export function exhaust(wasm: Uint8Array<ArrayBuffer>, script: Script, options?: MeteringOptions): unknown {
  const host = new Host(meter(wasm, options).wasm, 1000, 10_000);
  const { exports } = host.instantiate();
  try {
    return script(exports as unknown as Exports);
  } catch (error) {
    return error;
  }
}
