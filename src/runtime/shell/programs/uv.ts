/** `uv`, by what does the same here: its own work, an environment per project, is none in a session. */

import type { Steps } from "../../steps.ts";
import type { ProgramOutput, SpawnRequest, Surroundings } from "./program.ts";
import { pip } from "./pip.ts";
import { ProgramError } from "./program_error.ts";
import { python } from "./python.ts";
import { makeVenv } from "./venv.ts";

const DIRECTORY = ".venv";
/** Options of `uv run` that take a value. */
const WITH_VALUE = new Set(["-p", "--python", "--env-file", "--directory", "--group", "--extra"]);

export function* uv(surroundings: Surroundings, request: SpawnRequest): Steps<ProgramOutput> {
  const [verb = "", ...rest] = request.args;
  switch (verb) {
    case "pip":
      return pip(surroundings, { ...request, args: rest });
    case "add":
      return pip(surroundings, { ...request, args: ["install", ...rest] });
    case "remove":
      return pip(surroundings, { ...request, args: ["uninstall", "-y", ...rest] });
    case "venv":
      return makeVenv(surroundings, { ...request, args: rest }, DIRECTORY);
    case "run":
      return yield* run(surroundings, request, rest);
    case "--version":
    case "-V":
      return { stdout: "uv, of a sandbox: pip, add, remove, venv, run\n" };
    default:
      throw new ProgramError(
        "there are pip, add, remove, venv and run here: the session is one environment",
        2,
      );
  }
}

/** `uv run [--with PACKAGE]… [python] FILE|-m MODULE …` */
function* run(
  surroundings: Surroundings,
  request: SpawnRequest,
  given: readonly string[],
): Steps<ProgramOutput> {
  const args = [...given];
  const packages: string[] = [];
  while (args[0]?.startsWith("-") && !["-c", "-m"].includes(args[0])) {
    const option = args.shift()!;
    if (option === "--with") packages.push(args.shift() ?? "");
    else if (WITH_VALUE.has(option)) args.shift();
  }
  if (packages.length > 0) {
    const installed = pip(surroundings, { ...request, args: ["install", "--quiet", ...packages] });
    if (installed.exitCode !== 0) return installed;
  }
  if (args.length === 0) throw new ProgramError("which program?", 2);
  if (/^python3?$/.test(args[0]!)) args.shift();
  else if (args[0] === "pytest") args.unshift("-m");
  return yield* python(surroundings, { ...request, args });
}
