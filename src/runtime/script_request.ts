/** Scripts of the shell that programs of other languages wait for in the middle of what they do. */

import * as z from "zod/mini";
import type { ControlCell } from "../control/cell.ts";
import type { FuelMeter } from "../control/meter.ts";
import { HostCallError, type RuntimeHost, type ShellCommandOutcome } from "./runtime.ts";

const scriptRequest = z.object({
  script: z.string(),
  /** Files that take what it prints; what has none is shown as the program's own. */
  files: z.object({ stdout: z.optional(z.string()), stderr: z.optional(z.string()) }),
  /** Seconds. */
  timeout: z.optional(z.number()),
});

export interface ScriptAnswer {
  readonly ending: ShellCommandOutcome["ending"];
  readonly exit_code: number;
  /** Whether the files have all that it printed. */
  readonly complete: boolean;
}

/** The program that waits. */
export interface Waiter {
  readonly cell: ControlCell;
  readonly meter: FuelMeter;
  readonly runCommand: NonNullable<RuntimeHost["runCommand"]>;
}

/**
 * Runs a script with the fuel that is left to the program.
 *
 * @param request UTF-8 JSON. @throws {HostCallError} if it is invalid. @throws {Aborted} on a hard stop.
 */
export function runScript({ cell, meter, runCommand }: Waiter, request: Uint8Array): ScriptAnswer {
  const { script, files, timeout = Infinity } = parse(request);
  const left = meter.left();
  const outcome = runCommand({
    script,
    capture: false,
    files,
    timeoutMs: timeout * 1000,
    ...(Number.isFinite(left) && { fuelBudget: left }),
  });
  meter.charge(outcome.fuelConsumed);
  cell.throwIfAborted();
  const { ending, exitCode, complete } = outcome;
  return { ending, exit_code: exitCode, complete };
}

function parse(bytes: Uint8Array): z.infer<typeof scriptRequest> {
  try {
    return scriptRequest.parse(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    throw new HostCallError("the request is invalid");
  }
}
