/** What commands are made with. */

import type { FileSystem } from "../../../fs/file_system.ts";
import type { Runtime, RuntimeHost, SynchronousRuntime } from "../../runtime.ts";
import { Collector, TooLarge } from "../../../archive/gzip.ts";
import { bytesOfLatin1, latin1Of } from "../bytes.ts";
import { type Command, type CommandContext, defineCommand, type ExecResult } from "../just_bash.ts";
import type { StopSign } from "../../../control/stop_sign.ts";
import { LIMITS } from "../limits.ts";

/** Makes interpreters that share nothing with the session's own but the files. */
export interface Interpreters {
  python(host: RuntimeHost): SynchronousRuntime;
  javascript(host: RuntimeHost): Runtime;
  /** A Python that has pip loaded, for `runPip`. */
  pip(host: RuntimeHost): SynchronousRuntime;
}

/** What the running script has used up. */
export interface ScriptRun {
  readonly fuelBudget: number;
  fuelConsumed: number;
  outOfFuel: boolean;
  /** What `trap … EXIT` was told. */
  exitTrap: string | undefined;
}

export interface Tools {
  readonly fs: FileSystem;
  readonly host: RuntimeHost;
  readonly stop: StopSign;
  readonly interpreters: Interpreters;
  /** The script that runs now. */
  run(): ScriptRun;
}

/** A command that could not do what it was asked; becomes a line on its standard error. */
export class CommandError extends Error {
  override name = "CommandError";
  constructor(message: string, readonly exitCode = 1) {
    super(message);
  }
}

/** What a command gets, without just-bash's types. */
export interface Invocation {
  readonly name: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Exported variables. */
  readonly env: Readonly<Record<string, string>>;
  readonly context: CommandContext;
  stdin(): Uint8Array<ArrayBuffer>;
  /** The absolute path that an argument names. */
  path(name: string): string;
}

export interface CommandOutput {
  readonly stdout?: Uint8Array | string;
  readonly stderr?: string;
  readonly exitCode?: number;
}

/** Makes a command out of a function that says what is printed. Errors of the file system become messages. */
export function command(
  name: string,
  run: (invocation: Invocation) => CommandOutput | Promise<CommandOutput>,
): Command {
  return defineCommand(name, async (args, context) => {
    try {
      const output = await run({
        name,
        args,
        cwd: context.cwd,
        env: context.exportedEnv ?? {},
        context,
        stdin: () => bytesOfLatin1(context.stdin as unknown as string),
        path: (name) => context.fs.resolvePath(context.cwd, name),
      });
      return result(output);
    } catch (error) {
      if (error instanceof CommandError) {
        return result({ stderr: `${name}: ${error.message}\n`, exitCode: error.exitCode });
      }
      if (error instanceof TooLarge) return result({ stderr: `${name}: ${error.message}\n`, exitCode: 1 });
      throw error;
    }
  });
}

/** Most bytes of text that a command of ours works on at once: taken apart it takes many times as much. */
export const TEXT_MAX_BYTES = 16 * 1024 * 1024;

/** Reads files for one command, as many bytes of them as may be held together. */
export class Files {
  #left: number;

  constructor(readonly fs: FileSystem, readonly maxBytes: number) {
    this.#left = maxBytes;
  }

  /** @throws {FsError} @throws {CommandError} if it is too large. */
  read(path: string): Uint8Array<ArrayBuffer> {
    const { type, size } = this.fs.stat(path);
    if (type === "file" && size > this.#left) {
      throw new CommandError(`${path}: File too large: ${this.maxBytes} bytes can be worked on at once`);
    }
    this.#left -= size;
    return this.fs.readFile(path);
  }
}

/** Standard input that is worked on as text. @throws {CommandError} if it is too long for that. */
export function bounded(input: Uint8Array): Uint8Array {
  if (input.length <= TEXT_MAX_BYTES) return input;
  throw new CommandError(`the input is too long: ${TEXT_MAX_BYTES} bytes can be worked on at once`);
}

/** Collects what a command prints, as much of it as may be printed at all. */
export function output(): Collector {
  return new Collector(LIMITS.maxOutputSize, "a command may print");
}

export function result({ stdout = "", stderr = "", exitCode = 0 }: CommandOutput): ExecResult {
  if (typeof stdout === "string") return { stdout, stdoutKind: "text", stderr, exitCode };
  return { stdout: latin1Of(stdout), stdoutKind: "bytes", stdoutEncoding: "binary", stderr, exitCode };
}
