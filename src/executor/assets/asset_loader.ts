/**
 * The executor's end of lazy assets.
 *
 * The files are opened while the executor may still read, and kept open: its permissions are gone when it knows which
 * of them it needs.
 */

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
import { openAsset, type StoredAsset } from "../../program/stored_assets.ts";

/** Called with each module that is compiled. */
type ModuleListener = (asset: CodeAsset, module: WebAssembly.Module) => void;

export class AssetLoader {
  readonly shared: SharedLazyAssets;
  readonly #files: ReadonlyMap<string, AssetFile>;
  readonly #modules = new Map<CodeAsset, WebAssembly.Module>();
  readonly #listeners = new Set<ModuleListener>();

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

  /** What a Worker asks for. */
  load(name: string): void {
    const loaded = this.#files.get(name)?.load();
    const asset = CODE_ASSETS.find((code) => code === name);
    if (asset) loaded?.then((code) => this.#compile(asset, code));
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

  async #compile(asset: CodeAsset, code: Uint8Array): Promise<void> {
    const module = await WebAssembly.compile(code.slice());
    this.#modules.set(asset, module);
    for (const listener of this.#listeners) listener(asset, module);
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
  #reading = false;

  constructor(name: LazyAsset, readonly stored: StoredAsset) {
    const heap = name.endsWith(".memory") ? sharedMemory(stored.size / WASM_PAGE) : undefined;
    const bytes = new Uint8Array(heap?.memory.buffer ?? new SharedArrayBuffer(stored.size));
    const state = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    this.shared = { name, bytes, state, ...(heap && { heap }) };
  }

  /** @returns When its bytes are there; undefined where it is being read, or can't be. */
  load(): Promise<Uint8Array> | undefined {
    if (this.#reading) return undefined;
    this.#reading = true;
    const { bytes } = this.shared;
    return new Promise((resolve) => {
      this.stored.share(bytes).then(() => {
        this.#settle(THERE);
        resolve(bytes);
      }, (error) => {
        console.error(`${this.shared.name} can't be read: ${error}`);
        this.#settle(FAILED);
      });
    });
  }

  #settle(state: number): void {
    Atomics.store(this.shared.state, 0, state);
    Atomics.notify(this.shared.state, 0);
  }
}
