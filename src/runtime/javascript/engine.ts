/** One QuickJS runtime with one context: values, calls, evaluation and jobs, over the raw binary interface. */

import type { GuestClock } from "../../control/guest_clock.ts";
import type { FuelMeter } from "../../control/meter.ts";
import type { RandomSource } from "../../control/random.ts";
import { ImageError } from "../../executor/wire/image_error.ts";
import { EvalFlag, type Exports, type Pointer, PromiseState, type Value } from "./abi.ts";
import { type Instance, instantiate, readCString } from "./instance.ts";
import type { EngineState } from "./state.ts";

/** Linear memory has no room for a value that we must pass in. */
export class EngineOutOfMemory extends Error {
  override name = "EngineOutOfMemory";
}

/** An exception of the guest, as a value. The receiver frees it. */
export interface Thrown {
  readonly thrown: Value;
}

/** A host function: borrows its arguments, returns an owned value or nothing; throws {@link GuestError} only. */
export type HostFunction = (args: readonly Value[]) => Value | void;

/** Thrown by a host function to raise an `Error` in the guest; anything else it throws ends the instance. */
export class GuestError extends Error {
  /** @param fields Own properties the guest's error gets besides its message: `code`, `name`. */
  constructor(message: string, readonly fields: Readonly<Record<string, string>> = {}) {
    super(message);
  }
}

export interface EngineOptions {
  readonly memoryBytes: number;
  /** Looked at while guest code runs; true raises an error the guest can't catch. May throw to end the instance. */
  readonly interrupted: () => boolean;
  readonly meter: FuelMeter;
  readonly clock: GuestClock;
  readonly random: RandomSource;
  /** Turns an import's specifier into a module name; throws {@link GuestError}. */
  readonly resolve: (base: string, specifier: string) => string;
  /** The source of a module by its name; throws {@link GuestError}. */
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
 * How much of a runtime is looked at, and how far `host_promise_rejection_tracker` is from `interrupt_handler`, in 32-bit
 * words: between them are the latter's opaque, a hook of promises with its own, and `parent_promise` (quickjs.c, JSRuntime).
 */
const RUNTIME_WORDS = 256;
const TRACKER_DISTANCE = 5;
/** Rejected promises that are remembered; whether it was one or more makes no difference. */
const MOST_REJECTED = 1000;
/** More than any call has used of the stack. */
const DEAD_STACK_BYTES = 512 * 1024;
/** The smallest of the free parts of memory that are made zeros for an image. */
const SCRUBBED_BYTES = 4096;
/** Kept free for what we pass in while the guest's own heap is full. */
const RESERVED_BYTES = 2 << 20;

export class Engine {
  readonly #instance: Instance;
  readonly #x: Exports;
  readonly #runtime: Pointer;
  readonly #context: Pointer;
  readonly #functions = new Map<number, HostFunction>();
  readonly #functionNames: string[] = [];
  readonly #encoder = new TextEncoder();
  readonly #undefined: Value;
  #bytes: Uint8Array<ArrayBuffer>;
  /** Promises that were rejected and have no handler, owned, by what they are to the guest. */
  readonly #rejected = new Map<bigint, Value>();
  /** The last of them, if nothing was told of since. */
  #lastRejection: { readonly promise: bigint; readonly reason: bigint } | undefined;
  /** In a new runtime: which of its words is its first pointer to a function of the host's. */
  readonly #handlersAt: number;
  #reserve: Pointer = 0;

