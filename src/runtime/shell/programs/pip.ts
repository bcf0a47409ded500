/** `pip`: the real one, as install_package runs it. */

import { SCIENCE } from "../../../fs/places.ts";
import { adviceOnNative } from "../../../package_alternatives.ts";
import { normalized } from "../../../project_name.ts";
import { nativeAmong, type NativeProject, pipExitCode, runPip } from "../../python/pip.ts";
import type { RunOutcome } from "../../runtime.ts";
import type { ProgramOutput, SpawnRequest, Surroundings } from "./program.ts";
import { endOf, hostOf, NO_FUEL, Output, type ProgramEnd, withFuel } from "./process.ts";

const MAX_HINTS = 5;

/** @returns What it printed; a command that fails has changed nothing. */
export function pip(surroundings: Surroundings, { args, cwd }: SpawnRequest): ProgramOutput {
  const output = new Output();
  const outcome = withFuel(surroundings, (budget) =>
    runPip(
      hostOf(surroundings, output.write),
      (host) => surroundings.interpreters.pip(host),
      { args, cwd, ...budget },
    ));
  return output.ended(outcome ? pipEnd(outcome, surroundings.host.fs.exists(SCIENCE)) : NO_FUEL);
}

/** @param science Whether numpy and what stands on it are there. */
function pipEnd(outcome: RunOutcome, science: boolean): ProgramEnd {
  const end = endOf(outcome);
  if (end.exitCode !== 0) return end;
  const exitCode = pipExitCode(outcome);
  if (exitCode === 0) return { exitCode };
  if (outcome.status === "completed" && isJson(outcome.result)) {
    const hints = nativeAmong(outcome).map((each) => hintOn(each, science));
    return { exitCode, message: [...new Set(hints)].slice(0, MAX_HINTS).join("") };
  }
  return { exitCode, message: "pip: what it told of its work was lost: nothing is changed\n" };
}

/** Pip says that there are no versions at all. */
function hintOn({ project, parent }: NativeProject, science: boolean): string {
  const what = parent === null ? project : `${project}, which ${parent} needs,`;
  return `HINT: ${what} has ${adviceOnNative(normalized(project), science)}\n`;
}

function isJson(text: string | null): boolean {
  try {
    JSON.parse(text ?? "");
    return true;
  } catch {
    return false;
  }
}
