/** One instance of our CPython: its imports, its memory, and requests to its glue (`wasm/python/glue`). */

import { HostCallError, type HostReply } from "../../host_calls/bridge.ts";
import { FuelMeter } from "../../control/meter.ts";
import type { BaseHeap } from "../../image/base_heap.ts";
import { captureHeap, captureHeapOver, type HeapImage, restoreHeap } from "../../image/heap_image.ts";
import type { LiveHeap } from "../../image/heap_part.ts";
import { ImageError } from "../../executor/wire/image_error.ts";
import { Wasi } from "../../wasi/wasi.ts";
import type { RuntimeHost } from "../runtime.ts";
import { Interrupts } from "./interrupts.ts";
import { parseState, type PythonBase, type PythonState } from "./state.ts";

const WASM_PAGE = 65_536;

const NO_BYTES = new Uint8Array(0);

/** Operation, request and the bytes beside it, each as pointer and length. */
type HostCallArguments = [
  operation: number,
  operationLength: number,
  request: number,
  length: number,
  bytes: number,
  size: number,
];

/** What the glue exports, and what linker and metering add. */
interface Exports {
  readonly memory: WebAssembly.Memory;
  readonly __stack_pointer: WebAssembly.Global;
  /** Only in a metered module. */
  readonly sandbox_fuel?: WebAssembly.Global;
  readonly sandbox_max_pages?: WebAssembly.Global;
  _initialize(): void;
  malloc(bytes: number): number;
  free(pointer: number): void;
  sandbox_init(): number;
  sandbox_exec(request: number, length: number): number;
  sandbox_result_ptr(): number;
  sandbox_result_len(): number;
  sandbox_interrupt(): void;
  sandbox_interrupts(): number;
}

/** What the glue made of a request: `answer` is what it answered. */
export type Reply<Answer = string> =
  | { readonly kind: "answer"; readonly answer: Answer }
  /** The heap has no room for the request. */
  | { readonly kind: "too_big" }
  | { readonly kind: "glue_out_of_memory" }
  | { readonly kind: "glue_failed"; readonly reason: string };

/** The interpreter could not be started. */
export class BootError extends Error {
  override name = "BootError";
}

export class PythonInstance implements LiveHeap<PythonState> {
  readonly meter: FuelMeter;
  readonly interrupts: Interrupts;
  readonly #exports: Exports;
  readonly #wasi: Wasi;
  readonly #host: RuntimeHost;
  #reply: HostReply = { json: NO_BYTES, bytes: NO_BYTES };
  /** Which interpreter it is of. */
  readonly base: PythonBase;

