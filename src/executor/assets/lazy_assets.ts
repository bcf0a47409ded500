/**
 * Assets that many sessions never need: read when the first Worker of an executor asks for them, into memory that all
 * its Workers share. This is the Workers' end.
 */

import type { SharedMemory } from "../../image/base_heap.ts";
import { BaseUnavailable } from "../../image/part.ts";

export const LAZY_ASSETS = [
  "python-stdlib.zip",
  "python-bundled.zip",
  "python-sources.zip",
  "python-mathematics.zip",
  "python-more.zip",
  "python-tzdata.zip",
  "python-pip.zip",
  "python-pip.image",
  "quickjs.wasm",
  "javascript.memory",
  "javascript-libraries.json",
  "javascript-git.image",
  "resvg.wasm",
  "DejaVuSans.ttf",
  "DejaVuSans-Bold.ttf",
] as const;

/** Those of the packages that not every build has. */
export const SCIENCE_ASSETS = [
  "python-science.wasm",
  "python-science.zip",
  "python-science.data",
  "python-science.memory",
] as const;

/** Those of scipy, which fewer builds have. */
export const SCIPY_ASSETS = ["python-scipy.wasm", "python-scipy.zip", "python-scipy.memory"] as const;

/** Those of the shell, which not every build has either. */
export const SHELL_ASSETS = ["shell.wasm", "shell.memory"] as const;

/** Modules. */
export const CODE_ASSETS = [
  "quickjs.wasm",
  "shell.wasm",
  "python-science.wasm",
  "python-scipy.wasm",
] as const;
export type CodeAsset = typeof CODE_ASSETS[number];

type ScienceAsset = typeof SCIENCE_ASSETS[number] | typeof SCIPY_ASSETS[number];
/** Those of every build. */
export type CoreAsset = typeof LAZY_ASSETS[number];
type ShellAsset = typeof SHELL_ASSETS[number];
export type LazyAsset = CoreAsset | ScienceAsset | ShellAsset;

/** Room for an asset; memory that nobody has written to takes none. */
export interface SharedAsset {
  readonly name: LazyAsset;
  readonly bytes: Uint8Array;
  /** What has `bytes`, if they are those of a heap. */
  readonly heap?: SharedMemory;
  /** One element: what of `bytes` holds. */
  readonly state: Int32Array;
}

export type SharedLazyAssets =
  & Readonly<Record<CoreAsset, SharedAsset>>
  & Readonly<Partial<Record<ScienceAsset | ShellAsset, SharedAsset>>>;

/** What the element of {@link SharedAsset.state} says. */
export const ABSENT = 0;
export const THERE = 1;
export const FAILED = 2;

/** Asks for assets that will be waited for in this order: they are read one after another. */
export function askFor(assets: readonly SharedAsset[], ask: (name: LazyAsset) => void): void {
  for (const { name, state } of assets) if (Atomics.load(state, 0) === ABSENT) ask(name);
}

/** Returns once the asset is there. @throws {BaseUnavailable} if it can't be read. */
export function awaitAsset({ name, state }: SharedAsset, ask: (name: LazyAsset) => void): void {
  if (Atomics.load(state, 0) === ABSENT) {
    ask(name);
    Atomics.wait(state, 0, ABSENT);
  }
  if (Atomics.load(state, 0) === FAILED) throw new BaseUnavailable(`${name} could not be read`);
}
