/** What QuickJS's `Math.random` begins with. */

import type { RandomSource } from "../../control/random.ts";
import type { Pointer } from "./abi.ts";
import type { LinearMemory } from "./linear_memory.ts";

/** Gives `Math.random` a state of its own. @param at Where it is kept. */
export function seedRandom(memory: LinearMemory, at: Pointer, random: RandomSource): void {
  const state = new Uint8Array(8);
  random(state);
  state[0]! |= 1; // xorshift stays at zero for ever
  memory.view().set(state, at);
}

/**
 * A time out of the first 8,000 years, for a context while it is made: QuickJS seeds Math.random with the microseconds
 * since 1970, which are no secret and the same in no two runs.
 */
export function randomTime(random: RandomSource): bigint {
  const bytes = new Uint8Array(6);
  random(bytes);
  const microseconds = bytes.reduce((number, byte) => number * 256n + BigInt(byte), 0n);
  return microseconds * 1000n;
}
