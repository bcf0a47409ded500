/** What a run says, on this process's own stdout and stderr. */

import type { Outcome } from "../../session/outcome.ts";

const encoder = new TextEncoder();

/** Writes all of it before anything else happens. */
export function write(stream: "stdout" | "stderr", text: string): void {
  const bytes = encoder.encode(text);
  try {
    for (let at = 0; at < bytes.length;) at += Deno[stream].writeSync(bytes.subarray(at));
  } catch (error) {
    // Whoever read it has gone, as `head` does.
    if (error instanceof Deno.errors.BrokenPipe) Deno.exit(141);
    throw error;
  }
}

/** Something of wasmbox's own. */
export function note(text: string): void {
  write("stderr", `wasmbox: ${text}\n`);
}

/** What went wrong, as the language itself tells it; nothing for a program that ended itself. */
export function errorText({ error, status }: Outcome): string {
  if (error === null || error.error_code === "PROGRAM_EXIT") return "";
  if (status === "failed" && error.traceback !== undefined) return `${error.traceback.trimEnd()}\n`;
  return `${
    [`wasmbox: ${error.message}`, ...error.recovery_suggestions.map((hint) => `  ${hint}`)].join("\n")
  }\n`;
}
