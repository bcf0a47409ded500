/** One QuickJS runtime with one context: its limits, evaluation, calls and jobs, over the raw binary interface. */

import { hostStack } from "../../host_stack.ts";
import type { GuestClock } from "../../control/guest_clock.ts";
import type { FuelMeter } from "../../control/meter.ts";
import type { RandomSource } from "../../control/random.ts";
import { EvalFlag, type Exports, type Pointer, TIME_ZONE_BYTES, type Value } from "./abi.ts";
import { GuestError } from "./guest_error.ts";
import { type HostFunction, HostTable } from "./host_table.ts";
import { type Instance, instantiate, readCString } from "./instance.ts";
import { EngineOutOfMemory, LinearMemory } from "./linear_memory.ts";
import { randomTime, seedRandom } from "./random_state.ts";
import { Rejections } from "./rejections.ts";
import { clearDeepStack, scrub } from "./scrub.ts";
import type { EngineState } from "./state.ts";
import { TimeZones } from "./time_zone.ts";
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
 * What QuickJS allows itself of its stack, of 3.25 MiB, for each byte of V8's. It recurses on both, and takes up to 2.3 times
 * as much of V8's (`wasm/quickjs/patches/native-stack.patch`), so that deep recursion of every kind ends in its own check,
 * in V8's first code, too; only a program that is written as thousands of functions within each other crashes.
 */
const STACK_SHARE = 1500 / 3600;
/** Held back while a program runs, and free after it: for telling what became of it, and for the next, say a `delete`. */
const RESERVE_BYTES = 1 << 20;
/** Kept free for what we pass in while the guest's own heap is full. */
const RESERVED_BYTES = 2 << 20;

const encoder = new TextEncoder();

export class Engine {
  readonly values: Values;
  readonly rejections: Rejections;
  readonly #instance: Instance;
  readonly #x: Exports;
  readonly #linear: LinearMemory;
  readonly #zones: TimeZones;
  readonly #runtime: Pointer;
  readonly #context: Pointer;
  readonly #table: HostTable;
  #reserve: Pointer = 0;

