/** What of a live QuickJS its memory does not hold. */

import * as z from "zod/mini";
import { ImageError } from "../../executor/wire/image_error.ts";
import type { Pointer, Value } from "./abi.ts";

export interface EngineState {
  readonly runtime: Pointer;
  readonly context: Pointer;
  /** Names of the host functions, in the order of their numbers. */
  readonly functions: readonly string[];
}

export interface ModulesState {
  /** Path, version and signature of each, and which of these it imports, by index. */
  readonly loaded: readonly (readonly [
    path: string,
    version: number,
    signature: string,
    imports: readonly number[],
  ])[];
  readonly unresolvedCount: number;
}

export interface RealmState {
  readonly engine: EngineState;
  readonly hooks: Readonly<Record<string, Value>>;
  readonly modules: ModulesState;
}

const count = z.int().check(z.nonnegative());
/** Addresses are numbers that only the guest's own memory is looked up with. */
const pointer = z.pipe(count.check(z.maximum(2 ** 32 - 1)), z.transform((at) => at as Value));

const realmState = z.object({
  engine: z.object({ runtime: pointer, context: pointer, functions: z.array(z.string()) }),
  hooks: z.record(z.string(), pointer),
  modules: z.object({
    loaded: z.array(z.tuple([z.string(), z.int(), z.string(), z.array(count)])),
    unresolvedCount: count,
  }).check(
    z.refine(({ loaded }) =>
      loaded.every(([, , , imports]) => imports.every((index) => index < loaded.length))
    ),
  ),
});

/** @throws {ImageError} */
export function parseRealmState(state: unknown): RealmState {
  const parsed = realmState.safeParse(state);
  if (!parsed.success) throw new ImageError("the state of JavaScript's heap is invalid");
  return parsed.data;
}

/** @param state Made when the assets were built. @throws {z.core.$ZodError} if it is invalid. */
export function parseBaseState(state: unknown): RealmState {
  return realmState.parse(state);
}
