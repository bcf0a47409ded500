/** Instantiates the QuickJS module: its memory and the small part of Emscripten's system interface that it calls. */

import { EXPORTS, type Exports, IMPORT_MODULE, IMPORTS, type Pointer, type Value } from "./abi.ts";
import { putPromiseHook, putTracker } from "./promise_hooks.ts";

const PAGE = 65536;
/** What the module declares as its initial memory. */
const INITIAL_PAGES = 256;
/** What it declares as its largest memory: 2 GiB. */
const MOST_PAGES = 32_768;
export const MIN_MEMORY_BYTES = INITIAL_PAGES * PAGE;
const ENOSYS = 52;
const ESPIPE = 70;
const ERRNO_INVAL = 28;

/** QuickJS failed an assertion, aborted or exited: the instance is unusable. */
export class EngineFault extends Error {
  override name = "EngineFault";
}

/** What QuickJS calls back. Whatever these throw passes through the wasm: the instance must then be discarded. */
export interface Callbacks {
  /** @returns an owned value, or 0 for undefined. */
  callFunction(context: Pointer, self: Value, count: number, argv: Pointer, hostRef: number): Value | 0;
  /** @returns true to raise QuickJS's uncatchable "interrupted" error. */
  shouldInterrupt(): boolean;
  /** @returns the module's source as an allocated C string, or 0 after throwing into the guest. */
  loadModuleSource(name: Pointer): Pointer;
  /** @returns the absolute name as an allocated C string, or 0 after throwing into the guest. */
  normalizeModule(base: Pointer, name: Pointer): Pointer;
  /** A promise was rejected without a handler; or, if `handled` is 1, one has got a handler since. Both are JSValues. */
  rejected(promise: bigint, reason: bigint, handled: number): void;
  /** A promise was made or fulfilled, if this is asked for. A `JSPromiseHookType` and JSValues. */
  promise(type: number, promise: bigint, parent: bigint): void;
  /** Nanoseconds since 1970. */
  realtime(): bigint;
  /** Nanoseconds since some fixed moment. */
  monotonic(): bigint;
}

export interface Instance {
  readonly exports: Exports;
  readonly memory: WebAssembly.Memory;
  /** The fuel counter of a metered module; absent in an unmetered one. */
  readonly fuel: WebAssembly.Global | undefined;
  /** The pointer to what tells of rejected promises; 0 in a module whose table is not open (`wasm/quickjs`). */
  readonly tracker: number;
  /** As that, to what tells of promises. */
  readonly promiseHook: number;
}

/** To how many bytes linear memory can grow under a cap of so many. */
export function largestMemory(memoryBytes: number): number {
  return PAGE * Math.min(Math.max(INITIAL_PAGES, Math.floor(memoryBytes / PAGE)), MOST_PAGES);
}

/**
 * The instance's `initialize` must be called before anything else.
 *
 * @param memoryBytes Cap of the linear memory; at least 16 MiB is given.
 * @param outOfFuel Bound to `sandbox.out_of_fuel` of a metered module; also called when memory has grown.
 */
