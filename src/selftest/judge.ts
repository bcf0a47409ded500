/** Compares what an execution reports with what is expected of it. */

import type { Execution, Expectation, Finding } from "./attack.ts";

/** Bounds of the default policy on what a reply may carry, in UTF-16 units, with room for a mark that it was cut. */
const MOST = {
  stdout: 1_048_576 + 100,
  stderr: 1_048_576 + 100,
  result: 65_536 + 100,
  message: 20_000,
  traceback: 200_000,
};

/** Judges how a program ended. */
export function judge(execution: Execution, expect: Expectation): Finding {
  const { status, state, error, result } = execution;
  const told = error ? `${error.type ?? error.error_code}: ${error.message}` : `${result}`;
  const got = `${status}, ${state}, ${told}`;
  const refused = expect.status.includes(status) &&
    (expect.error?.test(told) ?? true) &&
    resultMatches(result, expect.result) &&
    (expect.stdout?.test(execution.stdout) ?? true) &&
    (expect.truncated ?? []).every((stream) => execution.truncated[stream]);
  return { refused, got };
}

function resultMatches(result: string | null, expected: RegExp | string | undefined): boolean {
  if (expected === undefined) return true;
  return typeof expected === "string" ? result === expected : expected.test(`${result}`);
}

/** What is wrong with a reply whatever the attack: it exceeds its bounds, or tells of a defect. */
export function replyComplaints({ stdout, stderr, result, error }: Execution): string[] {
  const parts = { stdout, stderr, result, message: error?.message, traceback: error?.traceback };
  const complaints = Object.entries(parts)
    .filter(([name, text]) => (text?.length ?? 0) > MOST[name as keyof typeof MOST])
    .map(([name, text]) => `${name} has ${text?.length} characters`);
  if (error?.error_code === "INTERNAL_ERROR") complaints.push("the server failed");
  if (error?.error_code === "EXECUTOR_LOST") {
    complaints.push("it took the executor, in which other sessions run");
  }
  return complaints;
}
