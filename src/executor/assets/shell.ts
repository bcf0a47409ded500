/** What the manifest says of the shell, in builds that have one. */

import * as z from "zod/mini";
import { type ExpandedHeap, expandedHeap } from "../../image/base_heap.ts";

const manifest = z.object({
  shell: z.optional(z.object({
    /** What `shell.memory` does not say. */
    heap: expandedHeap,
  })),
});

/** @param assets The manifest of the assets, not yet checked. @throws {z.core.$ZodError} if it is invalid. */
export function shellHeapOf(assets: unknown): ExpandedHeap | null {
  return manifest.parse(assets).shell?.heap ?? null;
}
