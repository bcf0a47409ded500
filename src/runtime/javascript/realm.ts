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
import { EvalFlag, type Value } from "./abi.ts";
import { describedError, UNDESCRIBABLE } from "./described_error.ts";
import { Engine, GuestError, type HostFunction, type Revival, type Thrown } from "./engine.ts";
import { hostFunctions } from "./host_functions.ts";
import { EngineFault, largestMemory } from "./instance.ts";
import { ModuleLoader } from "./module_loader.ts";
import { IMPORT_CHECK, LAZY, PRELUDE, PRELUDE_NAME } from "./prelude.ts";
import { rewrite, type Script } from "./rewrite.ts";
import { type ModulesState, parseRealmState, type RealmState } from "./state.ts";

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
const UNSETTLED: unique symbol = Symbol("what is awaited can never settle");
const UNSETTLED_MESSAGE =
  "What is awaited can never settle: no timer and no job is left that could settle it";

/** What a CommonJS module exports, or what it threw. */
const commonJsAnswer = z.object({
  names: z.array(z.string()),
  error: z.optional(z.object({ name: z.string(), message: z.string() })),
});

/** The prelude's answer goes through functions that a guest can replace. @throws {GuestError} */
function parseCommonJsAnswer(json: string): z.infer<typeof commonJsAnswer> {
  try {
    return commonJsAnswer.parse(JSON.parse(json));
  } catch {
    throw new GuestError("JSON.stringify does not do what it should");
  }
}

/** What ended a run early. */
type Failure = Thrown | typeof STOPPED | typeof UNSETTLED;

