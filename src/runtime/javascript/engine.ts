/** One QuickJS runtime with one context: its limits, evaluation, calls and jobs, over the raw binary interface. */

import type { GuestClock } from "../../control/guest_clock.ts";
import type { FuelMeter } from "../../control/meter.ts";
import type { RandomSource } from "../../control/random.ts";
import { AsyncContexts } from "./async_contexts.ts";
import { EvalFlag, type Exports, type Pointer, type Value } from "./abi.ts";
import { type HostFunction, HostTable } from "./host_table.ts";
import { type Instance, instantiate, readCString } from "./instance.ts";
import { EngineOutOfMemory, LinearMemory } from "./linear_memory.ts";
import { findRandomState, randomTime, seedRandom } from "./random_state.ts";
import { Rejections } from "./rejections.ts";
import { scrub } from "./scrub.ts";
import type { EngineState } from "./state.ts";
import { type Thrown, Values } from "./values.ts";

export interface EngineOptions {
  readonly memoryBytes: number;
  /** Looked at while guest code runs; true raises an error the guest can't catch. May throw to end the instance. */
  readonly interrupted: () => boolean;
  readonly meter: FuelMeter;
  readonly clock: GuestClock;
  readonly random: RandomSource;
  /** Turns an import's specifier into a module name; throws `GuestError`. */
  readonly resolve: (base: string, specifier: string) => string;
  /** The source of a module by its name; throws `GuestError`. */
  readonly load: (name: string) => string;
}

/** A heap to go on with, instead of making one. */
export interface Revival<State> {
  /** Fills the memory of the new instance, which nothing has run in. */
  readonly fill: (memory: WebAssembly.Memory) => void;
  readonly state: State;
}

/**
 * Depth of the wasm stack QuickJS allows itself. Its natives recurse on V8's stack too, faster than on their own:
 * with `--stack-size=3600` deep recursion of every kind ends in QuickJS's check, and only a program that is written as
 * thousands of functions within each other crashes.
 */
const STACK_BYTES = 192 * 1024;
/** As the size is subtracted from the stack's top, this puts the limit above it: every call fails at once. */
const NO_STACK = -(1 << 20);
/** Held back while a program runs, and free after it: for telling what became of it, and for the next, say a `delete`. */
const RESERVE_BYTES = 1 << 20;
/**
 * How much of a runtime is looked at, and how far `host_promise_promise_hooks` is from `interrupt_handler`, in 32-bit
 * words: between them are the latter's opaque, a hook of promises with its own, and `parent_promise` (quickjs.c, JSRuntime).
 */
const RUNTIME_WORDS = 256;
const TRACKER_DISTANCE = 5;
const PROMISE_HOOK_DISTANCE = 2;
/** After the tracker come its opaque and the list of jobs. */
const JOBS_DISTANCE = 7;
/** Kept free for what we pass in while the guest's own heap is full. */
const RESERVED_BYTES = 2 << 20;

const encoder = new TextEncoder();

export class Engine {
  readonly values: Values;
  readonly rejections: Rejections;
  readonly contexts: AsyncContexts;
  readonly #instance: Instance;
  readonly #x: Exports;
  readonly #linear: LinearMemory;
  readonly #runtime: Pointer;
  readonly #context: Pointer;
  readonly #table: HostTable;
  readonly #undefined: Value;
  /** Which of the runtime's words is its first pointer to a function of the host's. */
  readonly #handlersAt: number;
  #reserve: Pointer = 0;

