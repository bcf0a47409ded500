import type { FuelMeter } from "../control/meter.ts";
import type { RunOutcome } from "./runtime.ts";

/** `status`: of a run, or of a part of one. */
type Ended = Pick<RunOutcome, "heap"> & { readonly status: string };

/**
 * An ending, or "out_of_fuel" in its place if more than the budget was used: what a program that was interrupted for
 * that made of it, or that it ended within the grace, does not count.
 */
export function unlessOverspent<Ending extends Ended>(
  ending: Ending,
  meter: FuelMeter | undefined,
): Ending | { readonly status: "out_of_fuel"; readonly heap: Ended["heap"] } {
  if (!meter?.exhausted || ending.status === "crashed" || ending.status === "out_of_memory") return ending;
  return { status: "out_of_fuel", heap: ending.heap };
}
