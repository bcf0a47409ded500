/** `pip`: the real one, as install_package runs it. */

import { pipExitCode, runPip } from "../../python/pip.ts";
import type { RunOutcome } from "../../runtime.ts";
import type { ProgramOutput, SpawnRequest, Surroundings } from "./mod.ts";
import { endOf, hostOf, NO_FUEL, Output, type ProgramEnd, withFuel } from "./process.ts";

/** @returns What it printed; a command that fails has changed nothing. */
export function pip(surroundings: Surroundings, { args, cwd }: SpawnRequest): ProgramOutput {
  const output = new Output();
  const outcome = withFuel(surroundings, (budget) =>
    runPip(
      hostOf(surroundings, output.write),
      (host) => surroundings.interpreters.pip(host),
      { args, cwd, ...budget },
    ));
  return output.ended(outcome ? pipEnd(outcome) : NO_FUEL);
}

function pipEnd(outcome: RunOutcome): ProgramEnd {
  const end = endOf(outcome);
  if (end.exitCode !== 0) return end;
  const exitCode = pipExitCode(outcome);
  if (exitCode === 0 || outcome.status === "completed" && isJson(outcome.result)) return { exitCode };
  return { exitCode, message: "pip: what it told of its work was lost: nothing is changed\n" };
}

function isJson(text: string | null): boolean {
  try {
    JSON.parse(text ?? "");
    return true;
  } catch {
    return false;
  }
}
