/** The shell: just-bash over the session's files, with the session's other languages as programs. */

import { FsError } from "../../fs/errors.ts";
import type { ImageEntry } from "../../executor/wire/entry.ts";
import type { PendingCapture } from "../../image/part.ts";
import type { LiveState, RunOutcome, RunRequest, Runtime, RuntimeHost } from "../runtime.ts";
import { bytesOfLatin1, bytesOfText } from "./bytes.ts";
import { commandTable } from "./commands/mod.ts";
import { adviceOnCommand, programOf } from "./commands/programs.ts";
import type { Interpreters, ScriptRun } from "./commands/tools.ts";
import { ShellFileSystem } from "./file_system.ts";
import {
  type Bash,
  createBash,
  type ExecResult,
  type Interpreter,
  type ShellState,
  stateOf,
} from "./just_bash.ts";
import { LIMITS } from "./limits.ts";
import { copyOf, isAtMost, lastingPart, type LastingState, parse, weightOf } from "./state.ts";
import { ShellStatePart, STATE_MAX_BYTES } from "./state_part.ts";
import { Stopped, StopSign } from "../../control/stop_sign.ts";
import { VirtualFiles } from "./virtual_files.ts";

const HOME = "/app";
/** What the session has installed comes first, as in a virtual environment. */
const PATH = "/opt/python/bin:/usr/bin:/bin";
/** What commands make of the error by which they are stopped. */
const STOP_MESSAGES = /^.*(?:the script was stopped|bash: execution aborted)\n/gm;

export function createShellRuntime(host: RuntimeHost, interpreters: Interpreters): Runtime {
  return new ShellRuntime(host, interpreters);
}

/** Exit code of a script that went beyond a bound of the shell's. */
const TOO_MUCH = 126;
/** Most that the variables and functions of a script may weigh. */
const MAX_WEIGHT = STATE_MAX_BYTES;
/** Between two times that they are weighed, ms; and how many times as long as that took. */
const WEIGH_INTERVAL_MS = 20;
const WEIGH_SHARE = 10;
const BEFORE = "variables and functions are as they were before it";
const MESSAGE = `the script needs more memory than the shell has; ${BEFORE}`;
const OUT_OF_MEMORY = { type: "MemoryError", message: MESSAGE, traceback: `bash: ${MESSAGE}` } as const;

/** How far the script of an execution has come. */
class Run implements ScriptRun {
  /** The interpreter of the script itself; those of scripts inside it come later. */
  interpreter: Interpreter | undefined;
  /** Pipelines within pipelines. */
  depth = 0;
  fuelConsumed = 0;
  outOfFuel = false;
  exitTrap: string | undefined;
  /** Whether variables and functions were too much. */
  tooMuch = false;
  #nextWeighing = 0;

  constructor(readonly fuelBudget: number) {}

  /** Looks now and then at what a script holds. @throws {Stopped} if that is too much. */
  weigh(state: ShellState): void {
    const begun = performance.now();
    if (!this.tooMuch && begun >= this.#nextWeighing) {
      this.tooMuch = weightOf(state) > MAX_WEIGHT;
      const ended = performance.now();
      this.#nextWeighing = ended + Math.max(WEIGH_INTERVAL_MS, WEIGH_SHARE * (ended - begun));
    }
    if (this.tooMuch) throw new Stopped();
  }
}

class ShellRuntime implements Runtime {
  readonly language = "shell";
  readonly #host: RuntimeHost;
  readonly #interpreters: Interpreters;
  readonly #stop: StopSign;
  readonly #part: ShellStatePart;
  #bash: Bash | undefined;
  #run: Run = new Run(Infinity);
  #runs = 0;

