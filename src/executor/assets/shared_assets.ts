/** What the Workers of an executor share. */

import type { BaseHeap, ExpandedHeap } from "../../image/base_heap.ts";
import type { JavaScriptHeap } from "./javascript.ts";
import type { Science } from "./science.ts";
import type { Bases } from "../wire/bases.ts";
import type { SharedLazyAssets } from "./lazy_assets.ts";

/** What every Worker of an executor shares: compiled modules, and read-only bytes in shared memory. */
export interface SharedAssets {
  /** Digests of what heaps are deltas of, by language. */
  readonly bases: Bases;
  /** What there is to say of the heap that JavaScript starts from. */
  readonly javascript: JavaScriptHeap;
  readonly python: WebAssembly.Module;
  /** The base image: a booted interpreter. */
  readonly pythonImage: BaseHeap;
  /** What there is to say of the science packages; null if this build has none. */
  readonly science: Science | null;
  /** What there is to say of the heap with scipy; null if this build has none. */
  readonly scipy: ExpandedHeap | null;
  /** What there is to say of the heap that shells start from; null if this build has none. */
  readonly shell: ExpandedHeap | null;
  /** What is read when it is asked for. */
  readonly lazy: SharedLazyAssets;
}