const HOOKS = [
  "result",
  "describeError",
  "isOutOfMemory",
  "untilNextTimer",
  "runTimer",
  "dropTimers",
  "endGroups",
  "moduleNames",
  "beginHandler",
  "callHandler",
  "handlerJson",
  "runCommonJs",
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
  /** Whether the last program ran out of memory. */
  #full = false;

  /** @throws anything an {@link Engine} throws; the realm is then not usable. */
  constructor(
    host: RuntimeHost,
    module: WebAssembly.Module,
    meter: FuelMeter,
    revival?: Revival<RealmState>,
  ) {
    this.#cell = host.cell;
    this.#clock = host.clock;
    this.#largest = largestMemory(host.memoryBytes);
    this.#engine = new Engine(module, {
      memoryBytes: host.memoryBytes,
      interrupted: () => {
        host.cell.throwIfAborted();
        return this.#interruptible && host.cell.requested() !== "none";
      },
      meter,
      clock: host.clock,
      random: host.random,
      resolve: (base, specifier) => this.#modules.resolve(base, specifier),
      load: (name) => this.#modules.load(name),
    }, revival && { fill: revival.fill, state: revival.state.engine });

    const functions: Record<string, HostFunction> = {
      ...hostFunctions(host, () => this.#engine),
      lazy: ([name]) =>
        this.#ours(this.#engine.evaluate(LAZY[name ? this.#engine.toString(name) : ""] ?? "", PRELUDE_NAME)),
      resolveRequired: ([base, specifier]) =>
        this.#engine.string(this.#modules.resolveRequired(this.#given(base), this.#given(specifier))),
      readRequired: ([name]) => this.#engine.string(this.#modules.loadRequired(this.#given(name))),
      compileRequired: ([name]) => this.#compileCommonJs(this.#given(name)),
    };
    this.#hooks = revival ? this.#hooksAgain(functions, revival.state) : this.#installPrelude(functions);
    this.#fs = host.fs;
    this.#modules = this.#makeModules(revival?.state.modules);
  }

  #makeModules(state?: ModulesState): ModuleLoader {
    const list = () => JSON.parse(this.#text(this.#ours(this.#call("moduleNames"))));
    return new ModuleLoader(this.#fs, list, (name) => this.#runCommonJs(name), state);
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
    const { names, error } = parseCommonJsAnswer(this.#text(answer));
    if (error) throw new GuestError(error.message, { name: error.name });
    return names;
  }

  /** A function that runs a CommonJS module; what its compilation threw, if it did. */
  #compileCommonJs(name: string): Value {
    const text = this.#modules.loadRequired(name);
    const code = `(function (exports, require, module, __filename, __dirname) {${text}\n})`;
    const made = this.#engine.evaluate(code, name);
    return typeof made === "object" ? made.thrown : made;
  }

  #installPrelude(functions: Readonly<Record<string, HostFunction>>): Record<Hook, Value> {
    const install = this.#ours(this.#engine.evaluate(PRELUDE, PRELUDE_NAME));
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

  goOn(state: unknown): void {
    // Addresses and host functions are those that a realm is made with.
    this.#modules = this.#makeModules(parseRealmState(state).modules);
  }

  get memoryBytes(): number {
    return this.#engine.memory.buffer.byteLength;
  }

  run(request: RunRequest): Ending {
    this.#modules.beginRun();
    const script = rewrite(request.code, IMPORT_CHECK);
    this.#interruptible = true;
    // A program that follows one that filled the heap gets the reserve, to make room.
    if (!this.#full) this.#engine.holdReserve();
    if (request.handler) this.#free(this.#call("beginHandler"));
    const value = this.#toEnd(request, script);
    const returned = request.handler && isValue(value) ? this.#callHandler(request) : undefined;
    this.#engine.releaseReserve();
    const ending = this.#endingWith(request, value, returned);
    this.#full = ending.status === "out_of_memory";
    this.#interruptible = false;
    this.#free(this.#call("endGroups"));
    if (ending.status === "completed") return ending;
    return this.#dropRemains() ? ending : { ...ending, heap: "discarded" };
  }

  /** Runs the script, and then jobs and timers until none is left. @returns the script's value, owned. */
  #toEnd(request: RunRequest, script: Script): Value | Failure {
    const flags = script.awaits ? EvalFlag.async : EvalFlag.global;
    const outcome = this.#engine.evaluate(script.code, request.filename, flags);
    if (typeof outcome === "object") {
      if (!this.#stopping()) return outcome;
      this.#engine.free(outcome.thrown);
      return STOPPED;
    }
    const failure = this.#stopping() ? STOPPED : this.#settle(outcome, script.awaits);
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
    for (;;) {
      while (this.#engine.hasJobs()) {
        const ran = this.#engine.runJobs(JOB_BATCH);
        const thrown = typeof ran === "object" ? ran : undefined;
        if (this.#stopping()) return this.#stoppedWith(thrown);
        // An uncaught error ends the program, as in Node, whatever jobs and timers it has set going.
        const failure = thrown ?? (awaits ? this.#rejection(main) : undefined);
        if (failure) return failure;
      }
      const failure = this.#rejection(main);
      if (failure) return failure;

      const until = this.#call("untilNextTimer");
      if (typeof until === "object") return this.#stopping() ? this.#stoppedWith(until) : until;
      const ms = this.#engine.toNumber(until);
      this.#engine.free(until);
      if (!(ms >= 0)) return undefined;
      if (ms > 0 && this.#clock.wait(ms) === "interrupted") return STOPPED;
      const fired = this.#call("runTimer");
      if (this.#stopping()) return this.#stoppedWith(fired);
      if (typeof fired === "object") return fired;
      this.#engine.free(fired);
    }
  }

  /** @param last What came of the last call, which does not matter any more. */
  #stoppedWith(last: Value | Thrown | undefined): typeof STOPPED {
    if (last !== undefined) this.#free(last);
    return STOPPED;
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
    const checked = checkReturned(this.#text(returned), request.resultMaxBytes);
    if (ending.status !== "completed") return ending;
    return typeof checked === "string"
      ? { ...ending, returned: checked }
      : { status: "failed", heap: ending.heap, error: checked };
  }

  #ending(request: RunRequest, value: Value | Failure): Ending {
    const heap = "kept";
    if (value === STOPPED) return { status: "stopped", heap };
    if (value === UNSETTLED) {
      const error = { type: "Error", message: UNSETTLED_MESSAGE, traceback: `Error: ${UNSETTLED_MESSAGE}` };
      return { status: "failed", heap, error };
    }
    if (typeof value === "object") return this.#failed(request, value);

    const bound = this.#engine.number(request.resultMaxBytes + RESULT_SLACK);
    const shown = this.#call("result", value, bound);
    this.#engine.free(value);
    this.#engine.free(bound);
    if (this.#stopping()) {
      this.#free(shown);
      return { status: "stopped", heap };
    }
    if (typeof shown === "object") return this.#failed(request, shown);
    const isText = this.#engine.typeOf(shown) === "string";
    const bytes = isText ? this.#engine.toUtf8(shown) : undefined;
    this.#engine.free(shown);
    return { status: "completed", heap, result: bytes ? cut(bytes, request.resultMaxBytes) : null };
  }

  #failed(request: RunRequest, { thrown }: Thrown): Ending {
    const name = this.#engine.string(request.filename);
    const source = this.#engine.string(request.code);
    const json = this.#call("describeError", thrown, name, source);
    // QuickJS throws null where there is no room for the error itself.
    const full = this.#isOutOfMemory(thrown) ||
      typeof json === "object" && (this.#isOutOfMemory(json.thrown) || !this.#works());
    for (const value of [thrown, name, source]) this.#engine.free(value);
    if (this.#stopping()) {
      this.#free(json);
      return { status: "stopped", heap: "kept" };
    }
    let error: ProgramError | undefined;
    if (typeof json === "object") this.#engine.free(json.thrown);
    else error = describedError(this.#text(json));
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

  /**
   * Drops the timers of a run that ended early, and its jobs: with calls forbidden each of them fails at once, so no
   * code of the run goes on and no job makes another one for ever.
   *
   * @returns false if too many are left: the heap must be discarded.
   */
  #dropRemains(): boolean {
    this.#free(this.#call("dropTimers"));
    this.#engine.allowCalls(false);
    for (let i = 0; i < DRAIN_BATCHES && this.#engine.hasJobs(); i++) {
      const ran = this.#engine.runJobs(JOB_BATCH);
      if (typeof ran === "object") this.#engine.free(ran.thrown);
    }
    this.#engine.allowCalls(true);
    return !this.#engine.hasJobs();
  }

  #stopping(): boolean {
    return this.#cell.requested() !== "none";
  }

  #call(hook: Hook, ...args: Value[]): Value | Thrown {
    return this.#engine.call(this.#hooks[hook], ...args);
  }

  #free(result: Value | Thrown): void {
    this.#engine.free(typeof result === "object" ? result.thrown : result);
  }

  #text(value: Value): string {
    const text = this.#engine.toString(value);
    this.#engine.free(value);
    return text;
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
