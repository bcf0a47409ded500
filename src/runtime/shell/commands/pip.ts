/** `pip`: the real one, as install_package runs it. */

import { pipExitCode, runPip } from "../../python/pip.ts";
import type { Command } from "../just_bash.ts";
import { Output } from "./interpreter.ts";
import { command, type CommandOutput, type Tools } from "./tools.ts";

export function pipCommands(tools: Tools): Command[] {
  return ["pip", "pip3"].map((name) => command(name, ({ args, cwd }) => pip(tools, args, cwd)));
}

/** @returns What it printed; a command that fails has changed nothing. */
export function pip(tools: Tools, args: readonly string[], cwd: string): CommandOutput {
  const run = tools.run();
  const fuelBudget = run.fuelBudget - run.fuelConsumed;
  if (fuelBudget <= 0) {
    run.outOfFuel = true;
    return { stderr: "the fuel budget is used up\n", exitCode: 152 };
  }
  const output = new Output();
  const outcome = runPip(
    { ...tools.host, write: (stream, bytes) => output.write(stream, bytes) },
    (host) => tools.interpreters.pip(host),
    { args, cwd, ...(Number.isFinite(fuelBudget) && { fuelBudget }) },
  );
  run.fuelConsumed += outcome.fuelConsumed;
  if (outcome.status === "out_of_fuel") run.outOfFuel = true;
  return {
    stdout: output.bytes("stdout"),
    stderr: new TextDecoder().decode(output.bytes("stderr")),
    exitCode: pipExitCode(outcome),
  };
}
