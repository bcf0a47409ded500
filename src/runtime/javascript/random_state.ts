/** Where QuickJS keeps the state of `Math.random`, which is no part of its interface. */

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

/** Finds where the state is kept, by what a call makes of it: xorshift64*. @param call Calls `Math.random`. */
export function findRandomState(memory: LinearMemory, call: () => void): Pointer {
  call();
  const before = new BigUint64Array(memory.view().slice().buffer);
  call();
  const after = new BigUint64Array(memory.view().buffer);
  const found: Pointer[] = [];
  before.forEach((word, index) => {
    if (word !== after[index] && xorshift(word) === after[index]) found.push(index * 8);
  });
  const [at, ...more] = found;
  if (at === undefined || more.length > 0) throw new Error(`Math.random has ${found.length} states`);
  return at;
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

function xorshift(word: bigint): bigint {
  word ^= word >> 12n;
  word ^= BigInt.asUintN(64, word << 25n);
  return word ^ word >> 27n;
}
