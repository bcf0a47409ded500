/**
 * The binary interface of the QuickJS module: the short names that Emscripten gave its imports and exports.
 *
 * They belong to version 0.32.0 of `@jitl/quickjs-ng-wasmfile-release-sync`; a test compares both tables with the
 * loader in that package. We bind the module ourselves because the package's loader needs a dynamic import, `console`
 * and `URL`, none of which is left in a locked-down Worker, and because the high-level library catches and prints what
 * host functions throw: an abort must pass through it.
 */

/** Address of a boxed JSValue, owned by the holder unless said otherwise. */
export type Value = number & { readonly __value: never };
/** Address in linear memory. */
export type Pointer = number;

/** Our name → the module's export. Signatures: {@link Exports}. */
export const EXPORTS = {
  initialize: "v",
  malloc: "w",
  free: "N",
  QTS_Throw: "x",
  QTS_NewError: "y",
  QTS_RuntimeSetMemoryLimit: "z",
  QTS_RuntimeSetMaxStackSize: "E",
  QTS_GetUndefined: "F",
  QTS_NewRuntime: "L",
  QTS_NewContext: "O",
  QTS_FreeContext: "P",
  QTS_FreeValuePointer: "Q",
  QTS_FreeValuePointerRuntime: "R",
  QTS_FreeCString: "T",
  QTS_DupValuePointer: "U",
  QTS_NewObject: "V",
  QTS_NewArrayBuffer: "Y",
  QTS_NewFloat64: "Z",
  QTS_GetFloat64: "_",
  QTS_NewString: "$",
  QTS_GetString: "aa",
  QTS_GetArrayBuffer: "ba",
  QTS_GetArrayBufferLength: "ca",
  QTS_IsJobPending: "ga",
  QTS_ExecutePendingJob: "ha",
  QTS_GetProp: "ia",
  QTS_SetProp: "ka",
  QTS_Call: "na",
  QTS_ResolveException: "oa",
  QTS_Eval: "qa",
  QTS_Typeof: "sa",
  QTS_PromiseState: "xa",
  QTS_PromiseResult: "ya",
  QTS_GetGlobalObject: "va",
  QTS_NewFunction: "Ea",
  QTS_ArgvGetJSValueConstPointer: "Fa",
  QTS_RuntimeEnableInterruptHandler: "Ga",
  QTS_RuntimeEnableModuleLoader: "Ia",
  stackSave: "Pa",
} as const;

/** The module's import → our name. All are in the import module {@link IMPORT_MODULE}. */
export const IMPORTS = {
  memory: "a",
  assert_fail: "b",
  fd_write: "c",
  fd_close: "d",
  environ_get: "e",
  environ_sizes_get: "f",
  normalizeModule: "g",
  loadModuleSource: "h",
  shouldInterrupt: "i",
  setitimer: "j",
  resize_heap: "k",
  runtime_keepalive_clear: "l",
  localtime: "m",
  tzset: "n",
  fd_seek: "o",
  date_now: "p",
  clock_time_get: "q",
  abort: "r",
  proc_exit: "s",
  callFunction: "t",
  freeHostRef: "u",
} as const;

export const IMPORT_MODULE = "a";

/** What the module exports, under our names. Values passed in are borrowed, values returned are owned by the caller. */
export interface Exports {
  initialize(): void;
  /** The stack pointer. */
  stackSave(): Pointer;
  malloc(bytes: number): Pointer;
  free(at: Pointer): void;
  QTS_Throw(context: Pointer, error: Value): Value;
  QTS_NewError(context: Pointer): Value;
  QTS_RuntimeSetMemoryLimit(runtime: Pointer, bytes: number): void;
  QTS_RuntimeSetMaxStackSize(runtime: Pointer, bytes: number): void;
  /** A static box: never freed. */
  QTS_GetUndefined(): Value;
  QTS_NewRuntime(): Pointer;
  QTS_NewContext(runtime: Pointer, intrinsics: number): Pointer;
  QTS_FreeContext(context: Pointer): void;
  QTS_GetGlobalObject(context: Pointer): Value;
  QTS_FreeValuePointer(context: Pointer, value: Value): void;
  QTS_FreeValuePointerRuntime(runtime: Pointer, value: Value): void;
  QTS_FreeCString(context: Pointer, at: Pointer): void;
  QTS_DupValuePointer(context: Pointer, value: Value): Value;
  QTS_NewObject(context: Pointer): Value;
  /** Takes ownership of `at`, which came from malloc. */
  QTS_NewArrayBuffer(context: Pointer, at: Pointer, bytes: number): Value;
  QTS_NewFloat64(context: Pointer, value: number): Value;
  QTS_GetFloat64(context: Pointer, value: Value): number;
  QTS_NewString(context: Pointer, utf8: Pointer): Value;
  /** A NUL-terminated copy in UTF-8, to be given to QTS_FreeCString; 0 if the conversion threw. */
  QTS_GetString(context: Pointer, value: Value): Pointer;
  /** An allocated copy of the whole, to be freed; 0 if it is no ArrayBuffer or there is no room. */
  QTS_GetArrayBuffer(context: Pointer, value: Value): Pointer;
  QTS_GetArrayBufferLength(context: Pointer, value: Value): number;
  QTS_IsJobPending(runtime: Pointer): number;
  QTS_ExecutePendingJob(runtime: Pointer, most: number, contextOut: Pointer): Value;
  QTS_GetProp(context: Pointer, value: Value, key: Value): Value;
  QTS_SetProp(context: Pointer, value: Value, key: Value, to: Value): void;
  QTS_Call(context: Pointer, fn: Value, self: Value, count: number, args: Pointer): Value;
  /** The pending exception if `result` marks one, else 0. */
  QTS_ResolveException(context: Pointer, result: Value): Value;
  QTS_Eval(
    context: Pointer,
    code: Pointer,
    bytes: number,
    filename: Pointer,
    detectModule: number,
    flags: number,
  ): Value;
  QTS_Typeof(context: Pointer, value: Value): Pointer;
  QTS_PromiseState(context: Pointer, value: Value): number;
  QTS_PromiseResult(context: Pointer, value: Value): Value;
  QTS_NewFunction(
    context: Pointer,
    name: Pointer,
    length: number,
    constructs: number,
    hostRef: number,
  ): Value;
  QTS_ArgvGetJSValueConstPointer(argv: Pointer, index: number): Value;
  QTS_RuntimeEnableInterruptHandler(runtime: Pointer): void;
  QTS_RuntimeEnableModuleLoader(runtime: Pointer, normalizes: number): void;
}

/** Flags of QTS_Eval (`JS_EVAL_*` in quickjs.h). */
export const EvalFlag = { global: 0, module: 1, strict: 1 << 3, compileOnly: 1 << 5, async: 1 << 7 } as const;

/** `JSPromiseStateEnum` in quickjs.h; anything that is no promise is negative. */
export const PromiseState = { pending: 0, fulfilled: 1, rejected: 2 } as const;
