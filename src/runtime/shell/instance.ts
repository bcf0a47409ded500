/** One instance of the shell's module (`wasm/shell`): its imports, its memory, its scripts. */

import { FuelMeter } from "../../control/meter.ts";
import { captureHeap, type HeapImage, restoreHeap } from "../../image/heap_image.ts";
import type { LiveHeap } from "../../image/heap_part.ts";
import { ImageError } from "../../executor/wire/image_error.ts";
import { Wasi } from "../../wasi/wasi.ts";
import type { RuntimeHost } from "../runtime.ts";
import type { Spawned, SpawnRequest } from "./programs/mod.ts";
import { parseSpawn } from "./spawn.ts";
import { parseState, type ShellState } from "./state.ts";

const WASM_PAGE = 65_536;
const encoder = new TextEncoder();

/** What the guest exports, and what linker and metering add. */
interface Exports {
  readonly memory: WebAssembly.Memory;
  readonly __stack_pointer: WebAssembly.Global;
  /** Only in a metered module. */
  readonly sandbox_fuel?: WebAssembly.Global;
  readonly sandbox_max_pages?: WebAssembly.Global;
  __wasm_call_ctors(): void;
  sh_alloc(bytes: number): number;
  sh_boot(): void;
  sh_begin(environment: number, length: number): void;
  sh_exec(script: number, length: number): number;
  sh_cancel_flag(): number;
}

/** How a script ended. */
export type ScriptEnding =
  | { readonly kind: "exited"; readonly exitCode: number }
  /** It was asked to end. */
  | { readonly kind: "cancelled" }
  /** The shell could not run it, and has said why. */
  | { readonly kind: "refused" };

const CANCELLED = -1;

/** Runs a program for the shell, which waits for it. */
export type Spawn = (request: SpawnRequest) => Spawned;

export class ShellInstance implements LiveHeap<ShellState> {
  readonly meter: FuelMeter;
  readonly #exports: Exports;
  readonly #wasi: Wasi;
  readonly #host: RuntimeHost;
  /** Address of the byte that tells a script to end. */
  #cancelFlag = 0;
  #spawned: Readonly<Record<"stdout" | "stderr", Uint8Array>> = NOTHING;