  /** Makes an instance that must be {@link boot}ed or {@link restore}d before its first request. */
  constructor(module: WebAssembly.Module, host: RuntimeHost, base: PythonBase = "plain") {
    this.#host = host;
    this.base = base;
    this.meter = new FuelMeter(host.cell);
    this.interrupts = new Interrupts(host.cell);
    this.#wasi = new Wasi({
      args: ["python"],
      env: {},
      fs: host.fs,
      read: (buffer) => host.read?.(buffer) ?? 0,
      write: (stream, bytes) => host.write(stream, bytes),
      wait: (ms) => host.clock.wait(ms),
      realtime: () => host.clock.realtime(),
      monotonic: () => host.clock.monotonic(),
      random: (bytes) => host.random(bytes),
      // Few instructions may be run between two waits, and so few looks taken.
      interrupted: () => host.fs.waited() && host.cell.requested() === "interrupt",
      onInterrupt: () => this.#interruptIfDue(),
    });
    const instance = new WebAssembly.Instance(module, {
      wasi_snapshot_preview1: this.#wasi.imports,
      posix: this.#wasi.posix,
      sandbox: {
        poll: () => this.interrupts.due() ? 1 : 0,
        out_of_fuel: this.meter.refill,
        host_call: (...call: HostCallArguments) => this.#hostCall(...call),
        host_reply: (target: number) => this.#bytes(target, this.#reply.json.length).set(this.#reply.json),
        host_reply_size: () => this.#reply.bytes.length,
        host_reply_bytes: (target: number) =>
          this.#bytes(target, this.#reply.bytes.length).set(this.#reply.bytes),
      },
    });
    this.#exports = instance.exports as unknown as Exports;
    const { memory, sandbox_fuel, sandbox_max_pages } = this.#exports;
    this.#wasi.bind(memory);
    if (sandbox_fuel) this.meter.attach(sandbox_fuel);
    if (sandbox_max_pages) sandbox_max_pages.value = Math.floor(host.memoryBytes / WASM_PAGE);
  }

  /** Starts the interpreter from nothing. @throws {BootError} */
  boot(): void {
    this.#exports._initialize();
    if (this.#exports.sandbox_init() !== 0) throw new BootError("Python could not be initialised");
  }

  /** Goes on from an image of the same module. @throws {ImageError} */
  restore(image: HeapImage): void {
    restoreHeap(image, this.#exports.memory);
    this.#exports.__stack_pointer.value = image.stackPointer;
  }

  /** The file system must be as it was. */
  goOn(state: unknown): void {
    const { stackPointer, descriptors } = parseState(state);
    if (stackPointer > this.memoryBytes) throw new ImageError("the stack pointer is outside of memory");
    this.#exports.__stack_pointer.value = stackPointer;
    this.#wasi.restoreDescriptors(descriptors);
  }

  get memory(): WebAssembly.Memory {
    return this.#exports.memory;
  }

  /** The C stack comes first in memory and grows down: between runs nothing below its pointer is of use. */
  get deadBelow(): number {
    return this.#exports.__stack_pointer.value;
  }

  get state(): PythonState {
    return {
      base: this.base,
      stackPointer: this.#exports.__stack_pointer.value,
      descriptors: this.#wasi.descriptors(),
    };
  }

  /**
   * An image of this instance. Open files are not part of it.
   *
   * @param fresh An instance of the same module that was neither booted nor restored.
   * @throws {BootError} if there are open files.
   */
  capture(fresh: PythonInstance): Uint8Array<ArrayBuffer> {
    this.#checkClosed();
    return captureHeap(this.#exports.memory, this.#exports.__stack_pointer.value, fresh.#exports.memory);
  }

  /** An image of what it has more than the base heap it was restored from. @throws {BootError} if there are open files. */
  captureOver(base: BaseHeap): Uint8Array<ArrayBuffer> {
    this.#checkClosed();
    return captureHeapOver(this.#exports.memory, this.#exports.__stack_pointer.value, base.memory);
  }

  #checkClosed(): void {
    const open = this.#wasi.descriptors().filter((row) => row.kind === "file" && !row.preopen);
    if (open.length > 0) throw new BootError(`files are open: descriptors ${open.map(({ fd }) => fd)}`);
  }

  /** KeyboardInterrupts that reached the program during the last request. */
  get interruptsDelivered(): number {
    return this.#exports.sandbox_interrupts();
  }

  get memoryBytes(): number {
    return this.#exports.memory.buffer.byteLength;
  }

  /**
   * Sends a request to the glue.
   *
   * @param maxAnswerBytes A longer answer counts as a failure of the glue.
   * @throws whatever ends the guest from outside: Aborted, OutOfFuel, ProcExit, WebAssembly.RuntimeError, RangeError.
   */
  request(json: string, maxAnswerBytes: number): Reply {
    const reply = this.exchange(new TextEncoder().encode(json), maxAnswerBytes);
    return reply.kind === "answer" ? { ...reply, answer: new TextDecoder().decode(reply.answer) } : reply;
  }

  /** As {@link request}, but for bytes; those of the answer are a view, until the next request. */
  exchange(bytes: Uint8Array, maxAnswerBytes: number): Reply<Uint8Array> {
    this.interrupts.begin();
    const { malloc, free, sandbox_exec, sandbox_result_ptr, sandbox_result_len } = this.#exports;
    const pointer = malloc(bytes.length);
    if (pointer === 0) return { kind: "too_big" };
    this.#bytes(pointer, bytes.length).set(bytes);
    const status = sandbox_exec(pointer, bytes.length);
    free(pointer);
    if (status === 2) return { kind: "glue_out_of_memory" };
    const length = sandbox_result_len() >>> 0;
    if (length > maxAnswerBytes) return { kind: "glue_failed", reason: `an answer of ${length} bytes` };
    const answer = this.#bytes(sandbox_result_ptr(), length);
    return status === 0
      ? { kind: "answer", answer }
      : { kind: "glue_failed", reason: new TextDecoder().decode(answer) };
  }

  /** Lets output reach the host again, whatever the last program made of the descriptors. */
  openStreams(): void {
    this.#wasi.openStreams();
  }

  /** Closes what the guest left open. */
  close(): void {
    this.#wasi.close();
  }

  #interruptIfDue(): void {
    if (this.interrupts.due()) this.#exports.sandbox_interrupt();
  }

  #hostCall(...[operation, operationLength, request, length, bytes, size]: HostCallArguments): number {
    try {
      const name = new TextDecoder().decode(this.#bytes(operation, operationLength));
      const beside = size > 0 ? this.#bytes(bytes, size).slice() : undefined;
      this.#reply = this.#host.hostCall(name, this.#bytes(request, length).slice(), beside);
      this.#charge(this.#reply.fuel ?? 0);
      return this.#reply.json.length;
    } catch (error) {
      if (!(error instanceof HostCallError)) throw error;
      this.#interruptIfDue();
      this.#reply = { json: new TextEncoder().encode(error.message), bytes: NO_BYTES };
      return -this.#reply.json.length - 1;
    }
  }

  /** Others worked for the guest; what stopped them is meant for it. */
  #charge(fuel: number): void {
    if (fuel === 0) return;
    this.meter.charge(fuel);
    this.#interruptIfDue();
  }

  /** A view of the guest's memory. @throws {RangeError} outside of it. */
  #bytes(pointer: number, length: number): Uint8Array {
    return new Uint8Array(this.#exports.memory.buffer, pointer >>> 0, length >>> 0);
  }
}
