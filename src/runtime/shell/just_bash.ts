/**
 * just-bash, and the door to its interpreter that it has not: what a script did to variables, functions and options
 * is gone when `exec` returns, and its output comes in one piece at the end.
 *
 * The interpreter's class is not exported. It is taken from an instance when this module loads, and four of its methods
 * are wrapped. This is private API of the pinned version: `interpreter()` fails if it has changed.
 */

import "./hide_process.ts";
import { Bash, type BashOptions, type ExecResult } from "just-bash/browser";

export { Bash, defineCommand } from "just-bash/browser";
export type { Command, CommandContext, CustomCommand, ExecResult, IFileSystem } from "just-bash/browser";

/** A script or a part of one, as its parser made it. Plain data. */
export type Script = ReturnType<Bash["transform"]>["ast"];
type Pipeline = Script["statements"][number]["pipelines"][number];
type CommandNode = Pipeline["commands"][number];
export type FunctionDefinition = Extract<CommandNode, { type: "FunctionDef" }>;

export interface ShellArray {
  readonly kind: "indexed" | "associative";
  readonly elements: Map<string, string>;
}

/** What a shell remembers from one command to the next; the part of it that is used here. */
export interface ShellState {
  env: Map<string, string>;
  arrays: Map<string, ShellArray>;
  functions: Map<string, FunctionDefinition>;
  cwd: string;
  previousDir: string;
  lastExitCode: number;
  options: Record<string, boolean>;
  shoptOptions: Record<string, boolean>;
  exportedVars: Set<string>;
  readonlyVars: Set<string>;
  integerVars?: Set<string> | undefined;
  lowercaseVars?: Set<string> | undefined;
  uppercaseVars?: Set<string> | undefined;
  namerefs?: Set<string> | undefined;
  associativeArrays?: Set<string> | undefined;
  // What a running script holds besides.
  localScopes?: readonly ReadonlyMap<string, string | undefined>[];
  localArrayScopes?: readonly ReadonlyMap<string, ShellArray | undefined>[];
  localVarStack?: ReadonlyMap<string, readonly { readonly value: string | undefined }[]>;
  tempEnvBindings?: readonly ReadonlyMap<string, string | undefined>[];
  fileDescriptors?: ReadonlyMap<number, string>;
}

/** One script being run, nested ones apart. */
export interface Interpreter {
  readonly ctx: {
    readonly state: ShellState;
    /** Asked for its signal wherever just-bash counts work. */
    readonly executionScope: { signal: { readonly aborted: boolean } | undefined };
  };
  executeScript(script: Script): Promise<ExecResult>;
  executePipeline(pipeline: Pipeline): Promise<ExecResult>;
  /** The executable files of that name on the path. */
  findCommandInPath(name: string): Promise<string[]>;
  /** Runs a file as a script of bash, whatever it is. @param path Absolute. */
  executeUserScript(path: string, args: string[], stdin?: string): Promise<ExecResult>;
  runCommand(
    name: string,
    args: string[],
    quoted: boolean[],
    stdin: string,
    ...more: unknown[]
  ): Promise<ExecResult>;
}

/** Told what every interpreter of one shell is about to do; does it by calling `proceed`. */
export interface InterpreterHooks {
  script(interpreter: Interpreter, proceed: () => Promise<ExecResult>): Promise<ExecResult>;
  pipeline(interpreter: Interpreter, proceed: () => Promise<ExecResult>): Promise<ExecResult>;
  /** The command that an executable file is for, by its first line; undefined if that is bash. */
  programOf(path: string): readonly [name: string, ...args: string[]] | undefined;
  /** What to say of a command that is not there; undefined if there is nothing to say. */
  missing(name: string): string | undefined;
}

/** The hooks of a shell, found by the table of commands that all its interpreters share. */
const hooksOf = new WeakMap<object, InterpreterHooks>();

/** Makes a shell whose interpreters call `hooks`. */
export function createBash(options: BashOptions, hooks: InterpreterHooks): Bash {
  const bash = new Bash(options);
  hooksOf.set((bash as unknown as { commands: object }).commands, hooks);
  return bash;
}

/** The state from which the next script of `bash` starts. */
export function stateOf(bash: Bash): ShellState {
  return (bash as unknown as { state: ShellState }).state;
}

/** Finds the class by what its constructor does first: it binds its methods. */
function interpreter(): Interpreter {
  const bind = Function.prototype.bind;
  let found: Interpreter | undefined;
  Function.prototype.bind = function (this: (...args: never[]) => unknown, self: unknown, ...rest) {
    const candidate = self as Interpreter | undefined;
    if (typeof candidate?.executeScript === "function" && typeof candidate.executePipeline === "function") {
      found = candidate;
    }
    return bind.call(this, self, ...rest);
  };
  try {
    void new Bash({ cwd: "/", defenseInDepth: false, commands: [] }).exec(":");
  } finally {
    Function.prototype.bind = bind;
  }
  if (!found) throw new Error("just-bash has no interpreter where it was expected");
  return found;
}

function wrap(prototype: Interpreter): void {
  const { executeScript, executePipeline, executeUserScript, runCommand } = prototype;
  const hooks = (self: Interpreter) => hooksOf.get((self.ctx as unknown as { commands: object }).commands);
  prototype.executeScript = function (this: Interpreter, script) {
    const proceed = () => executeScript.call(this, script);
    return hooks(this)?.script(this, proceed) ?? proceed();
  };
  prototype.executePipeline = function (this: Interpreter, pipeline) {
    const proceed = () => executePipeline.call(this, pipeline);
    return hooks(this)?.pipeline(this, proceed) ?? proceed();
  };
  prototype.executeUserScript = function (this: Interpreter, path, args, stdin = "") {
    const [name, ...first] = hooks(this)?.programOf(path) ?? [];
    if (name === undefined) return executeUserScript.call(this, path, args, stdin);
    return this.runCommand(name, [...first, path, ...args], [], stdin);
  };
  prototype.runCommand = async function (this: Interpreter, name, args, ...rest) {
    const result = await runCommand.call(this, name, args, ...rest);
    if (name === "command" && result.exitCode === 1) return await describeFile(this, args, result);
    if (result.exitCode !== 127 || !result.stderr.startsWith(`bash: ${name}: command not`)) return result;
    const advice = hooks(this)?.missing(name);
    return advice === undefined
      ? result
      : { ...result, stderr: `bash: ${name}: command not found; ${advice}\n` };
  };
}

/** `command -v NAME` and `command -V NAME` of a file on the path: just-bash knows its own commands only. */
async function describeFile(
  interpreter: Interpreter,
  [option, name, ...more]: readonly string[],
  result: ExecResult,
): Promise<ExecResult> {
  if (option !== "-v" && option !== "-V" || name === undefined || more.length > 0) return result;
  const [path] = await interpreter.findCommandInPath(name);
  if (path === undefined) return result;
  const stdout = option === "-v" ? `${path}\n` : `${name} is ${path}\n`;
  return { ...result, stdout, stderr: "", exitCode: 0 };
}

wrap(Object.getPrototypeOf(interpreter()));
