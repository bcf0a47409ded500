/** Work that comes to calls of WebAssembly which others make for it: at once, or on a stack that can be left. */

import type { GuestClock } from "../control/guest_clock.ts";
import type { FuelMeter } from "../control/meter.ts";

/** A call that is to be made. */
export interface WasmCall {
  readonly call: (...args: number[]) => number;
  readonly args: readonly number[];
  /** Counts what it does. */
  readonly meter: FuelMeter;
}

/** Time that is to go by. */
export interface Pause {
  readonly ms: number;
  readonly clock: GuestClock;
  /** Has counted what was done before. Absent: nothing was, of a guest's. */
  readonly meter?: FuelMeter;
}

/** What a {@link Pause} gets that was ended before its time. */
export const INTERRUPTED = 1;

/** Gets what a call returned, or what it threw. `"input"`: goes on when there is standard input, or its end. */
export type Steps<T> = Generator<WasmCall | Pause | "input", T, number>;

/**
 * Does all of it at once, on the stack of who calls.
 *
 * @throws {Error} where it waits for input, which nobody could give it meanwhile.
 */
export function finish<T>(steps: Steps<T>): T {
  let step = steps.next(0);
  while (!step.done) step = next(steps, step.value);
  return step.value;
}

function next<T>(steps: Steps<T>, wanted: WasmCall | Pause | "input"): ReturnType<Steps<T>["next"]> {
  if (wanted === "input") return steps.throw(new Error("input is waited for where none can come"));
  let returned: number;
  try {
    returned = "ms" in wanted ? pause(wanted) : wanted.call(...wanted.args);
  } catch (error) {
    return steps.throw(error);
  }
  return steps.next(returned);
}

function pause({ clock, ms }: Pause): number {
  return clock.wait(ms) === "interrupted" ? INTERRUPTED : 0;
}