  constructor(host: RuntimeHost, interpreters: Interpreters) {
    this.#host = host;
    this.#interpreters = interpreters;
    this.#stop = new StopSign(host.cell);
    this.#part = new ShellStatePart({
      state: () => this.#bash && lastingPart(stateOf(this.#bash)),
      runs: () => this.#runs,
      goOn: (state) => this.#goOn(state),
    });
  }

  get name(): string {
    return this.#part.name;
  }

  get sections(): readonly number[] {
    return this.#part.sections;
  }

  beginCapture(): PendingCapture {
    return this.#part.beginCapture();
  }

  rollback(): void {
    this.#part.rollback();
  }

  restore(entries: readonly ImageEntry[]): string | undefined {
    return this.#part.restore(entries);
  }

  // deno-lint-ignore require-await -- a failure to start is a rejection
  async prepare(): Promise<void> {
    this.#live();
  }

  async execute(request: RunRequest): Promise<RunOutcome> {
    this.#runs++;
    const run = this.#run = new Run(request.fuelBudget ?? Infinity);
    this.#stop.heap.begin();
    const bash = this.#live();
    const before = copyOf(stateOf(bash));
    let exitCode: number;
    let failure: unknown;
    try {
      const result = await bash.exec(request.code, { rawScript: true });
      this.#write(result);
      exitCode = result.exitCode;
    } catch (error) {
      failure = error;
      exitCode = 1;
    }
    this.#adopt(run, bash, before);
    return { ...this.#ending(run, failure, exitCode), fuelConsumed: run.fuelConsumed, memoryBytes: 0 };
  }

  /** Variables live on the heap of the Worker: no number of theirs is known. */
  memoryBytes(): number {
    return 0;
  }

  recordedBytes(): number {
    return 0;
  }

  inspect(): LiveState | undefined {
    return this.#bash && this.#part.isUsed ? { state: lastingPart(stateOf(this.#bash)) } : undefined;
  }

  discard(): void {
    this.#bash = undefined;
  }

  #ending(run: Run, failure: unknown, exitCode: number) {
    if (run.tooMuch) {
      const what = `the script holds more than ${MAX_WEIGHT} bytes in variables and functions; ${BEFORE}`;
      this.#host.write("stderr", bytesOfText(`bash: ${what}\n`));
      return { status: "exited", exitCode: TOO_MUCH, heap: "kept" } as const;
    }
    if (this.#stop.heap.full) return { status: "out_of_memory", heap: "kept", error: OUT_OF_MEMORY } as const;
    if (run.outOfFuel) return { status: "out_of_fuel", heap: "kept" } as const;
    // Also after a hard stop: what is thrown goes through no wasm here, but through code that cleans up.
    if (this.#host.cell.requested() !== "none") return { status: "stopped", heap: "kept" } as const;
    if (failure instanceof FsError) {
      // A redirection to where nothing can be written; the rest of the script is not run.
      this.#host.write("stderr", bytesOfText(`bash: ${failure.message}\n`));
      return { status: "exited", exitCode: 1, heap: "kept" } as const;
    }
    if (failure !== undefined && !(failure instanceof Stopped)) {
      this.discard();
      const reason = failure instanceof Error ? failure.message : String(failure);
      return { status: "crashed", heap: "discarded", reason: `the shell failed: ${reason}` } as const;
    }
    if (exitCode === 0) return { status: "completed", heap: "kept", result: null } as const;
    return { status: "exited", heap: "kept", exitCode } as const;
  }

  #live(): Bash {
    return this.#bash ??= this.#start();
  }

  #start(): Bash {
    const { fs, env, random } = this.#host;
    const virtual = new VirtualFiles((bytes) => random(bytes));
    const customCommands = commandTable({
      fs,
      host: this.#host,
      stop: this.#stop,
      interpreters: this.#interpreters,
      run: () => this.#run,
    });
    const bash = createBash({
      fs: new ShellFileSystem(fs, virtual, this.#stop),
      cwd: HOME,
      env: { HOME, USER: "user", LOGNAME: "user", SHELL: "/bin/bash", LANG: "C.UTF-8", PATH, ...env },
      executionLimits: LIMITS,
      customCommands,
      defenseInDepth: false,
      coverage: { hit: () => this.#stop.check() },
      // deno-lint-ignore require-await -- it waits as all guests do, in the control cell
      sleep: async (ms) => this.#stop.wait(ms, (ms) => this.#host.clock.wait(ms)),
      processInfo: { pid: 1, ppid: 0, uid: 1000, gid: 1000 },
    }, {
      script: (interpreter, proceed) => this.#script(interpreter, proceed),
      pipeline: (interpreter, proceed) => this.#pipeline(interpreter, proceed),
      programOf: (path) => programOf(fs, path),
      missing: adviceOnCommand,
    });
    const { commands } = bash as unknown as { commands: ReadonlyMap<string, unknown> };
    virtual.setCommands(commands.keys());
    return bash;
  }

  #goOn(state: LastingState | undefined): void {
    this.discard();
    if (state) Object.assign(stateOf(this.#live()), state);
  }

  /** What the script did to the shell is there for the next one, unless it is too much. @param before As it was. */
  #adopt(run: Run, bash: Bash, before: LastingState): void {
    if (!run.interpreter) return;
    const state = stateOf(bash);
    const made = lastingPart(run.interpreter.ctx.state);
    run.tooMuch ||= !isAtMost(made, STATE_MAX_BYTES);
    if (run.tooMuch || this.#stop.heap.full) {
      Object.assign(state, before);
      return;
    }
    const options = state.env.get("SHELLOPTS");
    Object.assign(state, made);
    if (options !== undefined) state.env.set("SHELLOPTS", options);
  }

  async #script(interpreter: Interpreter, proceed: () => Promise<ExecResult>): Promise<ExecResult> {
    const run = this.#run;
    if (run.interpreter) return proceed();
    run.interpreter = interpreter;
    interpreter.ctx.executionScope.signal = this.#stop;
    let ending: { readonly result: ExecResult } | { readonly error: unknown };
    try {
      ending = { result: this.#written(asBash(await proceed(), interpreter)) };
    } catch (error) {
      // `exit` is an exception that brings along what was printed before it.
      if (isResult(error)) Object.assign(error, this.#written(error));
      ending = { error };
    }
    if (run.exitTrap !== undefined) await interpreter.executeScript(parse(run.exitTrap));
    if ("error" in ending) throw ending.error;
    return ending.result;
  }

  /**
   * Output is handed on after each pipeline of the script itself: inside of one it may belong to a pipe, and after it
   * just-bash takes bytes for text.
   */
  async #pipeline(interpreter: Interpreter, proceed: () => Promise<ExecResult>): Promise<ExecResult> {
    this.#stop.checkNow();
    const run = this.#run;
    run.weigh(interpreter.ctx.state);
    if (interpreter !== run.interpreter || run.depth > 0) return proceed();
    run.depth++;
    try {
      return this.#written(await proceed());
    } finally {
      run.depth--;
    }
  }

  /** Writes what a result holds. @returns the result without it. */
  #written<Result extends ExecResult>(result: Result): Result {
    this.#write(result);
    const nothing = { stdout: "", stderr: "", internalOutputAccounting: { stdout: 0, stderr: 0 } };
    return { ...result, ...nothing };
  }

  #write({ stdout, stderr, stdoutKind, stdoutEncoding }: ExecResult): void {
    const bytes = stdoutKind === "bytes" || stdoutKind === undefined && stdoutEncoding === "binary";
    if (stdout !== "") this.#host.write("stdout", bytes ? bytesOfLatin1(stdout) : bytesOfText(stdout));
    const said = this.#run.tooMuch || this.#stop.now() ? stderr.replace(STOP_MESSAGES, "") : stderr;
    if (said !== "") this.#host.write("stderr", bytesOfText(said));
  }
}

/** bash ends with 127 where a variable is not set that has to be. */
function asBash(result: ExecResult, { ctx }: Interpreter): ExecResult {
  const unbound = ctx.state.options["nounset"] && result.stderr.endsWith(": unbound variable\n");
  return unbound ? { ...result, exitCode: 127 } : result;
}

function isResult(error: unknown): error is ExecResult {
  return error instanceof Error && "stdout" in error && typeof error.stdout === "string" &&
    "stderr" in error && typeof error.stderr === "string";
}
