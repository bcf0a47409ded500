/**
 * The binary interface of the QuickJS module, which `wasm/quickjs/engine.c` implements.
 *
 * We bind the engine ourselves because the loaders of packages need a dynamic import, `console` and `URL`, none of which
 * is left in a locked-down Worker, and because their libraries catch and print what host functions throw: an abort must
 * pass through.
 */

/** Address of a boxed JSValue, owned by the holder unless said otherwise. */
export type Value = number & { readonly __value: never };
/** Address in linear memory. */
export type Pointer = number;

/** What the module exports. Values passed in are borrowed, values returned are owned by the caller. */
export interface Exports {
  /** Before anything else is called. */
  _initialize(): void;
  malloc(bytes: number): Pointer;
  free(at: Pointer): void;
  stackPointer(): Pointer;
  /** 0 if there is no room. Asks for modules and interrupts, and tells of rejections, by what is imported. */
  newRuntime(): Pointer;
  setMemoryLimit(runtime: Pointer, bytes: number): void;
  setMaxStackSize(runtime: Pointer, bytes: number): void;
  /** Has every call throw at once, until {@link setMaxStackSize}. */
  forbidCalls(runtime: Pointer): void;
  /** 0 if there is no room. */
  newContext(runtime: Pointer): Pointer;
  freeContext(context: Pointer): void;
  globalObject(context: Pointer): Value;
  /** Where the state of `Math.random` is: 8 bytes, which must not all be zeros. */
  randomState(context: Pointer): Pointer;
  freeValue(context: Pointer, value: Value): void;
  duplicate(context: Pointer, value: Value): Value;
  newUndefined(): Value;
  newNumber(context: Pointer, value: number): Value;
  newString(context: Pointer, utf8: Pointer): Value;
  newObject(context: Pointer): Value;
  newError(context: Pointer): Value;
  /** With a copy of the bytes. */
  newArrayBuffer(context: Pointer, at: Pointer, bytes: number): Value;
  /** A function that calls {@link Imports.callFunction} with a number. */
  newFunction(context: Pointer, name: Pointer, id: number): Value;
  /** NaN for what can't be made a number. */
  toNumber(context: Pointer, value: Value): number;
  /** A NUL-terminated copy in UTF-8, to be given to freeCString; 0 if there is no room, or the conversion threw. */
  toCString(context: Pointer, value: Value): Pointer;
  freeCString(context: Pointer, at: Pointer): void;
  /** As `typeof` says: as what {@link toCString} gives. */
  typeOf(context: Pointer, value: Value): Pointer;
  /** Where its bytes are until anything else is called; 0 for what is no ArrayBuffer, shared or not. */
  arrayBufferBytes(context: Pointer, value: Value): Pointer;
  arrayBufferLength(context: Pointer, value: Value): number;
  getProperty(context: Pointer, object: Value, key: Value): Value;
  setProperty(context: Pointer, object: Value, key: Value, value: Value): void;
  /** Non-zero of an iterator of a Map or a Set that gives pairs. */
  givesEntries(value: Value): number;
  /** A {@link PromiseState}. */
  promiseState(context: Pointer, value: Value): number;
  promiseResult(context: Pointer, value: Value): Value;
  /** Raises a value. @returns what marks that for whom it is given to. */
  throwValue(context: Pointer, error: Value): Value;
  /** The pending exception if `result` marks one, else 0. */
  takeException(context: Pointer, result: Value): Value | 0;
  /** @param flags of {@link EvalFlag}. @returns the value; of a module what {@link importNow} does. */
  evaluate(context: Pointer, code: Pointer, bytes: number, filename: Pointer, flags: number): Value;
  /** Loads a module and runs it, if that is not done. @returns its namespace, or a promise if it has to wait. */
  importNow(context: Pointer, name: Pointer): Value;
  /** Non-zero if there is such a module and its code has failed. */
  moduleHasFailed(context: Pointer, name: Pointer): number;
  call(context: Pointer, fn: Value, count: number, args: Pointer): Value;
  hasJobs(runtime: Pointer): number;
  /** Runs one. @returns what it raised, or 0. */
  runJob(context: Pointer): Value | 0;
  /** The context in which asynchronous work goes on that is begun now. */
  asyncContext(context: Pointer): Value;
  /** A function of the guest's that tells it, and one that changes it. */
  asyncContextGetter(context: Pointer): Value;
  asyncContextSetter(context: Pointer): Value;
  /** Where the zone of local time is named, with a NUL, in {@link TIME_ZONE_BYTES}; no name is UTC. */
  timeZone(): Pointer;
  /** What runs next is in no such context. */
  leaveAsyncContext(context: Pointer): void;
}

/** What the module imports from {@link IMPORT_MODULE}. Whatever these throw passes through: the instance must be discarded. */
export interface Imports {
  /** @param args An array of JSValues, borrowed. @returns an owned value, or 0 for undefined. */
  callFunction(context: Pointer, count: number, args: Pointer, id: number): Value | 0;
  /** @returns non-zero to raise QuickJS's uncatchable "interrupted" error. */
  shouldInterrupt(): number;
  /** @returns the absolute name as an allocated C string, or 0 after throwing into the guest. */
  normalizeModule(context: Pointer, base: Pointer, name: Pointer): Pointer;
  /** @returns the module's source as an allocated C string, or 0 after throwing into the guest. */
  loadModuleSource(context: Pointer, name: Pointer): Pointer;
  /** Minutes from local time to UTC. @param zone A C string. @param time ms since 1970. */
  timezoneOffset(zone: Pointer, time: number): number;
  /** A promise was rejected without a handler; or, if `isHandled` is 1, one has got a handler since. Both are JSValues. */
  rejected(context: Pointer, promise: bigint, reason: bigint, isHandled: number): void;
}

/** Of the zone's name and its NUL. */
export const TIME_ZONE_BYTES = 64;

export const IMPORT_MODULE = "host";

/** Of a JSValue, of which arguments are an array. */
export const VALUE_BYTES = 8;

/** Flags of {@link Exports.evaluate} (`JS_EVAL_*` in quickjs.h). */
export const EvalFlag = { global: 0, module: 1, strict: 1 << 3, compileOnly: 1 << 5, async: 1 << 7 } as const;

/** `JSPromiseStateEnum` in quickjs.h; anything that is no promise is negative. */
export const PromiseState = { pending: 0, fulfilled: 1, rejected: 2 } as const;
