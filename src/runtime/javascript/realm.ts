/** One booted QuickJS with its prelude, and how a run of code goes through it. */

import * as z from "zod/mini";
import type { ControlCell } from "../../control/cell.ts";
import type { GuestClock } from "../../control/guest_clock.ts";
import type { FuelMeter } from "../../control/meter.ts";
import type { FileSystem } from "../../fs/file_system.ts";
import type { LiveHeap } from "../../image/heap_part.ts";
import { ImageError } from "../../executor/wire/image_error.ts";
import { checkReturned } from "../returned.ts";
import type { ProgramError, RunOutcome, RunRequest, RuntimeHost } from "../runtime.ts";
import { EvalFlag, type Pointer, type Value } from "./abi.ts";
import { describedError, UNDESCRIBABLE } from "./described_error.ts";
import { Engine, GuestError, type HostFunction, type Revival, type Thrown } from "./engine.ts";
import { hostFunctions } from "./host_functions.ts";
import { EngineFault, largestMemory } from "./instance.ts";
import { withSeparateArguments } from "./mapped_arguments.ts";
import { ModuleLoader } from "./module_loader.ts";
import { IMPORT_CHECK, PRELUDE_NAME } from "./names.ts";
import { checkNesting } from "./nesting.ts";
import { rewrite, type Script } from "./rewrite.ts";
import { type BaseState, type ModulesState, parseRealmState, type RealmState } from "./state.ts";

/** An outcome without what the runtime adds to each. */
export type Ending<T = RunOutcome> = T extends unknown ? Omit<T, "fuelConsumed" | "memoryBytes"> : never;

/** Jobs run between two looks at the control cell. */
const JOB_BATCH = 100;
/** Batches of jobs of a run that ended early that are drained before the heap is given up. */
const DRAIN_BATCHES = 2000;
/** Characters of a result that are made: with this many, cutting to its bound in bytes never cuts short. */
const RESULT_SLACK = 16;

const ELLIPSIS_BYTES = 3;
const decoder = new TextDecoder();

const STOPPED: unique symbol = Symbol("the run was asked to stop");
/** Program called `process.exit`. */
const EXITED: unique symbol = Symbol("the program ended itself");
const UNSETTLED: unique symbol = Symbol("what is awaited can never settle");
const UNSETTLED_MESSAGE =
  "What is awaited can never settle: no timer and no job is left that could settle it";

/** What a CommonJS module exports, or what it threw. */
const commonJsAnswer = z.object({
  names: z.array(z.string()),
  error: z.optional(z.object({ name: z.string(), message: z.string() })),
});

/** What the modules that come with the runtime export. */
const moduleNames = z.record(z.string(), z.array(z.string()));

/** What a program gets to see that goes on after it has ended itself: it catches errors, say. */
const EXIT_MESSAGE = "the program has ended itself";

/** Longest JSON that the prelude has a reason for: the names that a module exports, the description of an error. */
const ANSWER_MAX_BYTES = 4 * 1024 * 1024;

/** What ended a run early. */
type Failure = Thrown | typeof STOPPED | typeof EXITED | typeof UNSETTLED;

/** What a realm starts from. */
export type Origin =
  /** Nothing: a base image is to be made of it. */
  | { readonly kind: "prelude"; readonly text: string }
  /** A base image: a session begins. */
  | { readonly kind: "base" } & Revival<BaseState>
  /** The heap of a session. */
  | { readonly kind: "image" } & Revival<RealmState>;

const HOOKS = [
  "start",
  "result",
  "describeError",
  "isOutOfMemory",
  "runTicks",
  "endProgram",
  "untilNextTimer",
  "runTimer",
  "dropTimers",
  "endGroups",
  "moduleNames",
  "beginHandler",
  "callHandler",
  "handlerJson",
  "runCommonJs",
  "toJavaScript",
  "isSyntaxError",
  "unhandled",
] as const;
type Hook = typeof HOOKS[number];

export class Realm implements LiveHeap<RealmState> {
  readonly #engine: Engine;
  readonly #cell: ControlCell;
  readonly #fs: FileSystem;
  readonly #clock: GuestClock;
  #modules: ModuleLoader;
  readonly #hooks: Readonly<Record<Hook, Value>>;
  /** False while our own code runs that a soft stop must not tear. */
  #interruptible = false;
  /** Linear memory that can't grow any more, bytes. */
  readonly #largest: number;
  /** The code with which the present program has ended itself. */
  #exitCode: number | undefined;
  /** What was made of the last program. */
  #ran = "";
  /** Whether the last program ran out of memory. */
  #full = false;

