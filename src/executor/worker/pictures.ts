/** Draws SVG in a session's Worker. What that takes is loaded when the first picture is drawn. */

import type { Draw } from "../../display/displays.ts";
import { missingCharacters } from "../../raster/coverage.ts";
import { type RasterAssets, rasterise } from "../../raster/rasterise.ts";
import { awaitAsset, type CoreAsset, type LazyAsset, type SharedLazyAssets } from "../assets/lazy_assets.ts";

/** What one picture may take. Fuel: some seconds on a slow machine, a tenth of one for a usual chart. */
const MEMORY_BYTES = 256 * 1024 * 1024;
const FUEL = 200_000_000;

export class Pictures {
  readonly #shared: SharedLazyAssets;
  readonly #ask: (name: LazyAsset) => void;
  readonly #moreFonts: () => readonly Uint8Array[];
  #assets: RasterAssets | undefined;

  /**
   * @param ask Asks the executor's main thread for an asset.
   * @param moreFonts Those with other scripts and emoji, in builds that have some.
   */
  constructor(
    shared: SharedLazyAssets,
    ask: (name: LazyAsset) => void,
    moreFonts: () => readonly Uint8Array[],
  ) {
    this.#moreFonts = moreFonts;
    this.#shared = shared;
    this.#ask = ask;
  }

  /**
   * @param svg UTF-8. @param onSlice Called once a slice of fuel; what it throws ends the work.
   * @throws {RasterError} if it can't be drawn.
   */
  readonly draw: Draw = (svg, { maxPixels, fuel, onSlice }) => {
    this.#assets ??= this.#load();
    let assets = this.#assets;
    let missing = missingCharacters(svg, assets.fonts);
    for (const font of missing === "" ? [] : this.#moreFonts()) {
      const left = missingCharacters(svg, [...assets.fonts, font]);
      if (left === missing) continue;
      assets = { ...assets, fonts: [...assets.fonts, font] };
      missing = left;
    }
    const picture = rasterise(svg, assets, {
      maxPixels,
      memoryBytes: MEMORY_BYTES,
      fuel: Math.min(fuel, FUEL),
      onSlice,
    });
    return {
      ...picture,
      note: missing === "" ? null : `no font here has ${missing}: boxes are drawn for them`,
    };
  };

  #load(): RasterAssets {
    const [wasm, regular, bold] = (["resvg.wasm", "DejaVuSans.ttf", "DejaVuSans-Bold.ttf"] as const)
      .map((name) => this.#bytes(name));
    // A module is not compiled from shared memory.
    return { module: new WebAssembly.Module(wasm!.slice()), fonts: [regular!, bold!] };
  }

  #bytes(name: CoreAsset): Uint8Array {
    awaitAsset(this.#shared[name], this.#ask);
    return this.#shared[name].bytes;
  }
}
