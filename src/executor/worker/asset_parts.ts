/** What languages have of the assets in a Worker: parts of the file system, and the modules and images they start from. */

import { pythonLayer } from "../../fs/layout.ts";
import type { LayerFile, LayerNode } from "../../fs/layer.ts";
import { baseHeapIn } from "../../image/base_heap.ts";
import {
  askFor,
  awaitAsset,
  type CodeAsset,
  type LazyAsset,
  type SharedAsset,
} from "../assets/lazy_assets.ts";
import type { SharedAssets } from "../assets/shared_assets.ts";
import type { JavaScriptEngine } from "../../runtime/javascript/javascript.ts";
import type { Interpreter, LargerInterpreters } from "../../runtime/python/python.ts";
import type { ShellModule } from "../../runtime/shell/shell.ts";

type Ask = (asset: LazyAsset) => void;

/** What stands below `/usr`. */
export function pythonTree(assets: SharedAssets, ask: Ask): Record<string, LayerNode> {
  const file = (name: LazyAsset): LayerFile => lazyFile(assets, name, ask);
  const { "python-science.zip": science, "python-scipy.zip": scipy } = assets.lazy;
  return pythonLayer(
    file("python-stdlib.zip"),
    {
      bundled: file("python-bundled.zip"),
      mathematics: file("python-mathematics.zip"),
      more: file("python-more.zip"),
      tzdata: file("python-tzdata.zip"),
      pip: file("python-pip.zip"),
      sources: file("python-sources.zip"),
      ...(science && { science: file("python-science.zip") }),
      ...(scipy && { scipy: file("python-scipy.zip") }),
    },
    scienceFiles(assets, ask),
  );
}

/** A lazy asset as a file. @throws {Error} if the build does not have it. */
export function lazyFile({ lazy }: SharedAssets, name: LazyAsset, ask: Ask): LayerFile {
  const asset = lazy[name];
  if (!asset) throw new Error(`this build has no ${name}`);
  return { bytes: asset.bytes, load: () => awaitAsset(asset, ask) };
}

/** A module if the process has compiled it already; the first of its Workers do so for themselves. */
export type Compiled = (asset: CodeAsset) => WebAssembly.Module | undefined;

/**
 * The interpreters with more packages: without those that the build does not have, or whose image is more memory than a
 * guest may have, in bytes.
 */
export function largerInterpreters(
  { lazy, science, scipy }: SharedAssets,
  ask: Ask,
  memoryBytes: number,
  compiled: Compiled,
): LargerInterpreters {
  const heaps = { science: science?.heap, scipy };
  const made = (["science", "scipy"] as const).flatMap((base) => {
    const name = `python-${base}.wasm` as const;
    const code = lazy[name];
    const image = lazy[`python-${base}.memory`];
    const heap = heaps[base];
    if (!code || !image?.heap || !heap || image.bytes.length > memoryBytes) return [];
    const { heap: memory } = image;
    const make = (): Interpreter => {
      const module = moduleBeside(image, code, compiled(name), ask);
      return { module, heap: baseHeapIn(memory, heap) };
    };
    return [[base, onceMade(make)]];
  });
  return Object.fromEntries(made);
}

/** Makes something when it is first asked for, and again if that failed. */
function onceMade<Made extends object>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => made ??= make();
}

/** Compiles code while the image that its instances start from is read. @returns When both are there. */
function moduleBeside(
  image: SharedAsset,
  code: SharedAsset,
  compiled: WebAssembly.Module | undefined,
  ask: Ask,
): WebAssembly.Module {
  askFor([code, image], ask);
  awaitAsset(code, ask);
  const module = compiled ?? new WebAssembly.Module(code.bytes.slice());
  awaitAsset(image, ask);
  return module;
}

/** QuickJS, and what it starts from. */
export function javascriptEngine(
  { lazy, javascript }: SharedAssets,
  ask: Ask,
  compiled: Compiled,
): () => JavaScriptEngine {
  return onceMade(() => {
    const { "quickjs.wasm": code, "javascript.memory": image } = lazy;
    if (!image.heap) throw new Error("javascript.memory is no heap's");
    const module = moduleBeside(image, code, compiled("quickjs.wasm"), ask);
    const { heap, state } = javascript;
    return { module, base: { heap: baseHeapIn(image.heap, heap), state } };
  });
}

/** The shell's module, and what it starts from; each is asked for with the session's first script. */
export function shellModule(
  { lazy, shell }: SharedAssets,
  ask: Ask,
  compiled: Compiled,
): () => ShellModule {
  return onceMade(() => {
    const code = lazy["shell.wasm"];
    const image = lazy["shell.memory"];
    if (!code || !image?.heap || !shell) {
      throw new Error("this build has no shell: deno task assets makes it");
    }
    const module = moduleBeside(image, code, compiled("shell.wasm"), ask);
    return { module, heap: baseHeapIn(image.heap, shell) };
  });
}

/** The fonts that matplotlib falls back on: Chinese and Japanese, Korean, emoji. */
const MORE_FONTS = ["DroidSansFallbackFull", "NanumGothic", "Symbola"].map((name) =>
  `share/matplotlib/mpl-data/fonts/ttf/${name}.ttf`
);

/** Those fonts, for other pictures too; read when they are asked for. */
export function moreFonts({ lazy, science }: SharedAssets, ask: Ask): () => readonly Uint8Array[] {
  let fonts: readonly Uint8Array[] | undefined;
  return () => {
    const data = lazy["python-science.data"];
    if (!data || !science) return [];
    awaitAsset(data, ask);
    return fonts ??= MORE_FONTS.flatMap((name) => {
      const [start, size] = science.files[name] ?? [];
      return start === undefined || size === undefined ? [] : [data.bytes.subarray(start, start + size)];
    });
  };
}

function scienceFiles(assets: SharedAssets, ask: Ask): Record<string, LayerFile> {
  if (!assets.science) return {};
  const { bytes, load } = lazyFile(assets, "python-science.data", ask);
  return Object.fromEntries(
    Object.entries(assets.science.files).map(([path, [start, size]]) => [
      path,
      { bytes: bytes.subarray(start, start + size), ...(load && { load }) },
    ]),
  );
}
