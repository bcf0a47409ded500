/**
 * Assets that many sessions never need: read when the first Worker of an executor asks for them, into memory that all
 * its Workers share.
 *
 * The files are opened while the executor may still read, and kept open: its permissions are gone when it knows which
 * of them it needs.
 */

export const LAZY_ASSETS = [
  "python-bundled.zip",
  "python-tzdata.zip",
  "python-pip.zip",
  "python-pip.image",
  "resvg.wasm",
  "DejaVuSans.ttf",
  "DejaVuSans-Bold.ttf",
] as const;

export type LazyAsset = typeof LAZY_ASSETS[number];

/** Room for an asset; memory that nobody has written to takes none. */
export interface SharedAsset {
  readonly name: LazyAsset;
  readonly bytes: Uint8Array;
  /** One element: what of `bytes` holds. */
  readonly state: Int32Array;
}

export type SharedLazyAssets = Readonly<Record<LazyAsset, SharedAsset>>;

const ABSENT = 0;
const THERE = 1;
const FAILED = 2;

/** The Worker's end: returns once the asset is there. @throws {Error} if it can't be read. */
export function awaitAsset({ name, state }: SharedAsset, ask: (name: LazyAsset) => void): void {
  if (Atomics.load(state, 0) === ABSENT) {
    ask(name);
    Atomics.wait(state, 0, ABSENT);
  }
  if (Atomics.load(state, 0) === FAILED) throw new Error(`${name} could not be read`);
}

/** The main thread's end. */
export class AssetLoader {
  readonly shared: SharedLazyAssets;
  readonly #files: ReadonlyMap<string, AssetFile>;

  private constructor(files: readonly AssetFile[]) {
    this.#files = new Map(files.map((file) => [file.shared.name, file]));
    this.shared = Object.fromEntries(
      files.map(({ shared }) => [shared.name, shared]),
    ) as unknown as SharedLazyAssets;
  }

  /** @param sizes Bytes of every asset, by name. @throws {Deno.errors.NotFound} if the assets were not built. */
  static async open(directory: URL, sizes: (name: LazyAsset) => number): Promise<AssetLoader> {
    const files = LAZY_ASSETS.map((name) => AssetFile.open(directory, name, sizes(name)));
    return new AssetLoader(await Promise.all(files));
  }

  /** What a Worker asks for. */
  load(name: string): void {
    this.#files.get(name)?.load();
  }
}

class AssetFile {
  #reading = false;

  private constructor(readonly shared: SharedAsset, readonly file: Deno.FsFile, readonly packed: boolean) {}

  static async open(directory: URL, name: LazyAsset, size: number): Promise<AssetFile> {
    const { file, packed } = await openEither(directory, name);
    const bytes = new Uint8Array(new SharedArrayBuffer(size));
    const state = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    return new AssetFile({ name, bytes, state }, file, packed);
  }

  load(): void {
    if (this.#reading) return;
    this.#reading = true;
    this.#read().then(() => this.#settle(THERE), (error) => {
      console.error(`${this.shared.name} can't be read: ${error}`);
      this.#settle(FAILED);
    });
  }

  async #read(): Promise<void> {
    const { bytes } = this.shared;
    const { readable } = this.file;
    const source: ReadableStream<Uint8Array> = this.packed
      ? readable.pipeThrough(new DecompressionStream("gzip"))
      : readable;
    let at = 0;
    for await (const piece of source) {
      bytes.set(piece, at);
      at += piece.length;
    }
    if (at !== bytes.length) throw new Error(`${at} of ${bytes.length} bytes`);
  }

  #settle(state: number): void {
    Atomics.store(this.shared.state, 0, state);
    Atomics.notify(this.shared.state, 0);
  }
}

/** As executables embed it: compressed, unless it is so by itself. */
async function openEither(directory: URL, name: string): Promise<{ file: Deno.FsFile; packed: boolean }> {
  try {
    return { file: await Deno.open(new URL(name, directory)), packed: false };
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return { file: await Deno.open(new URL(`${name}.gz`, directory)), packed: true };
  }
}
