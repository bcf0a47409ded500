/** What a run of the suite means: which scenarios had to pass, and which did not. */

import { MISSING, PRODUCT } from "./product.ts";
import { passes, type Revision, type Scenario } from "./suite.ts";

export interface Verdict {
  readonly scenario: Scenario;
  readonly kind: "passed" | "failed" | "missing" | "not required";
  /** Why it is missing or not required, or what is wrong. */
  readonly note?: string;
}

/** Of the server with the fixtures: everything that the revision requires has to pass. */
export function judgeFixtures(scenarios: readonly Scenario[]): Verdict[] {
  return scenarios.map((scenario) => {
    if (passes(scenario)) return { scenario, kind: "passed" };
    if (scenario.notScored === undefined) return { scenario, kind: "failed" };
    return { scenario, kind: "not required", note: scenario.notScored };
  });
}

/** Of wasmbox itself: its own list has to pass, but for what is known to be missing. */
export function judgeProduct(revision: Revision, scenarios: readonly Scenario[]): Verdict[] {
  const byName = new Map(scenarios.map((scenario) => [scenario.name, scenario]));
  return PRODUCT[revision].map((name) => {
    const scenario = byName.get(name) ?? { name, passed: 0, failed: 0 };
    const note = MISSING[name];
    if (note === undefined) return { scenario, kind: passes(scenario) ? "passed" : "failed" };
    if (!passes(scenario)) return { scenario, kind: "missing", note };
    return { scenario, kind: "failed", note: "it passes: take it off the list of what is missing" };
  });
}