  /**
   * @param libraries The text of a library that is loaded at its first use, by its name; undefined if there is none.
   * @throws anything an {@link Engine} throws; the realm is then not usable.
   */
  constructor(
    host: RuntimeHost,
    module: WebAssembly.Module,
    meter: FuelMeter,
    libraries: (name: string) => string | undefined,
    origin: Origin,
  ) {
    const revival = origin.kind === "prelude" ? undefined : origin;
    this.#cell = host.cell;
    this.#clock = host.clock;
    this.#largest = largestMemory(host.memoryBytes);
    this.#engine = new Engine(module, {
      memoryBytes: host.memoryBytes,
      interrupted: () => {
        host.cell.throwIfAborted();
        return this.#interruptible && this.#stopping();
      },
      meter,
      clock: host.clock,
      random: host.random,
      resolve: (base, specifier) => (this.#goOnWithModules(), this.#modules.resolve(base, specifier)),
      load: (name) => (this.#goOnWithModules(), this.#modules.load(name)),
    }, revival && { fill: revival.fill, state: revival.state.engine });

    const functions: Record<string, HostFunction> = {
      ...hostFunctions(host, () => this.#engine, meter),
      exit: ([code]) => {
        this.#exitCode ??= code === undefined ? 0 : this.#engine.toNumber(code) & 0xff;
        throw new GuestError(EXIT_MESSAGE);
      },
      library: ([value]) => {
        const name = this.#given(value);
        const text = libraries(name);
        if (text === undefined) {
          throw new GuestError(`this build has no library ${JSON.stringify(name.slice(0, 50))}`);
        }
        return this.#loadLibrary(text);
      },
      resolveRequired: ([base, specifier]) =>
        this.#engine.string(this.#modules.resolveRequired(this.#given(base), this.#given(specifier))),
      readRequired: ([name]) => this.#engine.string(this.#modules.loadRequired(this.#given(name))),
      compileRequired: ([name]) => this.#compileCommonJs(this.#given(name)),
    };
    const checked = this.#unlessExited(functions);
    this.#hooks = origin.kind === "prelude"
      ? this.#installPrelude(origin.text, checked)
      : this.#hooksAgain(checked, origin.state);
    this.#fs = host.fs;
    this.#modules = this.#makeModules(revival?.state.modules);
    if (origin.kind !== "base") return;
    this.#engine.seed(origin.state.randomAt, host.random);
    this.#free(this.#ours(this.#call("start")));
  }

  /** A program that has ended itself, and catches what should end it, gets nothing more from us. */
  #unlessExited(functions: Readonly<Record<string, HostFunction>>): Record<string, HostFunction> {
    const checked = Object.entries(functions).map(([name, call]): [string, HostFunction] => [name, (args) => {
      if (this.#exitCode !== undefined) throw new GuestError(EXIT_MESSAGE);
      return call(args);
    }]);
    return Object.fromEntries(checked);
  }

  /** The value of a library's text. Nothing stops it half-way. */
  #loadLibrary(text: string): Value {
    const interruptible = this.#interruptible;
    this.#interruptible = false;
    const made = this.#engine.evaluate(text, PRELUDE_NAME);
    this.#interruptible = interruptible;
    if (typeof made !== "object") return made;
    const failed = this.#text(made.thrown);
    // A library is known to load: it failed for want of memory, or by what the guest has made of the language's objects.
    throw new GuestError(`the library could not be loaded: ${failed}`);
  }

  /**
   * Between two modules: no code of the guest, in which a stop is seen, runs while those that a module imports are found.
   *
   * @throws {GuestError} on a soft stop. @throws {Aborted} on a hard one.
   */
  #goOnWithModules(): void {
    this.#cell.throwIfAborted();
    if (this.#interruptible && this.#stopping()) throw new GuestError("the program was stopped");
  }

