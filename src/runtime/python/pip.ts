/** Pip: the real one, in an interpreter of its own (`wasm/python/glue/_wasmbox_pip.py`), over the session's files. */

import * as z from "zod/mini";
import type { RunOutcome, RuntimeHost, SynchronousRuntime } from "../runtime.ts";

/** Bytes that the report of a run may have. */
export const PIP_REPORT_MAX_BYTES = 256 * 1024;

export interface PipCommand {
  readonly args: readonly string[];
  /** The directory in which it runs. */
  readonly cwd?: string;
  readonly fuelBudget?: number;
}

const exitCode = z.object({ exitCode: z.int().check(z.minimum(0), z.maximum(255)) });

/**
 * Runs one command. It succeeds, or the files are as they were. No heap of the session is touched.
 *
 * @param host Where it runs; it has no environment.
 * @param makePip Makes an interpreter from the image that has pip loaded.
 * @returns Whose `result`, if completed, is the report as JSON.
 */
export function runPip(
  host: RuntimeHost,
  makePip: (host: RuntimeHost) => SynchronousRuntime,
  { args, cwd, fuelBudget }: PipCommand,
): RunOutcome {
  const before = host.fs.snapshot();
  const interpreter = makePip({ ...host, env: {} });
  let outcome: RunOutcome;
  try {
    outcome = interpreter.executeNow({
      code: program({ args, ...(cwd !== undefined && { cwd }) }),
      filename: "<pip>",
      resultMaxBytes: PIP_REPORT_MAX_BYTES,
      ...(fuelBudget !== undefined && { fuelBudget }),
    });
  } finally {
    interpreter.discard();
  }
  if (pipExitCode(outcome) !== 0) {
    host.fs.restore(before);
    host.fs.reap();
  }
  return { ...outcome, heap: "kept" };
}

/** As a shell would have it; 1 if pip did not come to its end. */
export function pipExitCode(outcome: RunOutcome): number {
  if (outcome.status !== "completed" || outcome.result === null) return 1;
  try {
    return exitCode.parse(JSON.parse(outcome.result)).exitCode;
  } catch {
    return 1; // an invalid report
  }
}

/** A text in JSON is a literal of Python too. */
function program(options: object): string {
  return [
    "import json, _wasmbox_pip",
    `_wasmbox_pip.run(**json.loads(${JSON.stringify(JSON.stringify(options))}))`,
  ].join("\n");
}