  /**
   * @throws {EngineFault} or RangeError if the module can't be instantiated or has no room to start.
   * @throws {ImageError} if there is nothing to go on with.
   */
  constructor(module: WebAssembly.Module, options: EngineOptions, revival?: Revival<EngineState>) {
    this.#instance = instantiate(module, options.memoryBytes, {
      callFunction: (_context, _self, count, argv, id) => this.#table.call(count, argv, id),
      shouldInterrupt: options.interrupted,
      loadModuleSource: (name) => this.#table.text(() => options.load(readCString(this.memory, name))),
      normalizeModule: (base, name) =>
        this.#table.text(() =>
          options.resolve(readCString(this.memory, base), readCString(this.memory, name))
        ),
      rejected: (promise, reason, handled) => this.rejections.onRejection(promise, reason, handled === 1),
      promise: (type, promise, parent) => this.contexts.onPromise(type, promise, parent),
      realtime: () => this.#context ? options.clock.realtime() : randomTime(options.random),
      monotonic: () => options.clock.monotonic(),
    }, options.meter.refill);
    this.#x = this.#instance.exports;
    if (this.#instance.fuel) options.meter.attach(this.#instance.fuel);
    if (revival) revival.fill(this.memory);
    else this.#x.initialize();
    this.#linear = new LinearMemory(this.#instance);
    this.#runtime = revival?.state.runtime ?? this.#x.QTS_NewRuntime();
    this.#context = revival?.state.context ?? this.#x.QTS_NewContext(this.#runtime, 0);
    if (!this.#runtime || !this.#context) throw new EngineOutOfMemory("no room for a QuickJS context");
    this.values = new Values(this.#x, this.#linear, this.#context);
    this.rejections = new Rejections(this.values);
    this.#table = new HostTable({
      exports: this.#x,
      memory: this.#linear,
      values: this.values,
      context: this.#context,
      outOfMemory: () => {
        const made = this.evaluate('new InternalError("out of memory")', "wasmbox:memory");
        return typeof made === "object" ? made.thrown : made;
      },
    });
    this.#undefined = this.#x.QTS_GetUndefined();
    this.#x.QTS_RuntimeSetMemoryLimit(this.#runtime, Math.max(options.memoryBytes - RESERVED_BYTES, 1 << 20));
    this.allowCalls(true);
    const before = this.#runtimeWords().slice();
    this.#x.QTS_RuntimeEnableInterruptHandler(this.#runtime);
    this.#handlersAt = revival?.state.handlersAt ??
      this.#runtimeWords().findIndex((word, index) => word !== before[index]);
    this.contexts = new AsyncContexts(this.memory, this.#runtime + 4 * (this.#handlersAt + JOBS_DISTANCE));
    this.#x.QTS_RuntimeEnableModuleLoader(this.#runtime, 1);
  }

  get memory(): WebAssembly.Memory {
    return this.#instance.memory;
  }

  get state(): EngineState {
    return {
      runtime: this.#runtime,
      context: this.#context,
      functions: this.#table.names,
      handlersAt: this.#handlersAt,
    };
  }

  /** False makes every call in the guest throw at once, so that pending jobs can be drained without running its code. */
  allowCalls(allowed: boolean): void {
    this.#x.QTS_RuntimeSetMaxStackSize(this.#runtime, allowed ? STACK_BYTES : NO_STACK);
  }

  /** Holds some memory back from the guest, as far as there is any, until {@link releaseReserve}. */
  holdReserve(): void {
    this.#reserve ||= this.#linear.tryAllocate(RESERVE_BYTES);
  }

  releaseReserve(): void {
    this.#linear.free(this.#reserve);
    this.#reserve = 0;
  }

  // Host functions.

  /** A plain object whose properties are host functions. */
  functions(table: Readonly<Record<string, HostFunction>>): Value {
    return this.#table.add(table);
  }

  /**
   * The host functions of a heap that the engine goes on with.
   *
   * @throws {ImageError} if they are not these.
   */
  functionsAgain(table: Readonly<Record<string, HostFunction>>, state: EngineState): void {
    this.#table.addAgain(table, state);
  }

  // For base images, and what starts from them.

  /** Gives `Math.random` a state of its own. @param at Where it is kept. */
  seed(at: Pointer, random: RandomSource): void {
    seedRandom(this.#linear, at, random);
  }

  /** Where the engine keeps the state of `Math.random`. It changes that state. */
  findRandomState(): Pointer {
    return findRandomState(this.#linear, () => {
      this.values.free(this.#called(this.evaluate("Math.random()", "wasmbox:random")));
    });
  }

  /** Makes zeros of memory that is free. */
  scrub(): void {
    scrub(this.#linear);
  }

  /**
   * Has the engine tell of promises that are rejected without a handler. The pointer to what it tells is in the heap.
   *
   * @throws {Error} if it does not.
   */
  trackRejections(): void {
    const at = this.#handlersAt + TRACKER_DISTANCE;
    if (this.#runtimeWords()[at] === 0) this.#runtimeWords()[at] = this.#instance.tracker;
    this.values.free(this.#called(this.evaluate("Promise.reject(0)", "wasmbox:rejection")));
    if (this.rejections.count !== 1) throw new Error("QuickJS does not tell of rejected promises");
    this.rejections.forgetAll();
  }

  /** Has the engine tell of promises from now on, for {@link contexts}. The pointer to what it tells is in the heap. */
  followPromises(): void {
    this.#runtimeWords()[this.#handlersAt + PROMISE_HOOK_DISTANCE] = this.#instance.promiseHook;
  }

  get followsPromises(): boolean {
    return this.#runtimeWords()[this.#handlersAt + PROMISE_HOOK_DISTANCE] !== 0;
  }

  /** The first of what the engine's `JSRuntime` holds. */
  #runtimeWords(): Uint32Array {
    return new Uint32Array(this.memory.buffer, this.#runtime, RUNTIME_WORDS);
  }

  #called(result: Value | Thrown): Value {
    if (typeof result === "object") throw new Error(this.values.toString(result.thrown));
    return result;
  }

  // Running.

  /** Evaluates a script in the global scope. @param flags of {@link EvalFlag}. */
  evaluate(code: string, filename: string, flags: number = EvalFlag.global): Value | Thrown {
    const bytes = encoder.encode(code);
    const source = this.#linear.allocateUtf8(bytes);
    const name = this.#linear.allocateString(filename);
    const result = this.#x.QTS_Eval(this.#context, source, bytes.byteLength, name, 0, flags);
    this.#linear.free(name);
    this.#linear.free(source);
    return this.#resolve(result);
  }

  call(fn: Value, ...args: readonly Value[]): Value | Thrown {
    const vector = this.#linear.allocate(4 * args.length);
    const view = new DataView(this.memory.buffer);
    args.forEach((value, i) => view.setInt32(vector + 4 * i, value, true));
    const result = this.#x.QTS_Call(this.#context, fn, this.#undefined, args.length, vector);
    this.#linear.free(vector);
    return this.#resolve(result);
  }

  /** Raises in the guest what was thrown, which is freed. @returns what marks that for whom it is given to. */
  raise({ thrown }: Thrown): Value {
    const marker = this.#x.QTS_Throw(this.#context, thrown);
    this.values.free(thrown);
    return marker;
  }

  /** The global object of a new realm, which lives as long as its objects do. @throws {EngineOutOfMemory} */
  newGlobal(): Value {
    const context = this.#x.QTS_NewContext(this.#runtime, 0);
    if (!context) throw new EngineOutOfMemory("no room for another QuickJS context");
    const global = this.#x.QTS_GetGlobalObject(context);
    // What it holds are its functions, each of which holds the context.
    this.#x.QTS_FreeContext(context);
    return global;
  }

  #resolve(result: Value): Value | Thrown {
    const thrown = this.#x.QTS_ResolveException(this.#context, result);
    if (!thrown) return result;
    this.values.free(result);
    return { thrown };
  }

  hasJobs(): boolean {
    return this.#x.QTS_IsJobPending(this.#runtime) !== 0;
  }

  /** Runs at most `most` pending jobs. @returns how many ran, or what one of them threw. */
  runJobs(most: number): number | Thrown {
    const out = this.#linear.allocate(4);
    const result = this.#x.QTS_ExecutePendingJob(this.#runtime, most, out);
    this.#linear.free(out);
    const thrown = this.#x.QTS_ResolveException(this.#context, result);
    const count = thrown ? 0 : this.values.toNumber(result);
    this.#x.QTS_FreeValuePointerRuntime(this.#runtime, result);
    return thrown ? { thrown } : count;
  }
}