  /** Makes an instance that must be {@link boot}ed or {@link restore}d before its first script. */
  constructor(module: WebAssembly.Module, host: RuntimeHost, spawn: Spawn) {
    this.#host = host;
    this.meter = new FuelMeter(host.cell);
    this.#wasi = new Wasi({
      args: ["bash"],
      env: {},
      fs: host.fs,
      read: (buffer) => host.read?.(buffer) ?? 0,
      write: (stream, bytes) => host.write(stream, bytes),
      wait: (ms) => host.clock.wait(ms),
      realtime: () => host.clock.realtime(),
      monotonic: () => host.clock.monotonic(),
      random: (bytes) => host.random(bytes),
      interrupted: () => host.cell.requested() === "interrupt",
      onInterrupt: () => this.#cancel(),
    });
    const instance = new WebAssembly.Instance(module, {
      wasi_snapshot_preview1: this.#wasi.imports,
      posix: this.#wasi.posix,
      sandbox: {
        out_of_fuel: () => {
          this.meter.refill();
          this.#cancelIfDue();
        },
        spawn: (request: number, length: number, input: number, inputLength: number, lengths: number) => {
          const asked = parseSpawn(this.#bytes(request, length));
          const { exitCode, stdout, stderr } = asked
            ? spawn({ ...asked, stdin: this.#bytes(input, inputLength).slice() })
            : TOO_LONG;
          this.#spawned = { stdout, stderr };
          const view = new DataView(this.memory.buffer);
          view.setUint32(lengths >>> 0, stdout.length, true);
          view.setUint32((lengths >>> 0) + 4, stderr.length, true);
          this.#cancelIfDue();
          return exitCode;
        },
        spawned: (stream: number, target: number) => {
          const bytes = this.#spawned[stream === 1 ? "stdout" : "stderr"];
          this.#bytes(target, bytes.length).set(bytes);
          this.#spawned = { ...this.#spawned, [stream === 1 ? "stdout" : "stderr"]: NOTHING.stdout };
        },
      },
    });
    this.#exports = instance.exports as unknown as Exports;
    const { memory, sandbox_fuel, sandbox_max_pages } = this.#exports;
    this.#wasi.bind(memory);
    if (sandbox_fuel) this.meter.attach(sandbox_fuel);
    if (sandbox_max_pages) sandbox_max_pages.value = Math.floor(host.memoryBytes / WASM_PAGE);
  }

  /** Starts the shell from nothing. */
  boot(): void {
    this.#exports.__wasm_call_ctors();
    this.#exports.sh_boot();
    this.#cancelFlag = this.#exports.sh_cancel_flag();
  }

  /** Goes on from an image of the same module. @throws {ImageError} */
  restore(image: HeapImage): void {
    restoreHeap(image, this.memory);
    this.#exports.__stack_pointer.value = image.stackPointer;
    this.#cancelFlag = this.#exports.sh_cancel_flag();
  }

  /** Gives a shell that was just restored from the base image its environment. */
  begin(env: Readonly<Record<string, string>>): void {
    const [pointer, length] = this.#put(
      Object.entries(env).map(([name, value]) => `${name}=${value}\0`).join(""),
    );
    this.#exports.sh_begin(pointer, length);
  }

  /** The file system must be as it was. */
  goOn(state: unknown): void {
    const { stackPointer, descriptors } = parseState(state);
    if (stackPointer > this.memoryBytes) throw new ImageError("the stack pointer is outside of memory");
    this.#exports.__stack_pointer.value = stackPointer;
    this.#cancelFlag = this.#exports.sh_cancel_flag();
    this.#wasi.restoreDescriptors(descriptors);
  }

  get memory(): WebAssembly.Memory {
    return this.#exports.memory;
  }

  /** The stack comes first in memory and grows down: between scripts nothing below its pointer is of use. */
  get deadBelow(): number {
    return this.#exports.__stack_pointer.value;
  }

  get state(): ShellState {
    return {
      stackPointer: this.#exports.__stack_pointer.value,
      descriptors: this.#wasi.descriptors(),
    };
  }

  get memoryBytes(): number {
    return this.memory.buffer.byteLength;
  }

  /** An image of this instance. @param fresh An instance of the same module that was neither booted nor restored. */
  capture(fresh: ShellInstance): Uint8Array<ArrayBuffer> {
    return captureHeap(this.memory, this.#exports.__stack_pointer.value, fresh.memory);
  }

  /**
   * Runs a script.
   *
   * @throws whatever ends the guest from outside: Aborted, OutOfFuel, WebAssembly.RuntimeError, RangeError.
   */
  run(script: string): ScriptEnding {
    const [pointer, length] = this.#put(script);
    const code = this.#exports.sh_exec(pointer, length);
    if (code >= 0) return { kind: "exited", exitCode: code };
    return { kind: code === CANCELLED ? "cancelled" : "refused" };
  }

  /** Closes what the guest left open. */
  close(): void {
    this.#wasi.close();
  }

  /** Puts text where the guest takes it from, and frees it. */
  #put(text: string): [pointer: number, length: number] {
    const bytes = encoder.encode(text);
    const pointer = this.#exports.sh_alloc(bytes.length);
    this.#bytes(pointer, bytes.length).set(bytes);
    return [pointer, bytes.length];
  }

  #cancelIfDue(): void {
    if (this.#host.cell.requested() === "interrupt") this.#cancel();
  }

  /**
   * Sets the flag that the guest looks at. In memory and not by a call: the guest may be anywhere in its code, with what is
   * below its stack pointer in use.
   */
  #cancel(): void {
    if (this.#cancelFlag !== 0) this.#bytes(this.#cancelFlag, 1)[0] = 1;
  }

  /** A view of the guest's memory. @throws {RangeError} outside of it. */
  #bytes(pointer: number, length: number): Uint8Array {
    return new Uint8Array(this.#exports.memory.buffer, pointer >>> 0, length >>> 0);
  }
}

/** What is not even looked at. */
const TOO_LONG: Spawned = {
  exitCode: 126,
  stdout: new Uint8Array(0),
  stderr: encoder.encode("bash: Argument list too long\n"),
};
const NOTHING = { stdout: new Uint8Array(0), stderr: new Uint8Array(0) };
