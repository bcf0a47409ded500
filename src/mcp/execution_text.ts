/** An execution's outcome as text for a model: what was printed, what came out, what went wrong. */

import { displayLines, showsResult } from "./displays.ts";
import type { Outcome } from "../session/outcome.ts";
import { settled, withoutSteps } from "./terminal_text.ts";

/** Longest text, in UTF-16 units; the structured content holds everything. */
const MAX_TEXT = 30_000;
/** The same of each stream of what still runs: it may be asked for again and again. */
const MAX_RUNNING = 4_000;
/** Most changed files that the text names. */
const MAX_FILES = 10;

export function executionText(outcome: Outcome): string {
  const parts: string[] = [];
  if (outcome.notice) parts.push(`[${outcome.notice}]`);
  if (outcome.stdout) parts.push(withoutSteps(settled(outcome.stdout)).trimEnd());
  if (outcome.stderr) parts.push(`stderr:\n${settled(outcome.stderr).trimEnd()}`);
  parts.push(...displayLines(outcome.displays));
  if (outcome.result !== null && !showsResult(outcome.displays)) parts.push(labelled(outcome.result));
  if (outcome.returned !== null) parts.push(`return value: ${outcome.returned}`);
  if (outcome.error) {
    parts.push(outcome.error.traceback?.trimEnd() ?? outcome.error.message);
    for (const suggestion of outcome.error.recovery_suggestions) parts.push(`- ${suggestion}`);
  }
  if (outcome.changed.files.length > 0) parts.push(`[files: ${filesText(outcome.changed)}]`);
  if (outcome.status !== "completed") parts.push(`[status: ${outcome.status}, state: ${outcome.state}]`);
  return headAndTail(parts.length > 0 ? parts.join("\n") : "[no output]", MAX_TEXT);
}

/** What an execution has printed so far, and all of it as text. */
export function runningText(printed: Pick<Outcome, "stdout" | "stderr">) {
  const stdout = headAndTail(settled(printed.stdout), MAX_RUNNING);
  const stderr = headAndTail(settled(printed.stderr), MAX_RUNNING);
  const parts = [...stdout ? [stdout.trimEnd()] : [], ...stderr ? [`stderr:\n${stderr.trimEnd()}`] : []];
  return { stdout, stderr, text: parts.map((part) => `${part}\n`).join("") };
}

function filesText({ files, truncated }: Outcome["changed"]): string {
  const shown = files.slice(0, MAX_FILES).map(({ path, change }) => `${path} ${change}`);
  const more = files.length - shown.length;
  return shown.join(", ") + (truncated ? ", and many more" : more > 0 ? `, and ${more} more` : "");
}

/** The beginning and the end of a text that is too long; what went wrong usually stands at the end. */
export function headAndTail(text: string, max: number): string {
  if (text.length <= max) return text;
  const half = Math.floor(max / 2);
  // No half of a surrogate pair.
  const head = text.slice(0, half).replace(/[\ud800-\udbff]$/, "");
  const tail = text.slice(-half).replace(/^[\udc00-\udfff]/, "");
  return `${head}\n[… ${text.length - head.length - tail.length} characters left out …]\n${tail}`;
}

/** A result of several lines begins on its own: it may be a table or a drawing. */
function labelled(result: string): string {
  return `result:${result.includes("\n") ? "\n" : " "}${result}`;
}