  /**
   * @throws {EngineFault} or RangeError if the module can't be instantiated or has no room to start.
   * @throws {ImageError} if there is nothing to go on with.
   */
  constructor(module: WebAssembly.Module, options: EngineOptions, revival?: Revival<EngineState>) {
    const zones = this.#zones = new TimeZones((fuel) => options.meter.charge(fuel));
    this.#instance = instantiate(module, options.memoryBytes, {
      callFunction: (_context, count, args, id) => this.#table.call(count, args, id),
      shouldInterrupt: () => options.interrupted() ? 1 : 0,
      loadModuleSource: (_context, name) =>
        this.#table.text(() => options.load(readCString(this.memory, name))),
      normalizeModule: (_context, base, name) =>
        this.#table.text(() =>
          options.resolve(readCString(this.memory, base), readCString(this.memory, name))
        ),
      rejected: (_context, promise, _reason, isHandled) =>
        this.rejections.onRejection(promise, isHandled === 1),
      timezoneOffset: (zone, time) => zones.offset(readCString(this.memory, zone, TIME_ZONE_BYTES), time),
      realtime: () => this.#context ? options.clock.realtime() : randomTime(options.random),
      monotonic: () => options.clock.monotonic(),
    }, options.meter.refill);
    this.#x = this.#instance.exports;
    if (this.#instance.fuel) options.meter.attach(this.#instance.fuel);
    if (revival) revival.fill(this.memory);
    else this.#x._initialize();
    this.#linear = new LinearMemory(this.#instance);
    this.#runtime = revival?.state.runtime ?? this.#x.newRuntime();
    this.#context = revival?.state.context ?? this.#x.newContext(this.#runtime);
    if (!this.#runtime || !this.#context) throw new EngineOutOfMemory("no room for a QuickJS context");
    this.values = new Values(this.#x, this.#linear, this.#context);
    this.rejections = new Rejections(this.values, () => this.#x.asyncContext(this.#context));
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
    this.#x.setMemoryLimit(this.#runtime, Math.max(options.memoryBytes - RESERVED_BYTES, 1 << 20));
    this.allowCalls(true);
  }

  get memory(): WebAssembly.Memory {
    return this.#instance.memory;
  }

  get state(): EngineState {
    return { runtime: this.#runtime, context: this.#context, functions: this.#table.names };
  }

  /** False makes every call in the guest throw at once, so that pending jobs can be drained without running its code. */
  allowCalls(allowed: boolean): void {
    if (allowed) this.#x.setMaxStackSize(this.#runtime, Math.floor(hostStack() * STACK_SHARE) * 1024);
    else this.#x.forbidCalls(this.#runtime);
  }

  /** Holds some memory back from the guest, as far as there is any, until {@link releaseReserve}. */
  holdReserve(): void {
    this.#reserve ||= this.#linear.tryAllocate(RESERVE_BYTES);
  }

  /** After a program: gives back what was held from it, and forgets what was on its stack. */
  releaseReserve(): void {
    this.#linear.free(this.#reserve);
    this.#reserve = 0;
    clearDeepStack(this.#linear);
  }

  // Host functions.

  /**
   * A plain object whose properties are host functions, and two of the engine's: what tells the context that asynchronous
   * work goes on in, any value, and what changes it.
   */
  functions(table: Readonly<Record<string, HostFunction>>): Value {
    const object = this.#table.add(table);
    const own = {
      asyncContext: this.#x.asyncContextGetter(this.#context),
      enterAsyncContext: this.#x.asyncContextSetter(this.#context),
    };
    for (const [name, value] of Object.entries(own)) {
      this.values.setProperty(object, name, value);
      this.values.free(value);
    }
    return object;
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

  /** Gives `Math.random` a state of its own. */
  seed(random: RandomSource): void {
    seedRandom(this.#linear, this.#x.randomState(this.#context), random);
  }

  /**
   * Has local time be that of the zone that a value of `TZ` names.
   *
   * @returns what `Intl` calls it, "" for UTC; undefined where there is no such zone, which changes nothing.
   * @throws {GuestError} if its name is too long.
   */
  setTimeZone(tz: string): string | undefined {
    const zone = this.#zones.named(tz);
    if (zone === undefined) return undefined;
    const name = encoder.encode(`${zone}\0`);
    if (name.length > TIME_ZONE_BYTES) throw new GuestError("the time zone's name is too long");
    this.#linear.view().set(name, this.#x.timeZone());
    return zone;
  }

  /** Makes zeros of memory that is free, and forgets how much of the stack is allowed here: nothing can run after it. */
  scrub(): void {
    scrub(this.#linear);
    this.#x.setMaxStackSize(this.#runtime, 0);
  }

  /** What runs next is in no context of asynchronous work. */
  leaveAsyncContext(): void {
    this.#x.leaveAsyncContext(this.#context);
  }

  // Running.

  /** Evaluates a script in the global scope. @param flags of {@link EvalFlag}. */
  evaluate(code: string, filename: string, flags: number = EvalFlag.global): Value | Thrown {
    const bytes = encoder.encode(code);
    const source = this.#linear.allocateUtf8(bytes);
    const name = this.#linear.allocateString(filename);
    const result = this.#x.evaluate(this.#context, source, bytes.byteLength, name, flags);
    this.#linear.free(name);
    this.#linear.free(source);
    return this.#resolve(result);
  }

  /** A module, loaded and run if it was not. @returns its namespace, or a promise if it has to wait. */
  importNow(name: string): Value | Thrown {
    const text = this.#linear.allocateString(name);
    const result = this.#x.importNow(this.#context, text);
    this.#linear.free(text);
    return this.#resolve(result);
  }

  /** Whether there is such a module and its code has failed. */
  moduleHasFailed(name: string): boolean {
    const text = this.#linear.allocateString(name);
    const hasFailed = this.#x.moduleHasFailed(this.#context, text) !== 0;
    this.#linear.free(text);
    return hasFailed;
  }

  call(fn: Value, ...args: readonly Value[]): Value | Thrown {
    const vector = this.#linear.allocate(4 * args.length);
    const view = new DataView(this.memory.buffer);
    args.forEach((value, i) => view.setInt32(vector + 4 * i, value, true));
    const result = this.#x.call(this.#context, fn, args.length, vector);
    this.#linear.free(vector);
    return this.#resolve(result);
  }

  /** Raises in the guest what was thrown, which is freed. @returns what marks that for whom it is given to. */
  raise({ thrown }: Thrown): Value {
    const marker = this.#x.throwValue(this.#context, thrown);
    this.values.free(thrown);
    return marker;
  }

  /** The global object of a new realm, which lives as long as its objects do. @throws {EngineOutOfMemory} */
  newGlobal(): Value {
    const context = this.#x.newContext(this.#runtime);
    if (!context) throw new EngineOutOfMemory("no room for another QuickJS context");
    const global = this.#x.globalObject(context);
    // What it holds are its functions, each of which holds the context.
    this.#x.freeContext(context);
    return global;
  }

  #resolve(result: Value): Value | Thrown {
    const thrown = this.#x.takeException(this.#context, result);
    if (thrown === 0) return result;
    this.values.free(result);
    return { thrown };
  }

  hasJobs(): boolean {
    return this.#x.hasJobs(this.#runtime) !== 0;
  }

  /** Runs pending jobs, at most `most`. @param stopping Whether not to go on. @returns what one of them threw. */
  runJobs(most: number, stopping = () => false): Thrown | undefined {
    for (let count = 0; count < most && this.hasJobs() && !stopping(); count++) {
      const thrown = this.#x.runJob(this.#context);
      if (thrown !== 0) return { thrown };
    }
    return undefined;
  }
}
