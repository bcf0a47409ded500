/** The programs that a shell starts beside its own commands: interpreters of other languages, and what installs packages. */

import { TooLarge } from "../../../archive/collector.ts";
import { Aborted, NO_EXECUTION } from "../../../control/cell.ts";
import { ExitCode } from "../../../exit_code.ts";
import { FsError } from "../../../fs/errors.ts";
import { finish, type Steps } from "../../steps.ts";
import type { ParsedSpawn } from "../spawn.ts";
import { curl } from "./curl.ts";
import { git } from "./git.ts";
import { heldInput } from "./held_input.ts";
import { runGzip } from "./gzip.ts";
import { node } from "./node.ts";
import { nc } from "./nc.ts";
import { commandOfNpx, npm, npx } from "./npm.ts";
import { commandOf } from "./npm_scripts.ts";
import { pip } from "./pip.ts";
import {
  bytesOf,
  type Program,
  type ProgramInSteps,
  type ProgramOutput,
  type Spawned,
  type SpawnRequest,
  type Surroundings,
} from "./program.ts";
import { ProgramError } from "./program_error.ts";
import { python } from "./python.ts";
import { sqlite3 } from "./sqlite3.ts";
import { tar } from "./tar.ts";
import { timeout } from "./timeout.ts";
import { tool } from "./tools.ts";
import { runUnzip } from "./unzip.ts";
import { uv } from "./uv.ts";
import { virtualenv } from "./venv.ts";
import { asNpm, yarn } from "./yarn.ts";
import { wget } from "./wget.ts";
import { runZip } from "./zip.ts";

/** Longest argument, and most of all of them with a pointer to each, as on Linux. */
const ARGUMENT_MAX = 128 * 1024;
const ARGUMENTS_MAX = 2 * 1024 * 1024;
const POINTER = 9;

const pytest: ProgramInSteps = (surroundings, request) =>
  python(surroundings, { ...request, args: ["-m", "pytest", ...request.args] });

/** They read as their input comes, and leave their stack where they wait for it. */
const READING_IN_STEPS: Readonly<Record<string, ProgramInSteps>> = {
  python,
  python3: python,
  pytest,
  "py.test": pytest,
  uv,
  sqlite3,
  timeout: (surroundings, request) => timeout(surroundings, request, inSteps),
};

/** They leave their stack where they wait for time: what they read has come before they begin. */
const WAITING_IN_STEPS: Readonly<Record<string, ProgramInSteps>> = {
  node,
  qjs: node,
  tsx: node,
  "ts-node": node,
  curl,
  wget,
  nc,
  netcat: nc,
};

/** Of these, those that can read what comes while they wait for time. */
const READING_ON: ReadonlySet<string> = new Set(["node", "qjs", "tsx", "ts-node"]);

/** They run scripts of a project, and programs of packages. */
const SCRIPTED: ReadonlySet<string> = new Set(["npm", "npx", "yarn", "pnpm"]);

const PROGRAMS: Readonly<Record<string, Program>> = {
  pip,
  pip3: pip,
  npm,
  npx,
  yarn,
  pnpm: yarn,
  virtualenv,
  git,
  gzip: tool(runGzip),
  gunzip: tool(runGzip),
  zcat: tool(runGzip),
  tar: tool(tar),
  zip: tool(runZip),
  unzip: tool(runUnzip),
  zipinfo: tool(runUnzip),
};

/** Whatever version a script was made with: there is one. */
function nameOf(name: string): string {
  return name.replace(/^python3\.\d+$/, "python3");
}

/** Whether a program can run beside others, in steps. */
export function runsInSteps(surroundings: Surroundings, request: ParsedSpawn): boolean {
  return inSteps(request.name) !== undefined || scriptInSteps(surroundings, request) !== undefined;
}

/** Of a script of the project, where that is a command of a program that runs in steps, or of a package's program. */
function scriptInSteps(surroundings: Surroundings, request: ParsedSpawn): ProgramInSteps | undefined {
  if (!SCRIPTED.has(request.name)) return undefined;
  const asked = asNpm(request);
  if (asked.name === "npx") return npxInSteps;
  const command = scriptOfProject(surroundings, asked);
  const program = command && inSteps(command.request.name);
  if (!command || !program) return undefined;
  return function* (surroundings, { fiber, stdin }) {
    fiber?.write("stdout", new TextEncoder().encode(command.head));
    return yield* program(surroundings, { ...command.request, ...(fiber && { fiber }), stdin });
  };
}

function scriptOfProject(surroundings: Surroundings, request: ParsedSpawn): ReturnType<typeof commandOf> {
  try {
    return commandOf(surroundings, request);
  } catch (error) {
    if (error instanceof ProgramError || error instanceof FsError) return undefined; // npm tells of it
    throw error;
  }
}

function* npxInSteps(surroundings: Surroundings, request: SpawnRequest): Steps<ProgramOutput> {
  const asked = asNpm(request);
  const command = commandOfNpx(surroundings, asked);
  if (!("args" in command)) return command;
  const { name, args } = command;
  const program = inSteps(name);
  return program
    ? yield* program(surroundings, { ...request, name, args: [...args] })
    : npx(surroundings, asked);
}

function inSteps(name: string): ProgramInSteps | undefined {
  const plain = nameOf(name);
  if (Object.hasOwn(READING_IN_STEPS, plain)) return READING_IN_STEPS[plain];
  const program = Object.hasOwn(WAITING_IN_STEPS, plain) ? WAITING_IN_STEPS[plain] : undefined;
  return program && function* (surroundings, request) {
    const held = yield* heldInput(surroundings, request, READING_ON.has(plain));
    return yield* program(surroundings, { ...request, stdin: held });
  };
}

/** Runs a program to its end. */
export function runProgram(surroundings: Surroundings, request: SpawnRequest): Spawned {
  return finish(programInSteps(surroundings, request));
}

/** As {@link runProgram}. */
export function* programInSteps(surroundings: Surroundings, request: SpawnRequest): Steps<Spawned> {
  const name = nameOf(request.name);
  const program = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
  const steps = inSteps(name) ?? (request.fiber && scriptInSteps(surroundings, request));
  if (!program && !steps) {
    return spawned({ stderr: `bash: ${request.name}: command not found\n`, exitCode: ExitCode.notFound });
  }
  if (isTooLong(request.args)) {
    return spawned({ stderr: `bash: ${request.name}: Argument list too long\n`, exitCode: ExitCode.notRun });
  }
  try {
    return spawned(steps ? yield* steps(surroundings, request) : program!(surroundings, request));
  } catch (error) {
    if (error instanceof FsError || error instanceof TooLarge) {
      return spawned({ stderr: `${request.name}: ${error.message}\n`, exitCode: 1 });
    }
    // The shell that ended it has said why.
    if (error instanceof Aborted && error.execution === NO_EXECUTION) return spawned({ exitCode: 1 });
    if (!(error instanceof ProgramError)) throw error;
    return spawned({ stderr: `${request.name}: ${error.message}\n`, exitCode: error.exitCode });
  }
}

function isTooLong(args: readonly string[]): boolean {
  let total = 0;
  for (const { length } of args) {
    total += length + POINTER;
    if (length >= ARGUMENT_MAX || total > ARGUMENTS_MAX) return true;
  }
  return false;
}

function spawned({ stdout, stderr, exitCode = 0, signal = 0 }: ProgramOutput): Spawned {
  return { exitCode, signal, stdout: bytesOf(stdout), stderr: bytesOf(stderr) };
}
