import { ExitCode } from "../../exit_code.ts";
import type { RunOutcome } from "../runtime.ts";

/** What a script is told of a program that came to this end. */
export function exitCodeOf(outcome: RunOutcome): number {
  switch (outcome.status) {
    case "completed":
      return 0;
    case "exited":
      return outcome.exitCode;
    case "failed":
      return outcome.error.type === "KeyboardInterrupt" ? ExitCode.interrupted : 1;
    case "stopped":
      return ExitCode.interrupted;
    case "out_of_fuel":
      return ExitCode.outOfFuel;
    case "out_of_memory":
      return ExitCode.killed;
    case "crashed":
      return ExitCode.crashed;
  }
}
