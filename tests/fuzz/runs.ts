/** How long the properties are tried: briefly among the tests, longer by `deno task fuzz`. */

import type { Parameters } from "fast-check";

const FACTOR = Number(Deno.env.get("WASMBOX_FUZZ_RUNS") || 1);
/** The tests try the same examples every time, so that a failure is the change's own; `deno task fuzz` looks for new ones. */
const SEED = Deno.env.get("WASMBOX_FUZZ_SEED") || (FACTOR > 1 ? "" : "20261121");

/**
 * Parameters for `fc.assert`. A failure prints the seed and the path to the smallest example that was found.
 *
 * @param numRuns Among the tests; WASMBOX_FUZZ_RUNS multiplies it, WASMBOX_FUZZ_SEED repeats a run.
 */
export function runs<T>(numRuns: number): Parameters<T> {
  return { numRuns: Math.ceil(numRuns * FACTOR), ...SEED ? { seed: Number(SEED) } : {} };
}
