/** Compares what an execution reports with what is expected of it. */

import type { Display, Execution, Expectation, Finding, Image } from "./attack.ts";

/** Bounds of the default policy on what a reply may carry, in UTF-16 units, with room for a mark that it was cut. */
const MOST = {
  stdout: 1_048_576 + 100,
  stderr: 1_048_576 + 100,
  result: 65_536 + 100,
  message: 20_000,
  traceback: 200_000,
  /** In JSON, with all of it escaped. */
  returned: 6 * 65_536,
};
const MOST_DISPLAYS = 20;
/** Of all displays in a reply together. */
const MOST_DISPLAY_BYTES = 524_288;
/** A picture on a side, pixels. */
const MOST_SIDE = 8000;
/** How the pictures begin that are shown, in base64. */
const BEGINNINGS: Readonly<Record<string, string>> = { "image/png": "iVBORw0KGgo", "image/jpeg": "/9j/" };

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

/**
 * What is wrong with a reply whatever the attack: it exceeds its bounds, or tells of a defect.
 *
 * @param mayLoseExecutor Whether it may tell that its process was lost.
 */
export function replyComplaints(execution: Execution, mayLoseExecutor = false): string[] {
  const { stdout, stderr, result, error, return_value: returned } = execution;
  const parts = {
    stdout,
    stderr,
    result,
    message: error?.message,
    traceback: error?.traceback,
    returned: JSON.stringify(returned),
  };
  const complaints = Object.entries(parts)
    .filter(([name, text]) => (text?.length ?? 0) > MOST[name as keyof typeof MOST])
    .map(([name, text]) => `${name} has ${text?.length} characters`);
  if (error?.error_code === "INTERNAL_ERROR") complaints.push("the server failed");
  if (error?.error_code === "EXECUTOR_LOST" && !mayLoseExecutor) {
    complaints.push("it took the executor, in which other sessions run");
  }
  return [
    ...complaints,
    ...displayComplaints(execution.displays),
    ...execution.images.flatMap(imageComplaints),
  ];
}

function displayComplaints(displays: readonly Display[]): string[] {
  const complaints: string[] = [];
  if (displays.length > MOST_DISPLAYS) complaints.push(`the reply has ${displays.length} displays`);
  const shown = displays.filter(({ path }) => path === null);
  const bytes = shown.reduce((sum, { size }) => sum + size, 0);
  if (bytes > MOST_DISPLAY_BYTES) complaints.push(`the reply shows ${bytes} bytes`);
  for (const { width, height, text, path } of displays) {
    if (Math.max(width ?? 0, height ?? 0) > MOST_SIDE) {
      complaints.push(`a picture has ${width} × ${height} pixels`);
    }
    if ((text?.length ?? 0) > MOST_DISPLAY_BYTES) complaints.push("a display's text is beyond its bound");
    if (path !== null && !/^\.display\/[\w-]+\.\w+$/.test(path)) {
      complaints.push(`a display was saved as ${path}`);
    }
  }
  return complaints;
}

function imageComplaints({ mimeType, data }: Image): string[] {
  const beginning = BEGINNINGS[mimeType];
  if (beginning !== undefined && data.startsWith(beginning)) return [];
  return [`an image block of ${mimeType} begins with ${data.slice(0, 20)}`];
}
