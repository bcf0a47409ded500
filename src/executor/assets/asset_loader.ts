/**
 * The executor's end of lazy assets.
 *
 * The files are opened while the executor may still read, and kept open: its permissions are gone when it knows which
 * of them it needs.
 */

import { compileModule } from "./compile.ts";
import {
  CODE_ASSETS,
  type CodeAsset,
  FAILED,
  LAZY_ASSETS,
  type LazyAsset,
  SCIENCE_ASSETS,
  SCIPY_ASSETS,
  type SharedAsset,
  type SharedLazyAssets,
  SHELL_ASSETS,
  THERE,
} from "./lazy_assets.ts";
import { sharedMemory } from "../../image/base_heap.ts";
import { WASM_PAGE } from "../../image/pages.ts";
import type { StoredAsset } from "../../program/stored_asset.ts";
import { openAsset } from "../../program/stored_assets.ts";

/** Called with each module that is compiled. */
type ModuleListener = (asset: CodeAsset, module: WebAssembly.Module) => void;

export class AssetLoader {
  readonly shared: SharedLazyAssets;
  readonly #files: ReadonlyMap<string, AssetFile>;
  readonly #modules = new Map<CodeAsset, WebAssembly.Module>();
  readonly #listeners = new Set<ModuleListener>();
  readonly #uncompiled = new Map<CodeAsset, Uint8Array>();
  #reading: Promise<void> = Promise.resolve();

  private constructor(files: readonly AssetFile[]) {
    this.#files = new Map(files.map((file) => [file.shared.name, file]));
    this.shared = Object.fromEntries(
      files.map(({ shared }) => [shared.name, shared]),
    ) as unknown as SharedLazyAssets;
  }

  /** @throws {Deno.errors.NotFound} if the assets were not built. */
  static async open(): Promise<AssetLoader> {
    const files = await Promise.all([
      ...LAZY_ASSETS.map(async (name) => new AssetFile(name, await openAsset(name))),
      ...[...SCIENCE_ASSETS, ...SCIPY_ASSETS, ...SHELL_ASSETS].map(openIfBuilt),
    ]);
    return new AssetLoader(files.filter((file) => file !== undefined));
  }

  /** What a Worker asks for: one after another, as it may do something with the first while the next is read. */
  load(name: string): void {
    const file = this.#files.get(name);
    if (!file?.claim()) return;
    const reading = this.#reading = this.#reading.then(async () => {
      if (!await file.read()) return;
      const asset = CODE_ASSETS.find((code) => code === name);
      if (asset) this.#uncompiled.set(asset, file.shared.bytes);
    });
    void reading.then(() => {
      if (this.#reading === reading) this.#compile();
    });
  }

  /**
   * Has the modules given to a Worker that some session asks for. What each Worker makes of a module's bytes for itself takes
   * time, even where V8 finds that it knows them, and memory for as long as nothing collects it.
   */
  onModule(listener: ModuleListener): void {
    for (const [asset, module] of this.#modules) listener(asset, module);
    this.#listeners.add(listener);
  }

  offModule(listener: ModuleListener): void {
    this.#listeners.delete(listener);
  }

  /** What was read, when nobody waits for more: V8 has this thread wait while the first Worker compiles the same. */
  #compile(): void {
    for (const [asset, code] of this.#uncompiled) {
      this.#uncompiled.delete(asset);
      void compileModule(code.slice()).then((module) => {
        this.#modules.set(asset, module);
        for (const listener of this.#listeners) listener(asset, module);
      });
    }
  }
}

async function openIfBuilt(name: LazyAsset): Promise<AssetFile | undefined> {
  try {
    return new AssetFile(name, await openAsset(name));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

class AssetFile {
  readonly shared: SharedAsset;
  #claimed = false;

  constructor(name: LazyAsset, readonly stored: StoredAsset) {
    const heap = name.endsWith(".memory") ? sharedMemory(stored.size / WASM_PAGE) : undefined;
    const bytes = new Uint8Array(heap?.memory.buffer ?? new SharedArrayBuffer(stored.size));
    const state = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    this.shared = { name, bytes, state, ...(heap && { heap }) };
  }

  /** @returns False if somebody asked for it before. */
  claim(): boolean {
    const first = !this.#claimed;
    this.#claimed = true;
    return first;
  }

  /** @returns Whether its bytes are there. */
  async read(): Promise<boolean> {
    try {
      await this.stored.share(this.shared.bytes);
    } catch (error) {
      console.error(`${this.shared.name} can't be read: ${error}`);
      this.#settle(FAILED);
      return false;
    }
    this.#settle(THERE);
    return true;
  }

  #settle(state: number): void {
    Atomics.store(this.shared.state, 0, state);
    Atomics.notify(this.shared.state, 0);
  }
}
