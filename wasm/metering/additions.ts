import type { Layout } from "./layout.ts";
import { Op } from "./opcodes.ts";
import { I32 } from "./types.ts";
import { ByteWriter } from "./writer.ts";

export const EMPTY_BLOCK = 0x40;
const FUNCTION_TYPE = 0x60;
const MUTABLE = 1;
const MAX_PAGES = 65_536;

/** Export kinds (spec §5.5.10). */
const GLOBAL = 3;

/** Names under which the host finds what is added. */
export const ABI = {
  module: "sandbox",
  outOfFuel: "out_of_fuel",
  fuel: "sandbox_fuel",
  maxPages: "sandbox_max_pages",
} as const;

/**
 * What metering adds to a module, and the indices it gets.
 *
 * Types, globals and functions are appended, so that theirs are the only new indices; but an imported function
 * must come before the defined ones, whose indices all grow by one ({@link Additions.shifted}).
 */
export class Additions {
  readonly outOfFuel: number;
  readonly refill: number;
  readonly fuel: number;
  readonly maxPages: number;
  /** The function that stands for memory.grow, if it is hooked. */
  readonly grow: number | undefined;

  readonly #layout: Layout;

  constructor(layout: Layout, readonly hooksMemoryGrow: boolean) {
    this.#layout = layout;
    const functions = layout.importedFunctions + layout.functionTypes.length;
    this.outOfFuel = layout.importedFunctions;
    this.refill = functions + 1;
    this.grow = hooksMemoryGrow && layout.memories > 0 ? functions + 2 : undefined;
    this.fuel = layout.globals;
    this.maxPages = layout.globals + 1;
  }

  /** The new index of a function of the module. */
  shifted(index: number): number {
    return index < this.#layout.importedFunctions ? index : index + 1;
  }

  get #firstType(): number {
    return this.#layout.parameters.length;
  }

  types(): ByteWriter[] {
    return [
      entry(FUNCTION_TYPE, 0, 0),
      entry(FUNCTION_TYPE, 0, 1, I32),
      entry(FUNCTION_TYPE, 1, I32, 1, I32),
    ];
  }

  imports(): ByteWriter[] {
    const out = new ByteWriter();
    out.name(ABI.module);
    out.name(ABI.outOfFuel);
    out.byte(0);
    out.u32(this.#firstType);
    return [out];
  }

  functionTypes(): ByteWriter[] {
    const types = [index(this.#firstType + 1)];
    if (this.grow !== undefined) types.push(index(this.#firstType + 2));
    return types;
  }

  globals(): ByteWriter[] {
    const fuel = entry(I32, MUTABLE, Op.i32Const, 0, Op.end);
    if (!this.hooksMemoryGrow) return [fuel];
    const maxPages = entry(I32, MUTABLE, Op.i32Const);
    maxPages.s32(MAX_PAGES);
    maxPages.byte(Op.end);
    return [fuel, maxPages];
  }

  exports(): ByteWriter[] {
    const all = [exportedGlobal(ABI.fuel, this.fuel)];
    if (this.hooksMemoryGrow) all.push(exportedGlobal(ABI.maxPages, this.maxPages));
    return all;
  }

  bodies(): ByteWriter[] {
    const bodies = [this.#refillBody()];
    if (this.grow !== undefined) bodies.push(this.#growBody());
    return bodies;
  }

  /** `out_of_fuel(); return max(fuel, 0)`: a host that gives no fuel, yet returns, lets the guest go on. */
  #refillBody(): ByteWriter {
    const body = entry(0, Op.call);
    body.u32(this.outOfFuel);
    for (let copies = 0; copies < 2; copies++) {
      if (copies === 1) body.raw(Op.i32Const, 0);
      body.byte(Op.globalGet);
      body.u32(this.fuel);
    }
    body.raw(Op.i32Const, 0, Op.i32GtS, Op.select, Op.end);
    return sized(body);
  }

  /** `return delta + memory.size > max_pages ? -1 : (memory.grow(delta), out_of_fuel())`, unsigned. */
  #growBody(): ByteWriter {
    const delta = 0;
    const body = entry(0, Op.localGet, delta, Op.memorySize, 0, Op.i32Add, Op.globalGet);
    body.u32(this.maxPages);
    body.raw(Op.i32GtU, Op.if, I32, Op.i32Const, 0x7f, Op.else);
    body.raw(Op.localGet, delta, Op.memoryGrow, 0, Op.call);
    body.u32(this.outOfFuel);
    body.raw(Op.end, Op.end);
    return sized(body);
  }
}

function entry(...bytes: number[]): ByteWriter {
  const out = new ByteWriter(16);
  out.raw(...bytes);
  return out;
}

function index(value: number): ByteWriter {
  const out = new ByteWriter(5);
  out.u32(value);
  return out;
}

function sized(content: ByteWriter): ByteWriter {
  const out = new ByteWriter(content.length + 5);
  out.sized(content);
  return out;
}

function exportedGlobal(name: string, global: number): ByteWriter {
  const out = new ByteWriter(32);
  out.name(name);
  out.byte(GLOBAL);
  out.u32(global);
  return out;
}