  #makeModules(state?: ModulesState): ModuleLoader {
    const list = () => this.#answer(moduleNames, this.#ours(this.#call("moduleNames")));
    const guest = {
      runCommonJs: (name: string) => this.#runCommonJs(name),
      withoutTypes: (text: string, path: string) => this.#moduleWithoutTypes(text, path),
    };
    return new ModuleLoader(this.#fs, list, guest, state);
  }

  /** The text of a module without its types. @throws {GuestError} */
  #moduleWithoutTypes(text: string, path: string): string {
    const made = this.#toJavaScript(text, path, path.endsWith("x") ? "tsx" : "ts", false);
    if (typeof made === "string") return made;
    const name = this.#textOf(made, "name");
    const message = this.#textOf(made, "message");
    this.#engine.free(made.thrown);
    throw new GuestError(`${path}: ${message}`, { name });
  }

  /** Runs a CommonJS module that an ES module imports, to see what it exports. */
  #runCommonJs(name: string): readonly string[] {
    const given = this.#engine.string(name);
    const answer = this.#call("runCommonJs", given);
    this.#engine.free(given);
    if (typeof answer === "object") {
      this.#engine.free(answer.thrown);
      throw new GuestError(`${name} was stopped`);
    }
    const { names, error } = this.#answer(commonJsAnswer, answer);
    if (error) throw new GuestError(error.message, { name: error.name });
    return names;
  }

  /** A function that runs a CommonJS module; what its compilation threw, if it did. */
  #compileCommonJs(name: string): Value {
    const text = withSeparateArguments(this.#modules.loadRequired(name));
    const code = `(function (exports, require, module, __filename, __dirname) {${text}\n})`;
    const made = this.#engine.evaluate(code, name);
    return typeof made === "object" ? made.thrown : made;
  }

  #installPrelude(text: string, functions: Readonly<Record<string, HostFunction>>): Record<Hook, Value> {
    const install = this.#ours(this.#engine.evaluate(text, PRELUDE_NAME));
    const table = this.#engine.functions(functions);
    const hooks = this.#ours(this.#engine.call(install, table));
    const values = HOOKS.map((name) => [name, this.#engine.getProperty(hooks, name)]);
    for (const value of [install, table, hooks]) this.#engine.free(value);
    return Object.fromEntries(values);
  }

  #hooksAgain(functions: Readonly<Record<string, HostFunction>>, state: RealmState): Record<Hook, Value> {
    this.#engine.functionsAgain(functions, state.engine);
    if (HOOKS.some((name) => state.hooks[name] === undefined)) {
      throw new ImageError("the heap was made with another prelude");
    }
    return state.hooks as Record<Hook, Value>;
  }

  get memory(): WebAssembly.Memory {
    return this.#engine.memory;
  }

  get deadBelow(): number {
    return 0;
  }

  get state(): RealmState {
    return { engine: this.#engine.state, hooks: this.#hooks, modules: this.#modules.state };
  }

  /** Where the engine keeps the state of `Math.random`. For base images: it changes that state. */
  findRandomState(): Pointer {
    return this.#engine.findRandomState();
  }

  /** Has rejected promises end programs. For base images. */
  trackRejections(): void {
    this.#engine.trackRejections();
  }

  /** Makes zeros of memory that is free. For base images. */
  scrub(): void {
    this.#engine.scrub();
  }

  goOn(state: unknown): void {
    // Addresses and host functions are those that a realm is made with.
    this.#modules = this.#makeModules(parseRealmState(state).modules);
  }

  get memoryBytes(): number {
    return this.#engine.memory.buffer.byteLength;
  }

  run(request: RunRequest): Ending {
    this.#modules.beginRun();
    this.#interruptible = true;
    // A program that follows one that filled the heap gets the reserve, to make room.
    if (!this.#full) this.#engine.holdReserve();
    if (request.handler) this.#free(this.#call("beginHandler"));
    this.#ran = "";
    this.#exitCode = undefined;
    const value = this.#program(request);
    const returned = request.handler && isValue(value) ? this.#callHandler(request) : undefined;
    this.#engine.releaseReserve();
    const ending = this.#endingWith(request, value, returned);
    this.#full = ending.status === "out_of_memory";
    this.#interruptible = false;
    this.#exitCode = undefined;
    this.#free(this.#call("endGroups"));
    this.#engine.forgetRejected();
    if (ending.status === "completed") return ending;
    const timersDropped = this.#dropTimers();
    const drained = this.#drainJobs();
    this.#engine.forgetRejected();
    const told = timersDropped > 0 && ending.status !== "exited" ? { ...ending, timersDropped } : ending;
    return drained ? told : { ...told, heap: "discarded" };
  }

  /** Runs a program to its end. What is no JavaScript, but would be without types, is run without them. */
  #program(request: RunRequest): Value | Failure {
    const { code, filename, dialect } = request;
    const refused = this.#refusal(() => checkNesting(code, "the program"));
    if (refused) return refused;
    const given = dialect === "typescript"
      ? this.#withoutTypes(code, filename)
      : rewrite(code, { importCheck: IMPORT_CHECK });
    if ("thrown" in given) return this.#unlessStopped(given);
    const outcome = this.#evaluate(given, filename);
    if (typeof outcome !== "object") return this.#toEnd(outcome, given);
    if (dialect !== "typescript" && this.#failsToCompile(outcome, given, filename)) {
      const script = this.#withoutTypes(code, filename);
      if ("thrown" in script) this.#engine.free(script.thrown);
      else if (this.#compiles(script, filename)) {
        this.#engine.free(outcome.thrown);
        const second = this.#evaluate(script, filename);
        return typeof second === "object" ? this.#unlessStopped(second) : this.#toEnd(second, script);
      }
    }
    return this.#unlessStopped(outcome);
  }

  /** What `check` has against a program, as an error of the guest's. */
  #refusal(check: () => void): Thrown | undefined {
    try {
      check();
    } catch (error) {
      if (!(error instanceof GuestError)) throw error;
      const { name = "Error" } = error.fields;
      const made = this.#engine.evaluate(`new ${name}(${JSON.stringify(error.message)})`, PRELUDE_NAME);
      return typeof made === "object" ? made : { thrown: made };
    }
    return undefined;
  }

  #evaluate({ code, awaits }: Script, filename: string): Value | Thrown {
    this.#ran = code;
    return this.#engine.evaluate(code, filename, awaits ? EvalFlag.async : EvalFlag.global);
  }

  #unlessStopped(thrown: Thrown): Failure {
    return this.#stopping() ? this.#stoppedWith(thrown) : thrown;
  }

  /** A program as JavaScript that runs; JSX is taken for JSX where the program is nothing without it. */
  #withoutTypes(code: string, filename: string): Script | Thrown {
    let failure: Thrown | undefined;
    for (const kind of ["ts", "tsx"] as const) {
      const text = this.#toJavaScript(code, filename, kind, true);
      if (typeof text === "string") {
        if (failure) this.#engine.free(failure.thrown);
        return rewrite(text, { importCheck: IMPORT_CHECK, typesAreGone: true });
      }
      if (failure) this.#engine.free(text.thrown);
      else failure = text;
    }
    return failure!;
  }

  /** @param keepsImports Of what nothing uses too, for the runs that follow. */
  #toJavaScript(code: string, path: string, kind: "ts" | "tsx", keepsImports: boolean): string | Thrown {
    const args = [
      ...[code, path, kind].map((text) => this.#engine.string(text)),
      this.#engine.number(keepsImports ? 1 : 0),
    ];
    const made = this.#call("toJavaScript", ...args);
    for (const value of args) this.#engine.free(value);
    return typeof made === "object" ? made : this.#text(made);
  }

  /** Whether a program failed before anything of it ran. */
  #failsToCompile({ thrown }: Thrown, script: Script, filename: string): boolean {
    const answer = this.#call("isSyntaxError", thrown);
    const isSyntaxError = typeof answer !== "object" && this.#engine.toNumber(answer) === 1;
    this.#free(answer);
    return isSyntaxError && !this.#stopping() && !this.#compiles(script, filename);
  }

  #compiles({ code, awaits }: Script, filename: string): boolean {
    const flags = EvalFlag.compileOnly | (awaits ? EvalFlag.async : EvalFlag.global);
    const compiled = this.#engine.evaluate(code, filename, flags);
    this.#free(compiled);
    return typeof compiled !== "object";
  }

  /** Runs jobs and timers until none is left. @param outcome Of the script. @returns the script's value, owned. */
  #toEnd(outcome: Value, script: Script): Value | Failure {
    const failure = this.#stopping()
      ? this.#stoppedWith(undefined)
      : this.#settle(outcome, script.awaits) ?? this.#endProgram(outcome, script.awaits);
    if (failure || !script.awaits) {
      if (failure) this.#engine.free(outcome);
      return failure ?? outcome;
    }
    const main = this.#engine.promise(outcome);
    this.#engine.free(outcome);
    if (main.state !== "fulfilled") return UNSETTLED;
    const value = this.#engine.getProperty(main.value, "value");
    this.#engine.free(main.value);
    const rejection = this.#rejection(value);
    if (rejection) this.#engine.free(value);
    return rejection ?? value;
  }

  /** Calls the program's handler. @returns JSON of what it returned, owned; undefined if there is nothing to call. */
  #callHandler({ handler, resultMaxBytes }: RunRequest): Value | Failure | undefined {
    const json = this.#engine.string(JSON.stringify({ ...handler, limit: resultMaxBytes }));
    const called = this.#call("callHandler", json);
    this.#engine.free(json);
    if (this.#stopping()) return this.#stoppedWith(called);
    if (typeof called === "object") return called;
    if (this.#engine.typeOf(called) === "undefined") {
      this.#engine.free(called);
      return undefined;
    }
    let returned = this.#engine.getProperty(called, "returned");
    this.#engine.free(called);
    const failure = this.#settle(returned, true);
    const settled = failure ? undefined : this.#engine.promise(returned);
    if (!settled || settled.state === "pending") {
      this.#engine.free(returned);
      return failure ?? UNSETTLED;
    }
    if ("value" in settled) {
      this.#engine.free(returned);
      returned = settled.value;
    }
    const text = this.#call("handlerJson", returned);
    this.#engine.free(returned);
    return this.#stopping() ? this.#stoppedWith(text) : text;
  }

  /** @param main What the script gave; its rejection ends the run. @returns what ended the run early, if anything. */
  #settle(main: Value, awaits: boolean): Failure | undefined {
    // As in Node, what a script puts off comes before the jobs of its promises; a module is such a job itself.
    const put = awaits ? undefined : this.#ticks();
    if (typeof put === "object" || typeof put === "symbol") return put;
    for (;;) {
      while (this.#engine.hasJobs()) {
        const ran = this.#engine.runJobs(JOB_BATCH);
        const thrown = typeof ran === "object" ? ran : undefined;
        if (this.#stopping()) return this.#stoppedWith(thrown);
        // An uncaught error ends the program, as in Node, whatever jobs and timers it has set going.
        const failure = thrown ?? (awaits ? this.#rejection(main) : undefined);
        if (failure) return failure;
      }
      const ticks = this.#ticks();
      if (ticks !== 0) {
        if (typeof ticks === "number") continue;
        return ticks;
      }
      const failure = this.#rejection(main) ?? this.#unhandled();
      if (failure) return failure;
      if (this.#engine.hasJobs()) continue;

      const until = this.#call("untilNextTimer");
      if (typeof until === "object") return this.#stopping() ? this.#stoppedWith(until) : until;
      const ms = this.#engine.toNumber(until);
      this.#engine.free(until);
      if (!(ms >= 0)) return undefined;
      if (ms > 0 && this.#clock.wait(ms) === "interrupted") return this.#stoppedWith(undefined);
      const fired = this.#call("runTimer");
      if (this.#stopping()) return this.#stoppedWith(fired);
      if (typeof fired === "object") return fired;
      this.#engine.free(fired);
      const after = this.#ticks();
      if (typeof after !== "number") return after;
    }
  }

  /** Runs what waits for `process.nextTick`. @returns How much that was, or what ended the run. */
  #ticks(): number | Failure {
    const ran = this.#call("runTicks");
    if (this.#stopping()) return this.#stoppedWith(ran);
    if (typeof ran === "object") return ran;
    const count = this.#engine.toNumber(ran);
    this.#engine.free(ran);
    return count;
  }

  /** Tells the program that it has come to its end, which it may end with an exit code. */
  #endProgram(main: Value, awaits: boolean): Failure | undefined {
    const told = this.#call("endProgram");
    if (this.#stopping()) return this.#stoppedWith(told);
    if (typeof told === "object") return told;
    const listened = this.#engine.toNumber(told) === 1;
    this.#engine.free(told);
    return listened ? this.#settle(main, awaits) : undefined;
  }

  /** What the first promise was rejected with that nothing handles. Programs can have a say in that. */
  #unhandled(): Failure | undefined {
    let failure: Failure | undefined;
    for (const promise of this.#engine.takeRejected()) {
      const state = this.#engine.promise(promise);
      if (state.state === "rejected") {
        const taken = failure ? undefined : this.#call("unhandled", state.value, promise);
        if (taken !== undefined && this.#stopping()) failure = this.#stoppedWith(taken);
        else if (typeof taken === "object") failure = taken;
        else if (taken !== undefined) {
          if (this.#engine.toNumber(taken) !== 1) failure = { thrown: this.#engine.duplicate(state.value) };
          this.#engine.free(taken);
        }
        this.#engine.free(state.value);
      } else if ("value" in state) this.#engine.free(state.value);
      this.#engine.free(promise);
    }
    return failure;
  }

  /** @param last What came of the last call, which does not matter any more. */
  #stoppedWith(last: Value | Thrown | undefined): typeof STOPPED | typeof EXITED {
    if (last !== undefined) this.#free(last);
    return this.#exitCode === undefined ? STOPPED : EXITED;
  }

  /** What a promise was rejected with; undefined for any other value. */
  #rejection(value: Value): Thrown | undefined {
    const promise = this.#engine.promise(value);
    if (promise.state === "rejected") return { thrown: promise.value };
    if (promise.state === "fulfilled") this.#engine.free(promise.value);
    return undefined;
  }

  /** @param returned JSON of what a handler returned, or what ended its call early. */
  #endingWith(request: RunRequest, value: Value | Failure, returned: Value | Failure | undefined): Ending {
    if (returned === undefined) return this.#ending(request, value);
    if (!isValue(returned)) {
      if (isValue(value)) this.#engine.free(value);
      return this.#ending(request, returned);
    }
    const ending = this.#ending(request, value);
    const json = this.#boundedText(returned, request.resultMaxBytes);
    const checked = checkReturned(json, request.resultMaxBytes);
    if (ending.status !== "completed") return ending;
    return typeof checked === "string"
      ? { ...ending, returned: checked }
      : { status: "failed", heap: ending.heap, error: checked };
  }

  #ending(request: RunRequest, value: Value | Failure): Ending {
    const heap = "kept";
    if (value === STOPPED) return { status: "stopped", heap };
    if (value === EXITED) return { status: "exited", heap, exitCode: this.#exitCode ?? 0 };
    if (value === UNSETTLED) {
      const error = { type: "Error", message: UNSETTLED_MESSAGE, traceback: `Error: ${UNSETTLED_MESSAGE}` };
      return { status: "failed", heap, error };
    }
    if (typeof value === "object") return this.#failed(request, value);

    const bound = this.#engine.number(request.resultMaxBytes + RESULT_SLACK);
    const shown = this.#call("result", value, bound);
    this.#engine.free(value);
    this.#engine.free(bound);
    if (this.#stopping()) return this.#ending(request, this.#stoppedWith(shown));
    if (typeof shown === "object") return this.#failed(request, shown);
    const isText = this.#engine.typeOf(shown) === "string";
    const bytes = isText ? this.#engine.toUtf8(shown) : undefined;
    this.#engine.free(shown);
    return { status: "completed", heap, result: bytes ? cut(bytes, request.resultMaxBytes) : null };
  }

  #failed(request: RunRequest, { thrown }: Thrown): Ending {
    const name = this.#engine.string(request.filename);
    const source = this.#engine.string(request.code);
    const ran = this.#engine.string(this.#ran);
    const json = this.#call("describeError", thrown, name, source, ran);
    // QuickJS throws null where there is no room for the error itself.
    const full = this.#isOutOfMemory(thrown) ||
      typeof json === "object" && (this.#isOutOfMemory(json.thrown) || !this.#works());
    for (const value of [thrown, name, source, ran]) this.#engine.free(value);
    if (this.#stopping()) return this.#ending(request, this.#stoppedWith(json));
    let error: ProgramError | undefined;
    if (typeof json === "object") this.#engine.free(json.thrown);
    else error = describedError(this.#boundedText(json, ANSWER_MAX_BYTES) ?? "");
    if (!full) return { status: "failed", heap: "kept", error: error ?? UNDESCRIBABLE };
    const heap = this.#works() ? "kept" : "discarded";
    return {
      status: "out_of_memory",
      heap,
      error: !error || error.message === "null" ? OUT_OF_MEMORY : error,
    };
  }

  #isOutOfMemory(thrown: Value): boolean {
    const grown = this.#engine.number(this.#engine.memory.buffer.byteLength >= this.#largest ? 1 : 0);
    const answer = this.#call("isOutOfMemory", thrown, grown);
    this.#engine.free(grown);
    // A heap that has no room for this call is full.
    const full = typeof answer === "object" || this.#engine.toNumber(answer) === 1;
    this.#free(answer);
    return full;
  }

  /** Whether there is memory left to go on with. */
  #works(): boolean {
    const made = this.#engine.evaluate("new Array(10000).fill(0).length", PRELUDE_NAME);
    this.#free(made);
    return typeof made !== "object";
  }

  /** Drops the timers of a run that ended early. @returns how many there were. */
  #dropTimers(): number {
    const dropped = this.#call("dropTimers");
    const count = typeof dropped === "object" ? 0 : this.#engine.toNumber(dropped);
    this.#free(dropped);
    return count;
  }

  /**
   * Drops the jobs of a run that ended early: with calls forbidden each of them fails at once, so no code of the run goes
   * on and no job makes another one for ever.
   *
   * @returns false if too many are left: the heap must be discarded.
   */
  #drainJobs(): boolean {
    this.#engine.allowCalls(false);
    for (let i = 0; i < DRAIN_BATCHES && this.#engine.hasJobs(); i++) {
      const ran = this.#engine.runJobs(JOB_BATCH);
      if (typeof ran === "object") this.#engine.free(ran.thrown);
    }
    this.#engine.allowCalls(true);
    return !this.#engine.hasJobs();
  }

  /** Whether no more of the program is to run. */
  #stopping(): boolean {
    return this.#exitCode !== undefined || this.#cell.requested() !== "none";
  }

  #call(hook: Hook, ...args: Value[]): Value | Thrown {
    return this.#engine.call(this.#hooks[hook], ...args);
  }

  #free(result: Value | Thrown): void {
    this.#engine.free(typeof result === "object" ? result.thrown : result);
  }

  /** A property of what was thrown, as text; the thrown value stays. */
  #textOf({ thrown }: Thrown, name: string): string {
    return this.#text(this.#engine.getProperty(thrown, name));
  }

  #text(value: Value): string {
    const text = this.#engine.toString(value);
    this.#engine.free(value);
    return text;
  }

  /** As {@link #text}, of what may be as long as a guest's memory. @returns undefined if it is longer. */
  #boundedText(value: Value, maxBytes: number): string | undefined {
    const text = this.#engine.toBoundedString(value, maxBytes);
    this.#engine.free(value);
    return text;
  }

  /** An answer of the prelude in JSON, which goes through functions that a guest can replace. @throws {GuestError} */
  #answer<T>(schema: z.ZodMiniType<T>, json: Value): T {
    const text = this.#boundedText(json, ANSWER_MAX_BYTES) ?? "";
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      value = undefined;
    }
    const { data } = schema.safeParse(value);
    if (data !== undefined) return data;
    throw new GuestError("JSON.stringify does not do what it should");
  }

  /** An argument of a host function as text; the caller keeps it. */
  #given(value: Value | undefined): string {
    return value === undefined ? "" : this.#engine.toString(value);
  }

  /** The value of a call into our own prelude, which does not fail. */
  #ours(result: Value | Thrown): Value {
    if (typeof result !== "object") return result;
    throw new EngineFault(`the prelude failed: ${this.#text(result.thrown)}`);
  }
}

function isValue(given: Value | Failure): given is Value {
  return typeof given === "number";
}

const OUT_OF_MEMORY: ProgramError = {
  type: "InternalError",
  message: "out of memory",
  traceback: "InternalError: out of memory",
};

/** The first `most` bytes of UTF-8, without half a character; what is cut ends in "…". */
function cut(bytes: Uint8Array, most: number): string {
  if (bytes.byteLength <= most) return decoder.decode(bytes);
  let end = Math.max(0, most - ELLIPSIS_BYTES);
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  return decoder.decode(bytes.subarray(0, end)) + "…";
}