export function instantiate(
  module: WebAssembly.Module,
  memoryBytes: number,
  callbacks: Callbacks,
  outOfFuel: () => void,
): Instance {
  const maximum = largestMemory(memoryBytes) / PAGE;
  const memory = new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum });
  const view = () => new DataView(memory.buffer);

  const system: Record<keyof typeof IMPORTS, unknown> = {
    memory,
    assert_fail: (condition: Pointer) => {
      throw new EngineFault(`assertion failed: ${readCString(memory, condition)}`);
    },
    abort: () => {
      throw new EngineFault("aborted");
    },
    proc_exit: (code: number) => {
      throw new EngineFault(`exited with ${code}`);
    },
    runtime_keepalive_clear: () => {},
    setitimer: () => 0,
    fd_close: () => ENOSYS,
    fd_seek: () => ESPIPE,
    // Only QuickJS's own debug dumps write here: swallowed, but reported as written.
    fd_write: (_fd: number, vectors: Pointer, count: number, written: Pointer) => {
      const data = view();
      let bytes = 0;
      for (let i = 0; i < count; i++) bytes += data.getUint32(vectors + 8 * i + 4, true);
      data.setUint32(written, bytes, true);
      return 0;
    },
    environ_get: () => 0,
    environ_sizes_get: (count: Pointer, bytes: Pointer) => {
      view().setUint32(count, 0, true);
      view().setUint32(bytes, 0, true);
      return 0;
    },
    date_now: () => Number(callbacks.realtime() / 1000n) / 1000,
    clock_time_get: (clock: number, _precision: bigint, out: Pointer) => {
      if (clock !== 0 && clock !== 1) return ERRNO_INVAL;
      view().setBigInt64(out, clock === 0 ? callbacks.realtime() : callbacks.monotonic(), true);
      return 0;
    },
    // Guests live in UTC: the host's time zone is not their business.
    tzset: (timezone: Pointer, daylight: Pointer, standardName: Pointer, daylightName: Pointer) => {
      const data = view();
      data.setInt32(timezone, 0, true);
      data.setInt32(daylight, 0, true);
      for (const name of [standardName, daylightName]) {
        new Uint8Array(memory.buffer).set([0x55, 0x54, 0x43, 0], name);
      }
    },
    localtime: (time: bigint, out: Pointer) => writeBrokenDownTime(view(), Number(time) * 1000, out),
    resize_heap: (wanted: number) => {
      const size = memory.buffer.byteLength;
      const bytes = wanted >>> 0;
      // Growing by a fifth at a time keeps the number of grows logarithmic; the exact size is the last resort.
      for (const target of [Math.max(bytes, size * 1.2), bytes]) {
        const pages = Math.ceil((Math.min(target, maximum * PAGE) - size) / PAGE);
        if (target > maximum * PAGE && bytes > maximum * PAGE) return 0;
        try {
          memory.grow(Math.max(0, pages));
        } catch {
          continue; // no room for this much
        }
        outOfFuel();
        return 1;
      }
      return 0;
    },
    callFunction: callbacks.callFunction,
    shouldInterrupt: () => callbacks.shouldInterrupt() ? 1 : 0,
    loadModuleSource: (_runtime: Pointer, _context: Pointer, name: Pointer) =>
      callbacks.loadModuleSource(name),
    normalizeModule: (_runtime: Pointer, _context: Pointer, base: Pointer, name: Pointer) =>
      callbacks.normalizeModule(base, name),
    freeHostRef: () => {},
  };

  const imports: Record<string, unknown> = {};
  for (const [name, short] of Object.entries(IMPORTS)) imports[short] = system[name as keyof typeof IMPORTS];
  const instance = new WebAssembly.Instance(module, {
    [IMPORT_MODULE]: imports as WebAssembly.ModuleImports,
    sandbox: { out_of_fuel: outOfFuel },
  });

  const raw = instance.exports;
  const exports: Record<string, unknown> = {};
  for (const [name, short] of Object.entries(EXPORTS)) exports[name] = raw[short];
  const typed = exports as unknown as Exports;
  const fuel = raw["sandbox_fuel"];
  const table = raw["table"];
  const isOpen = table instanceof WebAssembly.Table;
  const tracker = isOpen
    ? putTracker(table, (_context, promise, reason, handled) => callbacks.rejected(promise, reason, handled))
    : 0;
  const promiseHook = isOpen
    ? putPromiseHook(table, (_context, type, promise, parent) => callbacks.promise(type, promise, parent))
    : 0;
  const meter = fuel instanceof WebAssembly.Global ? fuel : undefined;
  return { exports: typed, memory, fuel: meter, tracker, promiseHook };
}

/** The memory of an instance in which nothing has run: what the module's data segments set. */
export function untouched(module: WebAssembly.Module): WebAssembly.Memory {
  const never = () => {
    throw new EngineFault("nothing runs here");
  };
  const callbacks: Callbacks = {
    callFunction: never,
    shouldInterrupt: never,
    loadModuleSource: never,
    normalizeModule: never,
    rejected: never,
    promise: never,
    realtime: never,
    monotonic: never,
  };
  return instantiate(module, MIN_MEMORY_BYTES, callbacks, never).memory;
}

const decoder = new TextDecoder();

/** Reads the NUL-terminated UTF-8 at `at`. Lone surrogates come out as replacement characters. */
export function readCString(memory: WebAssembly.Memory, at: Pointer): string {
  if (at === 0) return "";
  const bytes = new Uint8Array(memory.buffer);
  return decoder.decode(bytes.subarray(at, bytes.indexOf(0, at)));
}

/** Fills a `struct tm` (eleven 32-bit fields, musl's layout) in UTC. */
function writeBrokenDownTime(data: DataView, ms: number, out: Pointer): void {
  const date = new Date(ms);
  const year = date.getUTCFullYear();
  const dayOfYear = Math.floor((ms - Date.UTC(year, 0, 1)) / 86_400_000);
  const fields = [
    date.getUTCSeconds(),
    date.getUTCMinutes(),
    date.getUTCHours(),
    date.getUTCDate(),
    date.getUTCMonth(),
    year - 1900,
    date.getUTCDay(),
    dayOfYear,
    0,
    0,
  ];
  fields.forEach((field, i) => data.setInt32(out + 4 * i, field, true));
}
