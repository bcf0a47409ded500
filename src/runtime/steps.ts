/** Work that comes to calls of WebAssembly which others make for it: at once, or on a stack of their own. */

import type { FuelMeter } from "../control/meter.ts";
import { onOwnStack } from "./stack_switching.ts";

/** A call that is to be made. */
export interface WasmCall {
  readonly call: (...args: number[]) => number;
  /** One more tells whether it has a stack of its own (1), which is larger (`executor/server/spawn.ts`), or not (0). */
  readonly args: readonly number[];
  /** Counts what it does. */
  readonly meter: FuelMeter;
}

/** Gets what a call returned, or what it threw. `"input"`: goes on when there is standard input, or its end. */
export type Steps<T> = Generator<WasmCall | "input", T, number>;

/** Does all of it at once, on the stack of who calls. */
export function finish<T>(steps: Steps<T>): T {
  let step = steps.next(0);
  while (!step.done) step = next(steps, step.value);
  return step.value;
}

function next<T>(steps: Steps<T>, wanted: WasmCall | "input"): ReturnType<Steps<T>["next"]> {
  if (wanted === "input") return steps.next(0);
  let returned: number;
  try {
    returned = wanted.call(...wanted.args, 0);
  } catch (error) {
    return steps.throw(error);
  }
  return steps.next(returned);
}

/** Makes a call on a stack of its own. It ends before this returns, unless it has to wait. */
export function callApart({ call, args }: WasmCall): Promise<number> {
  return onOwnStack(call)(...args, 1);
}

/** Does all of it at once, each call on a stack of its own; nothing of it waits. */
export async function finishApart<T>(steps: Steps<T>): Promise<T> {
  let step = steps.next(0);
  while (!step.done) {
    let returned = 0;
    if (step.value !== "input") {
      try {
        returned = await callApart(step.value);
      } catch (error) {
        step = steps.throw(error);
        continue;
      }
    }
    step = steps.next(returned);
  }
  return step.value;
}
