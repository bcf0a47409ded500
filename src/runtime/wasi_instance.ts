/** An instance of a program that was compiled for WASI: what it imports, its memory, and what memory does not hold. */

import { FuelMeter } from "../control/meter.ts";
import { ImageError } from "../executor/wire/image_error.ts";
import { captureHeap, type HeapImage, restoreHeap } from "../image/heap_image.ts";
import type { LiveHeap } from "../image/heap_part.ts";
import { WASM_PAGE } from "../image/pages.ts";
import { type SavedDescriptor, Wasi } from "../wasi/wasi.ts";
import type { RuntimeHost } from "./runtime.ts";
import { StackSwitching, type SwitchingExports } from "./stack_switching.ts";

/** What linker and metering add to a program's exports. */
export interface WasiExports extends SwitchingExports {
  readonly memory: WebAssembly.Memory;
  /** Only in a metered module. */
  readonly sandbox_fuel?: WebAssembly.Global;
  readonly sandbox_max_pages?: WebAssembly.Global;
}

export interface WasiState {
  readonly stackPointer: number;
  readonly descriptors: readonly SavedDescriptor[];
}

/** How a program differs from others. */
export interface WasiProgram {
  /** What it is called by: its first argument. */
  readonly name: string;
  /** @see WasiHost.sharesStreams */
  readonly sharesStreams?: boolean;
  /** Whether an interrupt is due after a call of the system's. */
  interrupted(): boolean;
  onInterrupt(): void;
  /** What it imports beside WASI; `out_of_fuel` among it. */
  readonly sandbox: WebAssembly.ModuleImports;
}

export abstract class WasiInstance<State extends WasiState, Exports extends WasiExports>
  implements LiveHeap<State> {
  readonly meter: FuelMeter;
  protected readonly host: RuntimeHost;
  protected readonly wasi: Wasi;
  protected readonly exports: Exports;

  constructor(module: WebAssembly.Module, host: RuntimeHost, program: WasiProgram) {
    this.host = host;
    this.meter = new FuelMeter(host.cell);
    this.wasi = new Wasi({
      args: [program.name],
      env: {},
      fs: host.fs,
      sharesStreams: program.sharesStreams ?? false,
      read: (buffer) => host.read?.(buffer) ?? 0,
      write: (stream, bytes) => host.write(stream, bytes),
      wait: (ms) => host.clock.wait(ms),
      realtime: () => host.clock.realtime(),
      monotonic: () => host.clock.monotonic(),
      random: (bytes) => host.random(bytes),
      interrupted: () => program.interrupted(),
      onInterrupt: () => program.onInterrupt(),
    });
    const imports = {
      wasi_snapshot_preview1: this.wasi.imports,
      posix: this.wasi.posix,
      sandbox: program.sandbox,
    };
    const switching = host.suspension &&
      new StackSwitching(imports, host.suspension, (fd) => this.wasi.streamOf(fd));
    const instance = new WebAssembly.Instance(module, switching?.imports ?? imports);
    this.exports = instance.exports as unknown as Exports;
    const { memory, sandbox_fuel, sandbox_max_pages } = this.exports;
    switching?.link(this.exports);
    this.wasi.bind(memory);
    if (sandbox_fuel) this.meter.attach(sandbox_fuel);
    if (sandbox_max_pages) sandbox_max_pages.value = Math.floor(host.memoryBytes / WASM_PAGE);
  }

  /** What of the program's state is WASI's. @throws {ImageError} if it is no such state. */
  protected abstract parse(state: unknown): WasiState;

  abstract get state(): State;

  /** Goes on from an image of the same module. @throws {ImageError} */
  restore(image: HeapImage): void {
    restoreHeap(image, this.memory);
    this.exports.__stack_pointer.value = image.stackPointer;
  }

  /** The file system must be as it was. */
  goOn(state: unknown): void {
    const { stackPointer, descriptors } = this.parse(state);
    if (stackPointer > this.memoryBytes) throw new ImageError("the stack pointer is outside of memory");
    this.exports.__stack_pointer.value = stackPointer;
    this.wasi.restoreDescriptors(descriptors);
  }

  get memory(): WebAssembly.Memory {
    return this.exports.memory;
  }

  /** The stack comes first in memory and grows down: between runs nothing below its pointer is of use. */
  get deadBelow(): number {
    return this.exports.__stack_pointer.value;
  }

  get memoryBytes(): number {
    return this.memory.buffer.byteLength;
  }

  protected get wasiState(): WasiState {
    return { stackPointer: this.exports.__stack_pointer.value, descriptors: this.wasi.descriptors() };
  }

  /** An image of this instance. @param fresh An instance of the same module that was neither booted nor restored. */
  capture(fresh: WasiInstance<State, Exports>): Uint8Array<ArrayBuffer> {
    return captureHeap(this.memory, this.exports.__stack_pointer.value, fresh.memory);
  }

  /** Closes what the guest left open. */
  close(): void {
    this.wasi.close();
  }

  /** A view of the guest's memory. @throws {RangeError} outside of it. */
  protected bytes(pointer: number, length: number): Uint8Array {
    return new Uint8Array(this.memory.buffer, pointer >>> 0, length >>> 0);
  }
}
