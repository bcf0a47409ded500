/** What the manifest says of science's packages and of scipy, in builds that have them. */

import * as z from "zod/mini";
import { type ExpandedHeap, expandedHeap } from "../../image/base_heap.ts";

const place = z.tuple([z.int().check(z.nonnegative()), z.int().check(z.nonnegative())]);

const science = z.object({
  /** Where files lie in `python-science.data`, start and size, by their paths below `/usr`. */
  files: z.record(z.string(), place),
  /** What `python-science.memory` does not say. */
  heap: expandedHeap,
});
export type Science = z.infer<typeof science>;

const manifest = z.object({
  science: z.optional(science),
  scipy: z.optional(z.object({ heap: expandedHeap })),
});

/** @param assets The manifest of the assets, not yet checked. @throws {z.core.$ZodError} if it is invalid. */
export function scienceOf(assets: unknown): Science | null {
  return manifest.parse(assets).science ?? null;
}

/** What `python-scipy.memory` does not say. @param assets As above. @throws {z.core.$ZodError} */
export function scipyHeapOf(assets: unknown): ExpandedHeap | null {
  return manifest.parse(assets).scipy?.heap ?? null;
}
