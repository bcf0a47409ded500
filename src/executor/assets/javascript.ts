/** What there is to say of the heap that programs in JavaScript start from. */

import * as z from "zod/mini";
import { type ExpandedHeap, expandedHeap } from "../../image/base_heap.ts";
import { parseBaseState, type RealmState } from "../../runtime/javascript/state.ts";

/** What `javascript.memory` does not say. */
export interface JavaScriptHeap {
  readonly heap: ExpandedHeap;
  readonly state: RealmState;
}

const asset = z.object({ heap: expandedHeap, state: z.unknown() });

/** @param json `javascript.json`. @throws {z.core.$ZodError} if it is invalid. */
export function javascriptHeapOf(json: Uint8Array<ArrayBuffer>): JavaScriptHeap {
  const { heap, state } = asset.parse(JSON.parse(new TextDecoder().decode(json)));
  return { heap, state: parseBaseState(state) };
}
