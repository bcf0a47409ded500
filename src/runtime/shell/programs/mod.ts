/** The programs that a shell starts beside its own commands: interpreters of other languages, and what installs packages. */

import { TooLarge } from "../../../archive/collector.ts";
import { Aborted, NO_EXECUTION } from "../../../control/cell.ts";
import { ExitCode } from "../../../exit_code.ts";
import { FsError } from "../../../fs/errors.ts";
import type { RuntimeHost, SynchronousRuntime } from "../../runtime.ts";
import { finish, type Steps } from "../../steps.ts";
import type { ParsedSpawn } from "../spawn.ts";
import type { Fiber } from "./fiber.ts";
import { git } from "./git.ts";
import { runGzip } from "./gzip.ts";
import { node } from "./node.ts";
import { npm, npx } from "./npm.ts";
import { pip } from "./pip.ts";
import { ProgramError } from "./program_error.ts";
import { python } from "./python.ts";
import type { StandardInput } from "./standard_input.ts";
import { sqlite3 } from "./sqlite3.ts";
import { tar } from "./tar.ts";
import { timeout } from "./timeout.ts";
import { tool } from "./tools.ts";
import { runUnzip } from "./unzip.ts";
import { uv } from "./uv.ts";
import { virtualenv } from "./venv.ts";
import { pnpm, yarn } from "./yarn.ts";
import { runZip } from "./zip.ts";

export { ProgramError };

/** Makes interpreters that share nothing with the session's own but the files. */
export interface Interpreters {
  python(host: RuntimeHost): SynchronousRuntime;
  javascript(host: RuntimeHost): SynchronousRuntime;
  /** A JavaScript that has git loaded. */
  git(host: RuntimeHost): SynchronousRuntime;
  /** A Python that has pip loaded, for `runPip`. */
  pip(host: RuntimeHost): SynchronousRuntime;
}

/** A program that is to be run. */
export interface SpawnRequest extends ParsedSpawn, Partial<Pipes> {
  readonly stdin: StandardInput;
  /** What has it wait, where it does so by leaving its stack. */
  readonly fiber?: Fiber;
}

/** A program's pipes in the shell, where it has any. */
export interface Pipes {
  /**
   * Takes what it prints as it prints it, and waits where that is not read. Nothing: what is on its way to a file is there
   * then.
   *
   * @returns Whether somebody reads it. @throws {Aborted} of no execution where the shell ends the program.
   */
  write(stream: "stdout" | "stderr", bytes: Uint8Array): boolean;
  /** Has those that run beside it go on while it waits, at most for so long. */
  giveWay(ms: number): void;
  /** Gives back all that it has read: to the shell it was not read. */
  unread(bytes: Uint8Array): void;
}

/** How it ended, and what it wrote that was not taken before. */
export interface Spawned {
  /** As a shell sees it. */
  readonly exitCode: number;
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
}

/** What programs are run with. */
export interface Surroundings {
  /** That of the shell. */
  readonly host: RuntimeHost;
  readonly interpreters: Interpreters;
  readonly fuel: FuelPurse;
  /** What runs the commands of a program that has such a host. */
  runnerFor(host: RuntimeHost): NonNullable<RuntimeHost["runCommand"]>;
}

/** What is left for the programs of a script. */
export interface FuelPurse {
  /** Infinity: no bound. */
  left(): number;
  spend(fuel: number): void;
}

/** What a program left; text is UTF-8. */
export interface ProgramOutput {
  readonly stdout?: Uint8Array | string;
  readonly stderr?: Uint8Array | string;
  readonly exitCode?: number;
}

/** Longest argument, and most of all of them with a pointer to each, as on Linux. */
const ARGUMENT_MAX = 128 * 1024;
const ARGUMENTS_MAX = 2 * 1024 * 1024;
const POINTER = 9;

type Program = (surroundings: Surroundings, request: SpawnRequest) => ProgramOutput;
type ProgramInSteps = (surroundings: Surroundings, request: SpawnRequest) => Steps<ProgramOutput>;

const pytest: ProgramInSteps = (surroundings, request) =>
  python(surroundings, { ...request, args: ["-m", "pytest", ...request.args] });

/** Those that can run beside others. */
const IN_STEPS: Readonly<Record<string, ProgramInSteps>> = {
  python,
  python3: python,
  pytest,
  "py.test": pytest,
  uv,
  sqlite3,
};

const PROGRAMS: Readonly<Record<string, Program>> = {
  node,
  qjs: node,
  tsx: node,
  "ts-node": node,
  pip,
  pip3: pip,
  npm,
  npx,
  yarn,
  pnpm,
  virtualenv,
  git,
  gzip: tool(runGzip),
  gunzip: tool(runGzip),
  zcat: tool(runGzip),
  tar: tool(tar),
  zip: tool(runZip),
  unzip: tool(runUnzip),
  zipinfo: tool(runUnzip),
  timeout,
};

/** Whatever version a script was made with: there is one. */
function nameOf(name: string): string {
  return name.replace(/^python3\.\d+$/, "python3");
}

/** Whether a program of that name can run beside others, in steps. */
export function runsInSteps(name: string): boolean {
  return Object.hasOwn(IN_STEPS, nameOf(name));
}

/** Runs a program to its end. */
export function runProgram(surroundings: Surroundings, request: SpawnRequest): Spawned {
  return finish(programInSteps(surroundings, request));
}

/** As {@link runProgram}. */
export function* programInSteps(surroundings: Surroundings, request: SpawnRequest): Steps<Spawned> {
  const name = nameOf(request.name);
  const program = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
  const inSteps = Object.hasOwn(IN_STEPS, name) ? IN_STEPS[name] : undefined;
  if (!program && !inSteps) {
    return spawned({ stderr: `bash: ${request.name}: command not found\n`, exitCode: ExitCode.notFound });
  }
  if (isTooLong(request.args)) {
    return spawned({ stderr: `bash: ${request.name}: Argument list too long\n`, exitCode: ExitCode.notRun });
  }
  try {
    return spawned(inSteps ? yield* inSteps(surroundings, request) : program!(surroundings, request));
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

function spawned({ stdout, stderr, exitCode = 0 }: ProgramOutput): Spawned {
  return { exitCode, stdout: bytesOf(stdout), stderr: bytesOf(stderr) };
}

/** What a program wrote, as it goes into a pipe. */
export function bytesOf(output: Uint8Array | string = ""): Uint8Array {
  return typeof output === "string" ? new TextEncoder().encode(output) : output;
}
