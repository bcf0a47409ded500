/** What programs of the shell agree on: what each is given, and what it leaves. */

import type { RuntimeHost, SynchronousRuntime } from "../../runtime.ts";
import type { Steps } from "../../steps.ts";
import type { Processes } from "../processes.ts";
import type { ParsedSpawn } from "../spawn.ts";
import type { Fiber } from "./fiber.ts";
import type { StandardInput } from "./standard_input.ts";

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
  /** Whether any run beside it. */
  hasOthers(): boolean;
  /** Those that it starts. */
  readonly processes: Processes;
  /** Gives back all that it has read: to the shell it was not read. */
  unread(bytes: Uint8Array): void;
}

/** How it ended, and what it wrote that was not taken before. */
export interface Spawned {
  /** As a shell sees it. */
  readonly exitCode: number;
  /** That ended it; absent, or 0: none. */
  readonly signal?: number;
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
  /** That ended it; absent, or 0: none. */
  readonly signal?: number;
}

export type Program = (surroundings: Surroundings, request: SpawnRequest) => ProgramOutput;
/** One that can run beside others. */
export type ProgramInSteps = (surroundings: Surroundings, request: SpawnRequest) => Steps<ProgramOutput>;

/** What a program wrote, as it goes into a pipe. */
export function bytesOf(output: Uint8Array | string = ""): Uint8Array {
  return typeof output === "string" ? new TextEncoder().encode(output) : output;
}
