/** `pip`: the real one, as install_package runs it. */

import { pipExitCode, runPip } from "../../python/pip.ts";
import type { ProgramOutput, SpawnRequest, Surroundings } from "./mod.ts";
import { hostOf, Output, withFuel } from "./process.ts";

/** @returns What it printed; a command that fails has changed nothing. */
export function pip(surroundings: Surroundings, { args, cwd }: SpawnRequest): ProgramOutput {
  const output = new Output();
  const outcome = withFuel(surroundings, (budget) =>
    runPip(
      hostOf(surroundings, output.write),
      (host) => surroundings.interpreters.pip(host),
      { args, cwd, ...budget },
    ));
  if (!outcome) return { stderr: "the fuel budget is used up\n", exitCode: 152 };
  return {
    stdout: output.bytes("stdout"),
    stderr: output.bytes("stderr"),
    exitCode: pipExitCode(outcome),
  };
}
