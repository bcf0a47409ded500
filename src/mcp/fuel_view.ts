/** What an execution's fuel means, and what to do about it. */

import * as z from "zod";
import type { Outcome } from "../session/outcome.ts";
import type { Session } from "../session/session.ts";
import { LEFT_OUT_OF_FUEL } from "./left_out.ts";

const STATUSES = ["efficient", "moderate", "warning", "critical", "exhausted"] as const;
type FuelStatus = typeof STATUSES[number];

export const fuelView = z.object({
  budget: z.number().int().nullable().optional().describe("Fuel this execution might use; null: no bound."),
  utilization_percent: z.number().describe("0 without a budget; over 100 once it is used up."),
  status: z.enum(STATUSES),
  advice: z.string().optional(),
  session_budget: z.number().int().nullable().optional().describe(
    "Fuel of all executions of the session together.",
  ),
  session_consumed: z.number(),
});

const ADVICE: Record<FuelStatus, string> = {
  efficient: LEFT_OUT_OF_FUEL.advice,
  moderate: "There is room for somewhat more work of this kind in one execution.",
  warning: "Twice this work would not fit: split larger inputs over several executions.",
  critical: "Nearly all was used: split the work, use a better algorithm, or ask for a larger fuel_budget.",
  exhausted:
    "The budget ended this execution: split the work, use a better algorithm, or ask for a larger fuel_budget.",
};

const SESSION_LOW = "Little of the session's total fuel is left: a new session has its own.";

export function fuelViewOf(outcome: Outcome, session: Session): z.infer<typeof fuelView> {
  const { fuelBudget: budget, fuelConsumed } = outcome;
  const { sessionFuelBudget } = session.limits;
  const used = budget === null ? 0 : budget === 0 ? 100 : fuelConsumed / budget * 100;
  const status = outcome.status === "out_of_fuel" ? "exhausted" : statusOf(used);
  const sessionIsLow = sessionFuelBudget !== null && session.fuelConsumed >= 0.9 * sessionFuelBudget;
  return {
    budget,
    utilization_percent: Math.round(used * 10) / 10,
    status,
    advice: sessionIsLow ? SESSION_LOW : ADVICE[status],
    session_budget: sessionFuelBudget,
    session_consumed: session.fuelConsumed,
  };
}

function statusOf(percent: number): FuelStatus {
  if (percent < 50) return "efficient";
  if (percent < 75) return "moderate";
  if (percent < 90) return "warning";
  return percent <= 100 ? "critical" : "exhausted";
}
