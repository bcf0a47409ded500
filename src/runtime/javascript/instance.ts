/** Instantiates the QuickJS module: its memory and the small part of WASI that it calls. */

import { type Exports, IMPORT_MODULE, type Imports, type Pointer } from "./abi.ts";

const PAGE = 65536;
/** What the module declares as its initial memory. */
const INITIAL_PAGES = 256;
/** What it declares as its largest memory: 2 GiB. */
const MOST_PAGES = 32_768;
export const MIN_MEMORY_BYTES = INITIAL_PAGES * PAGE;
/** WASI's numbers of errors. */
const Errno = { success: 0, inval: 28, nosys: 52, spipe: 70 } as const;

/** QuickJS aborted or exited: the instance is unusable. */
export class EngineFault extends Error {
  override name = "EngineFault";
}

/** What QuickJS calls back. Whatever these throw passes through the wasm: the instance must then be discarded. */
export interface Callbacks extends Imports {
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
}

/** To how many bytes linear memory can grow under a cap of so many. */
export function largestMemory(memoryBytes: number): number {
  return PAGE * Math.min(Math.max(INITIAL_PAGES, Math.floor(memoryBytes / PAGE)), MOST_PAGES);
}

/**
 * The instance's `_initialize` must be called before anything else.
 *
 * @param memoryBytes Cap of the linear memory; at least 16 MiB is given.
 * @param outOfFuel Bound to `sandbox.out_of_fuel` of a metered module, which calls it also when memory has grown.
 */
export function instantiate(
  module: WebAssembly.Module,
  memoryBytes: number,
  { realtime, monotonic, ...host }: Callbacks,
  outOfFuel: () => void,
): Instance {
  const maximum = largestMemory(memoryBytes) / PAGE;
  const memory = new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum });
  const view = () => new DataView(memory.buffer);
  const instance = new WebAssembly.Instance(module, {
    env: { memory },
    [IMPORT_MODULE]: { ...host },
    wasi_snapshot_preview1: {
      clock_time_get: (clock: number, _precision: bigint, out: Pointer) => {
        if (clock !== 0 && clock !== 1) return Errno.inval;
        view().setBigInt64(out, clock === 0 ? realtime() : monotonic(), true);
        return Errno.success;
      },
      // Only QuickJS's own debug dumps write here: swallowed, but reported as written.
      fd_write: (_fd: number, vectors: Pointer, count: number, written: Pointer) => {
        const data = view();
        let bytes = 0;
        for (let i = 0; i < count; i++) bytes += data.getUint32(vectors + 8 * i + 4, true);
        data.setUint32(written, bytes, true);
        return Errno.success;
      },
      fd_close: () => Errno.nosys,
      fd_fdstat_get: () => Errno.nosys,
      fd_seek: () => Errno.spipe,
      proc_exit: (code: number) => {
        throw new EngineFault(`exited with ${code}`);
      },
    },
    sandbox: { out_of_fuel: outOfFuel },
  });
  const fuel = instance.exports["sandbox_fuel"];
  return {
    exports: instance.exports as unknown as Exports,
    memory,
    fuel: fuel instanceof WebAssembly.Global ? fuel : undefined,
  };
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
    timezoneOffset: never,
    realtime: never,
    monotonic: never,
  };
  return instantiate(module, MIN_MEMORY_BYTES, callbacks, never).memory;
}

const decoder = new TextDecoder();

/** Reads the NUL-terminated UTF-8 at `at`, in at most so many bytes. Lone surrogates come out as replacement characters. */
export function readCString(memory: WebAssembly.Memory, at: Pointer, most = Infinity): string {
  if (at === 0) return "";
  const bytes = new Uint8Array(memory.buffer);
  return decoder.decode(bytes.subarray(at, Math.min(bytes.indexOf(0, at), at + most)));
}
