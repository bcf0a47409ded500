/** Pictures for those who can't show SVG: SVG to PNG by resvg, metered like the interpreters, since guests write SVG. */

import { type Exports, Values } from "./abi.ts";

const WASM_PAGE = 65_536;
/** Fuel handed out at a time: about a millisecond. */
export const SLICE = 100_000;
/** resvg's answers: result, error, whether it is one. */
const ANSWER_BYTES = 16;

const FAMILY = "DejaVu Sans";

/** No picture can be made of this SVG: it is invalid, or too costly. */
export class RasterError extends Error {
  override name = "RasterError";
}

export interface RasterAssets {
  /** resvg, metered. */
  readonly module: WebAssembly.Module;
  /** Of the family DejaVu Sans, which stands for all others. Views of shared memory will do. */
  readonly fonts: readonly Uint8Array[];
}

export interface RasterLimits {
  /** Of width times height; a larger picture is made smaller. */
  readonly maxPixels: number;
  /** Of linear memory. */
  readonly memoryBytes: number;
  /** Metered work: about 100,000 a millisecond. */
  readonly fuel: number;
  /** Called about once a millisecond; what it throws ends the work. */
  readonly onSlice?: () => void;
}

export interface Picture {
  readonly png: Uint8Array<ArrayBuffer>;
  readonly width: number;
  readonly height: number;
}

/**
 * Draws an SVG document on white. Nothing but the document and the fonts is read: links to other images are left out.
 *
 * @param svg UTF-8.
 * @throws {RasterError} with a reason for whoever made the SVG.
 */
export function rasterise(svg: Uint8Array, assets: RasterAssets, limits: RasterLimits): Picture {
  const budget = new Budget(limits);
  try {
    const drawing = new Drawing(svg, assets, limits, budget, { mode: "original" });
    const { width, height } = drawing;
    if (width * height <= limits.maxPixels) return drawing.render();
    const scale = Math.sqrt(limits.maxPixels / (width * height));
    const target = { mode: "width", value: Math.max(1, Math.floor(width * scale)) };
    return new Drawing(svg, assets, limits, budget, target).render();
  } catch (error) {
    if (budget.reason) throw budget.reason;
    if (error instanceof RasterError) throw error;
    // Traps, overflows of the stack, and memory that could not be had: whatever it was, the instance is gone.
    throw new RasterError("the SVG is too deep or too large to be drawn", { cause: error });
  }
}

/** What all instances of one call may use together. */
class Budget {
  /** Why the work was ended from here. */
  reason: unknown;
  #left: number;
  readonly #onSlice: () => void;

  constructor({ fuel, onSlice }: RasterLimits) {
    this.#left = fuel;
    this.#onSlice = onSlice ?? (() => {});
  }

  /** The counter of a metered instance is below zero, or its memory has grown. */
  refill(counter: WebAssembly.Global): void {
    try {
      this.#onSlice();
      if ((counter.value as number) >= 0) return;
      if (this.#left <= 0) throw new RasterError("the SVG takes too long to be drawn");
    } catch (error) {
      this.reason = error;
      throw error;
    }
    const slice = Math.min(SLICE, this.#left);
    this.#left -= slice;
    counter.value = (counter.value as number) + slice;
  }
}

/** One document in an instance of its own, so that nothing is left behind. */
class Drawing {
  readonly #values = new Values();
  readonly #exports: Exports;
  readonly #resvg: number;

  constructor(
    svg: Uint8Array,
    { module, fonts }: RasterAssets,
    { memoryBytes }: RasterLimits,
    budget: Budget,
    fitTo: object,
  ) {
    const instance = new WebAssembly.Instance(module, {
      wbg: this.#values.imports(() => this.#exports),
      // Also called while the instance starts, when there is no counter yet.
      sandbox: { out_of_fuel: () => this.#exports && budget.refill(this.#exports.sandbox_fuel) },
    });
    this.#exports = instance.exports as unknown as Exports;
    this.#exports.sandbox_max_pages.value = Math.floor(memoryBytes / WASM_PAGE);
    const families = ["default", "serif", "sansSerif", "cursive", "fantasy", "monospace"];
    const font = Object.fromEntries(
      families.map((name) => [name === "default" ? "defaultFontFamily" : `${name}Family`, FAMILY]),
    );
    const options = this.#place(JSON.stringify({ font, fitTo, background: "white" }));
    this.#resvg = this.#ask((out) =>
      this.#exports.resvg_new(
        out,
        this.#values.add(svg),
        options.at,
        options.length,
        this.#values.add([...fonts]),
      )
    );
  }

  get width(): number {
    return this.#exports.resvg_width(this.#resvg);
  }

  get height(): number {
    return this.#exports.resvg_height(this.#resvg);
  }

  render(): Picture {
    const image = this.#ask((out) => this.#exports.resvg_render(out, this.#resvg));
    const png = this.#ask((out) => this.#exports.renderedimage_asPng(out, image));
    return {
      png: this.#values.get(png) as Uint8Array<ArrayBuffer>,
      width: this.#exports.renderedimage_width(image) >>> 0,
      height: this.#exports.renderedimage_height(image) >>> 0,
    };
  }

  #ask(call: (out: number) => void): number {
    const out = this.#exports.__wbindgen_add_to_stack_pointer(-ANSWER_BYTES);
    call(out);
    const [result, error, failed] = new Int32Array(this.#exports.memory.buffer, out, 3);
    this.#exports.__wbindgen_add_to_stack_pointer(ANSWER_BYTES);
    if (failed) throw new RasterError(`the SVG can't be drawn: ${this.#values.get(error!)}`);
    return result!;
  }

  #place(text: string): { at: number; length: number } {
    const bytes = new TextEncoder().encode(text);
    const at = this.#exports.__wbindgen_malloc(bytes.length, 1) >>> 0;
    new Uint8Array(this.#exports.memory.buffer, at, bytes.length).set(bytes);
    return { at, length: bytes.length };
  }
}
