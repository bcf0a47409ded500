/** `pip`: the real one, as install_package runs it. */

import { pipExitCode, runPip } from "../../python/pip.ts";
import type { ProgramOutput, SpawnRequest, Surroundings } from "./mod.ts";
import { hostOf, NO_FUEL, Output, withFuel } from "./process.ts";

/** @returns What it printed; a command that fails has changed nothing. */
export function pip(surroundings: Surroundings, { args, cwd }: SpawnRequest): ProgramOutput {
  const output = new Output();
  const outcome = withFuel(surroundings, (budget) =>
    runPip(
      hostOf(surroundings, output.write),
      (host) => surroundings.interpreters.pip(host),
      { args, cwd, ...budget },
    ));
  if (!outcome) return NO_FUEL;
  return {
    stdout: output.bytes("stdout"),
    stderr: output.bytes("stderr"),
    exitCode: pipExitCode(outcome),
  };
}