  /**
   * @throws {EngineFault} or RangeError if the module can't be instantiated or has no room to start.
   * @throws {ImageError} if there is nothing to go on with.
   */
  constructor(module: WebAssembly.Module, options: EngineOptions, revival?: Revival<EngineState>) {
    this.#instance = instantiate(module, options.memoryBytes, {
      callFunction: (_context, _self, count, argv, id) => this.#callHost(count, argv, id),
      shouldInterrupt: options.interrupted,
      loadModuleSource: (name) => this.#textForGuest(() => options.load(readCString(this.memory, name))),
      normalizeModule: (base, name) =>
        this.#textForGuest(() =>
          options.resolve(readCString(this.memory, base), readCString(this.memory, name))
        ),
      rejected: (promise, reason, handled) => this.#onRejection(promise, reason, handled === 1),
      realtime: () => this.#context ? options.clock.realtime() : randomTime(options.random),
      monotonic: () => options.clock.monotonic(),
    }, options.meter.refill);
    this.#x = this.#instance.exports;
    if (this.#instance.fuel) options.meter.attach(this.#instance.fuel);
    if (revival) revival.fill(this.memory);
    else this.#x.initialize();
    this.#bytes = new Uint8Array(this.memory.buffer as ArrayBuffer);
    this.#runtime = revival?.state.runtime ?? this.#x.QTS_NewRuntime();
    this.#context = revival?.state.context ?? this.#x.QTS_NewContext(this.#runtime, 0);
    if (!this.#runtime || !this.#context) throw new EngineOutOfMemory("no room for a QuickJS context");
    this.#undefined = this.#x.QTS_GetUndefined();
    this.#x.QTS_RuntimeSetMemoryLimit(this.#runtime, Math.max(options.memoryBytes - RESERVED_BYTES, 1 << 20));
    this.allowCalls(true);
    const before = this.#runtimeWords().slice();
    this.#x.QTS_RuntimeEnableInterruptHandler(this.#runtime);
    this.#handlersAt = this.#runtimeWords().findIndex((word, index) => word !== before[index]);
    this.#x.QTS_RuntimeEnableModuleLoader(this.#runtime, 1);
  }

  get memory(): WebAssembly.Memory {
    return this.#instance.memory;
  }

  get state(): EngineState {
    return { runtime: this.#runtime, context: this.#context, functions: this.#functionNames };
  }

  /** False makes every call in the guest throw at once, so that pending jobs can be drained without running its code. */
  allowCalls(allowed: boolean): void {
    this.#x.QTS_RuntimeSetMaxStackSize(this.#runtime, allowed ? STACK_BYTES : NO_STACK);
  }

  /** Holds some memory back from the guest, as far as there is any, until {@link releaseReserve}. */
  holdReserve(): void {
    this.#reserve ||= this.#x.malloc(RESERVE_BYTES);
  }

  releaseReserve(): void {
    this.#x.free(this.#reserve);
    this.#reserve = 0;
  }

  /** Gives `Math.random` a state of its own. @param at Where it is kept. */
  seed(at: Pointer, random: RandomSource): void {
    const state = new Uint8Array(8);
    random(state);
    state[0]! |= 1; // xorshift stays at zero for ever
    this.#view().set(state, at);
  }

  /** Finds where the state of `Math.random` is kept, by what a call makes of it: xorshift64*. */
  findRandomState(): Pointer {
    this.free(this.#called(this.evaluate("Math.random()", "wasmbox:random")));
    const before = new BigUint64Array(this.#view().slice().buffer);
    this.free(this.#called(this.evaluate("Math.random()", "wasmbox:random")));
    const after = new BigUint64Array(this.#view().buffer);
    const found: Pointer[] = [];
    before.forEach((word, index) => {
      if (word !== after[index] && xorshift(word) === after[index]) found.push(index * 8);
    });
    const [at, ...more] = found;
    if (at === undefined || more.length > 0) throw new Error(`Math.random has ${found.length} states`);
    return at;
  }

  /** Makes zeros of what was stack, and of the free parts of memory that are as large as a page: no image needs them. */
  scrub(): void {
    const stack = this.#x.stackSave();
    this.#view().fill(0, Math.max(0, stack - DEAD_STACK_BYTES), stack);
    const end = this.#view().findLastIndex((byte) => byte !== 0);
    const blocks: Pointer[] = [];
    for (let bytes = 1 << 20; bytes >= SCRUBBED_BYTES; bytes /= 2) {
      for (;;) {
        const at = this.#allocate(bytes);
        blocks.push(at);
        if (at > end) break;
        this.#view().fill(0, at, at + bytes);
      }
    }
    this.#fillHoles(end);
    for (const at of blocks) this.#x.free(at);
  }

  /**
   * Takes what is free between the objects below an address, for ever: sessions then make theirs one beside the other, and
   * change fewer pages.
   */
  #fillHoles(end: Pointer): void {
    for (let bytes = SCRUBBED_BYTES; bytes > 0; bytes -= 8) {
      let at = this.#allocate(bytes);
      while (at < end) at = this.#allocate(bytes);
      this.#x.free(at);
    }
  }

  /**
   * Has the engine tell of promises that are rejected without a handler. For base images: the pointer is in the heap.
   *
   * @throws {Error} if it does not.
   */
  trackRejections(): void {
    const at = this.#handlersAt + TRACKER_DISTANCE;
    if (this.#runtimeWords()[at] === 0) this.#runtimeWords()[at] = this.#instance.tracker;
    this.free(this.#called(this.evaluate("Promise.reject(0)", "wasmbox:rejection")));
    if (this.#rejected.size !== 1) throw new Error("QuickJS does not tell of rejected promises");
    this.forgetRejected();
  }

  /** The first of what the engine's `JSRuntime` holds. */
  #runtimeWords(): Uint32Array {
    return new Uint32Array(this.memory.buffer, this.#runtime, RUNTIME_WORDS);
  }

  /**
   * Where a module throws, QuickJS rejects a promise of its own, which nobody can handle, and then the module's: of two
   * in a row with the same reason only the second is remembered.
   */
  #onRejection(promise: bigint, reason: bigint, handled: boolean): void {
    const last = this.#lastRejection;
    this.#lastRejection = handled ? undefined : { promise, reason };
    if (!handled && last?.reason === reason) this.#forgetRejection(last.promise);
    const known = this.#rejected.get(promise);
    if (handled) {
      this.#forgetRejection(promise);
    } else if (known === undefined && this.#rejected.size < MOST_REJECTED) {
      const at = this.#x.malloc(8) as Value;
      if (at === 0) return;
      new DataView(this.memory.buffer).setBigUint64(at, promise, true);
      this.#rejected.set(promise, this.#x.QTS_DupValuePointer(this.#context, at));
      this.#x.free(at);
    }
  }

  #forgetRejection(promise: bigint): void {
    const known = this.#rejected.get(promise);
    if (known === undefined) return;
    this.#rejected.delete(promise);
    this.free(known);
  }

  /** The promises that were rejected and have had no handler since, oldest first; owned by the caller. */
  takeRejected(): Value[] {
    const promises = [...this.#rejected.values()];
    this.#lastRejection = undefined;
    this.#rejected.clear();
    return promises;
  }

  forgetRejected(): void {
    for (const promise of this.takeRejected()) this.free(promise);
  }

  #called(result: Value | Thrown): Value {
    if (typeof result === "object") throw new Error(this.toString(result.thrown));
    return result;
  }

  /** A view of linear memory, valid until the guest or an allocation of ours makes it grow. */
  #view(): Uint8Array<ArrayBuffer> {
    if (this.#bytes.buffer !== this.memory.buffer) {
      this.#bytes = new Uint8Array(this.memory.buffer as ArrayBuffer);
    }
    return this.#bytes;
  }

  #allocate(bytes: number): Pointer {
    const at = this.#x.malloc(Math.max(1, bytes)) >>> 0;
    if (at === 0) throw new EngineOutOfMemory(`no room for ${bytes} bytes`);
    return at;
  }

  /** Copies `text` in as a C string; it ends at its first NUL. @returns memory the caller frees. */
  #allocateString(text: string): Pointer {
    return this.#allocateUtf8(this.#encoder.encode(text));
  }

  #allocateUtf8(bytes: Uint8Array): Pointer {
    const at = this.#allocate(bytes.byteLength + 1);
    const view = this.#view();
    view.set(bytes, at);
    view[at + bytes.byteLength] = 0;
    return at;
  }

  // Values in.

  /** `text` up to its first NUL. */
  string(text: string): Value {
    return this.stringFromUtf8(this.#encoder.encode(text));
  }

  /** The text in `utf8`, up to its first NUL. */
  stringFromUtf8(utf8: Uint8Array): Value {
    const at = this.#allocateUtf8(utf8);
    const value = this.#x.QTS_NewString(this.#context, at);
    this.#x.free(at);
    return value;
  }

  number(value: number): Value {
    return this.#x.QTS_NewFloat64(this.#context, value);
  }

  /** A new ArrayBuffer with a copy of `bytes`. */
  arrayBuffer(bytes: Uint8Array): Value {
    const at = this.#allocate(bytes.byteLength);
    this.#view().set(bytes, at);
    return this.#x.QTS_NewArrayBuffer(this.#context, at, bytes.byteLength);
  }

  /** A plain object whose properties are host functions. */
  functions(table: Readonly<Record<string, HostFunction>>): Value {
    const object = this.#x.QTS_NewObject(this.#context);
    for (const [name, id] of this.#bind(table)) {
      const key = this.#allocateString(name);
      const value = this.#x.QTS_NewFunction(this.#context, key, 0, 0, id);
      this.#x.free(key);
      this.setProperty(object, name, value);
      this.free(value);
    }
    return object;
  }

  /**
   * The host functions of a heap that the engine goes on with: it holds their numbers.
   *
   * @throws {ImageError} if they are not these.
   */
  functionsAgain(table: Readonly<Record<string, HostFunction>>, { functions }: EngineState): void {
    const bound = this.#bind(table);
    if (functions.length !== bound.length || bound.some(([name], index) => name !== functions[index])) {
      throw new ImageError("the heap was made with other host functions");
    }
  }

  /** Gives host functions the numbers that they are called by. */
  #bind(table: Readonly<Record<string, HostFunction>>): (readonly [name: string, id: number])[] {
    return Object.entries(table).map(([name, fn]) => {
      const id = this.#functions.size + 1;
      this.#functions.set(id, fn);
      this.#functionNames.push(name);
      return [name, id];
    });
  }

  setProperty(object: Value, name: string, value: Value): void {
    const key = this.string(name);
    this.#x.QTS_SetProp(this.#context, object, key, value);
    this.free(key);
  }

  // Values out.

  getProperty(object: Value, name: string): Value {
    const key = this.string(name);
    const value = this.#x.QTS_GetProp(this.#context, object, key);
    this.free(key);
    return value;
  }

  toNumber(value: Value): number {
    return this.#x.QTS_GetFloat64(this.#context, value);
  }

  /** UTF-8 of a string up to its first NUL. @returns a copy that the caller owns. */
  toUtf8(value: Value): Uint8Array {
    const at = this.#x.QTS_GetString(this.#context, value) >>> 0;
    if (at === 0) throw new EngineOutOfMemory("no room for a copy of a string");
    const view = this.#view();
    const bytes = view.slice(at, view.indexOf(0, at));
    this.#x.QTS_FreeCString(this.#context, at);
    return bytes;
  }

  toString(value: Value): string {
    return decoder.decode(this.toUtf8(value));
  }

  /** As {@link toString}, of what a guest may have made as long as its memory allows. @returns undefined if it is longer. */
  toBoundedString(value: Value, maxBytes: number): string | undefined {
    const bytes = this.toUtf8(value);
    return bytes.length <= maxBytes ? decoder.decode(bytes) : undefined;
  }

  /** A copy of an ArrayBuffer; of any other value, nothing. */
  toBytes(arrayBuffer: Value): Uint8Array<ArrayBuffer> {
    const length = this.#x.QTS_GetArrayBufferLength(this.#context, arrayBuffer);
    const copy = this.#x.QTS_GetArrayBuffer(this.#context, arrayBuffer) >>> 0;
    if (copy === 0) {
      if (length > 0) throw new EngineOutOfMemory("no room for a copy of a buffer");
      return new Uint8Array(0);
    }
    const bytes = this.#view().slice(copy, copy + length);
    this.#x.free(copy);
    return bytes;
  }

  /** "undefined", "object", … as `typeof` says. */
  typeOf(value: Value): string {
    const at = this.#x.QTS_Typeof(this.#context, value);
    const text = readCString(this.memory, at);
    this.#x.free(at);
    return text;
  }

  /** Another one that is owned. */
  duplicate(value: Value): Value {
    return this.#x.QTS_DupValuePointer(this.#context, value);
  }

  free(value: Value): void {
    this.#x.QTS_FreeValuePointer(this.#context, value);
  }

  // Running.

  /** Evaluates a script in the global scope. @param flags of {@link EvalFlag}. */
  evaluate(code: string, filename: string, flags: number = EvalFlag.global): Value | Thrown {
    const bytes = this.#encoder.encode(code);
    const source = this.#allocateUtf8(bytes);
    const name = this.#allocateString(filename);
    const result = this.#x.QTS_Eval(this.#context, source, bytes.byteLength, name, 0, flags);
    this.#x.free(name);
    this.#x.free(source);
    return this.#resolve(result);
  }

  call(fn: Value, ...args: readonly Value[]): Value | Thrown {
    const vector = this.#allocate(4 * args.length);
    const view = new DataView(this.memory.buffer);
    args.forEach((value, i) => view.setInt32(vector + 4 * i, value, true));
    const result = this.#x.QTS_Call(this.#context, fn, this.#undefined, args.length, vector);
    this.#x.free(vector);
    return this.#resolve(result);
  }

  #resolve(result: Value): Value | Thrown {
    const thrown = this.#x.QTS_ResolveException(this.#context, result);
    if (!thrown) return result;
    this.free(result);
    return { thrown };
  }

  hasJobs(): boolean {
    return this.#x.QTS_IsJobPending(this.#runtime) !== 0;
  }

  /** Runs at most `most` pending jobs. @returns how many ran, or what one of them threw. */
  runJobs(most: number): number | Thrown {
    const out = this.#allocate(4);
    const result = this.#x.QTS_ExecutePendingJob(this.#runtime, most, out);
    this.#x.free(out);
    const thrown = this.#x.QTS_ResolveException(this.#context, result);
    const count = thrown ? 0 : this.toNumber(result);
    this.#x.QTS_FreeValuePointerRuntime(this.#runtime, result);
    return thrown ? { thrown } : count;
  }

  /** The state of a promise; "none" for any other value. Fulfilled and rejected come with an owned value. */
  promise(
    value: Value,
  ): { state: "none" | "pending" } | { state: "fulfilled" | "rejected"; readonly value: Value } {
    const state = this.#x.QTS_PromiseState(this.#context, value);
    if (state === PromiseState.pending) return { state: "pending" };
    if (state !== PromiseState.fulfilled && state !== PromiseState.rejected) return { state: "none" };
    return {
      state: state === PromiseState.fulfilled ? "fulfilled" : "rejected",
      value: this.#x.QTS_PromiseResult(this.#context, value),
    };
  }

  // Called by the guest.

  #callHost(count: number, argv: Pointer, id: number): Value | 0 {
    const args: Value[] = [];
    for (let i = 0; i < count; i++) args.push(this.#x.QTS_ArgvGetJSValueConstPointer(argv, i));
    try {
      return this.#functions.get(id)?.(args) ?? 0;
    } catch (error) {
      if (error instanceof EngineOutOfMemory) return this.#raiseOutOfMemory();
      if (!(error instanceof GuestError)) throw error;
      return this.#raise(error);
    }
  }

  /** An allocated C string that QuickJS will free, or 0 after raising what `make` threw. */
  #textForGuest(make: () => string): Pointer {
    try {
      return this.#allocateString(make());
    } catch (error) {
      if (error instanceof EngineOutOfMemory) {
        this.free(this.#raiseOutOfMemory());
        return 0;
      }
      if (!(error instanceof GuestError)) throw error;
      this.free(this.#raise(error));
      return 0;
    }
  }

  /** Raises what QuickJS itself raises where there is no room. */
  #raiseOutOfMemory(): Value {
    const made = this.evaluate('new InternalError("out of memory")', "wasmbox:memory");
    const error = typeof made === "object" ? made.thrown : made;
    const thrown = this.#x.QTS_Throw(this.#context, error);
    this.free(error);
    return thrown;
  }

  #raise(error: GuestError): Value {
    const value = this.#x.QTS_NewError(this.#context);
    for (const [name, text] of Object.entries({ message: error.message, ...error.fields })) {
      const property = this.string(text);
      this.setProperty(value, name, property);
      this.free(property);
    }
    const thrown = this.#x.QTS_Throw(this.#context, value);
    this.free(value);
    return thrown;
  }
}

const decoder = new TextDecoder();

/**
 * A time out of the first 8,000 years, for a context while it is made: QuickJS seeds Math.random with the microseconds
 * since 1970, which are no secret and the same in no two runs.
 */
function randomTime(random: RandomSource): bigint {
  const bytes = new Uint8Array(6);
  random(bytes);
  const microseconds = bytes.reduce((number, byte) => number * 256n + BigInt(byte), 0n);
  return microseconds * 1000n;
}

function xorshift(word: bigint): bigint {
  word ^= word >> 12n;
  word ^= BigInt.asUintN(64, word << 25n);
  return word ^ word >> 27n;
}
