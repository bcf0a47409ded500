/** One instance of our CPython: its imports, its memory, and requests to its glue (`wasm/python/glue`). */

import { hostStack } from "../../host_stack.ts";
import { HostCallError, type HostReply } from "../../host_calls/bridge.ts";
import type { BaseHeap } from "../../image/base_heap.ts";
import { captureHeapOver } from "../../image/heap_image.ts";
import type { RuntimeHost } from "../runtime.ts";
import { finish, type Steps } from "../steps.ts";
import { type WasiExports, WasiInstance } from "../wasi_instance.ts";
import { Interrupts } from "./interrupts.ts";
import { parseState, type PythonBase, type PythonState } from "./state.ts";

const NO_BYTES = new Uint8Array(0);
/** What the glue is told when it asks whether to go on. */
const POLLED = { interrupt: 1, signal: 2 } as const;

/** Operation, request and the bytes beside it, each as pointer and length. */
type HostCallArguments = [
  operation: number,
  operationLength: number,
  request: number,
  length: number,
  bytes: number,
  size: number,
];

/** What the glue exports. */
interface Exports extends WasiExports {
  _initialize(): void;
  malloc(bytes: number): number;
  free(pointer: number): void;
  sandbox_init(): number;
  sandbox_exec(request: number, length: number, cFrames: number): number;
  sandbox_result_ptr(): number;
  sandbox_result_len(): number;
  sandbox_interrupt(): void;
  sandbox_signalled(): void;
  sandbox_interrupts(): number;
  sandbox_apart(stack: number): void;
  sandbox_settle(): void;
}

/** Thrown through the C frames of a thread that leaves the stack (`wasm/python/glue/stacks.c`). */
const LEFT = Symbol("left");

/** What the glue made of a request: `answer` is what it answered. */
export type Reply<Answer = string> =
  | { readonly kind: "answer"; readonly answer: Answer }
  /** The heap has no room for the request. */
  | { readonly kind: "too_big" }
  | { readonly kind: "glue_out_of_memory" }
  | { readonly kind: "glue_failed"; readonly reason: string };

/** Frames of CPython's C that fit a KiB of V8's stack: see `C_RECURSION_LIMIT` in `wasm/python/glue/sandbox.c`. */
const C_FRAMES_PER_KIB = 4000 / 3600;

/** The interpreter could not be started. */
export class BootError extends Error {
  override name = "BootError";
}

export class PythonInstance extends WasiInstance<PythonState, Exports> {
  readonly interrupts: Interrupts;
  #reply: HostReply = { json: NO_BYTES, bytes: NO_BYTES };
  /** Which interpreter it is of. */
  readonly base: PythonBase;

  /** Makes an instance that must be {@link boot}ed or {@link restore}d before its first request. */
  constructor(module: WebAssembly.Module, host: RuntimeHost, base: PythonBase = "plain") {
    super(module, host, {
      name: "python",
      // Few instructions may be run between two calls that take their time, and so few looks taken.
      interrupted: () => this.interrupts.overdue() || host.signals?.areWaiting === true,
      onInterrupt: () => this.#interruptIfDue(),
      sandbox: {
        poll: () =>
          (this.interrupts.due() ? POLLED.interrupt : 0) | (host.signals?.areWaiting ? POLLED.signal : 0),
        out_of_fuel: () => this.meter.refill(),
        host_call: (...call: HostCallArguments) => this.#hostCall(...call),
        host_reply: (target: number) => this.bytes(target, this.#reply.json.length).set(this.#reply.json),
        host_reply_size: () => this.#reply.bytes.length,
        host_reply_bytes: (target: number) =>
          this.bytes(target, this.#reply.bytes.length).set(this.#reply.bytes),
        apart: (stack: number) => this.#apart(stack),
        leave: () => {
          throw LEFT;
        },
      },
    });
    this.base = base;
    this.interrupts = new Interrupts(host.cell, host.interruptGraceMs);
  }

  /** Starts the interpreter from nothing. @throws {BootError} */
  boot(): void {
    this.exports._initialize();
    if (this.exports.sandbox_init() !== 0) throw new BootError("Python could not be initialised");
  }

  /** Has all that is in the heap now stay for ever, in its place: for base images (`wasm/python/glue/settle.c`). */
  settle(): void {
    this.exports.sandbox_settle();
  }

  protected parse(state: unknown): PythonState {
    return parseState(state);
  }

  get state(): PythonState {
    return { base: this.base, ...this.wasiState };
  }

  /**
   * An image of this instance. Open files are not part of it.
   *
   * @param fresh An instance of the same module that was neither booted nor restored.
   * @throws {BootError} if there are open files.
   */
  override capture(fresh: PythonInstance): Uint8Array<ArrayBuffer> {
    this.#checkClosed();
    return super.capture(fresh);
  }

  /** An image of what it has more than the base heap it was restored from. @throws {BootError} if there are open files. */
  captureOver(base: BaseHeap): Uint8Array<ArrayBuffer> {
    this.#checkClosed();
    return captureHeapOver(this.exports.memory, this.exports.__stack_pointer.value, base.memory);
  }

  #checkClosed(): void {
    const open = this.wasi.descriptors().filter((row) => row.kind === "file" && !row.preopen);
    if (open.length > 0) throw new BootError(`files are open: descriptors ${open.map(({ fd }) => fd)}`);
  }

  /** KeyboardInterrupts that reached the program during the last request. */
  get interruptsDelivered(): number {
    return this.exports.sandbox_interrupts();
  }

  /**
   * Sends a request to the glue.
   *
   * @param maxAnswerBytes A longer answer counts as a failure of the glue.
   * @throws whatever ends the guest from outside: Aborted, OutOfFuel, ProcExit, WebAssembly.RuntimeError, RangeError.
   */
  request(json: string, maxAnswerBytes: number): Reply {
    return finish(this.requestInSteps(json, maxAnswerBytes));
  }

  /** As {@link request}. */
  *requestInSteps(json: string, maxAnswerBytes: number): Steps<Reply> {
    const reply = yield* this.#exchange(new TextEncoder().encode(json), maxAnswerBytes);
    return reply.kind === "answer" ? { ...reply, answer: new TextDecoder().decode(reply.answer) } : reply;
  }

  /** As {@link request}, but for bytes; those of the answer are a view, until the next request. */
  exchange(bytes: Uint8Array, maxAnswerBytes: number): Reply<Uint8Array> {
    return finish(this.#exchange(bytes, maxAnswerBytes));
  }

  *#exchange(bytes: Uint8Array, maxAnswerBytes: number): Steps<Reply<Uint8Array>> {
    this.interrupts.begin();
    const { malloc, free, sandbox_exec, sandbox_result_ptr, sandbox_result_len } = this.exports;
    const pointer = malloc(bytes.length);
    if (pointer === 0) return { kind: "too_big" };
    this.bytes(pointer, bytes.length).set(bytes);
    const frames = Math.floor(hostStack() * C_FRAMES_PER_KIB);
    const status = yield { call: sandbox_exec, args: [pointer, bytes.length, frames], meter: this.meter };
    free(pointer);
    if (status === 2) return { kind: "glue_out_of_memory" };
    const length = sandbox_result_len() >>> 0;
    if (length > maxAnswerBytes) return { kind: "glue_failed", reason: `an answer of ${length} bytes` };
    const answer = this.bytes(sandbox_result_ptr(), length);
    return status === 0
      ? { kind: "answer", answer }
      : { kind: "glue_failed", reason: new TextDecoder().decode(answer) };
  }

  /** Lets output reach the host again, whatever the last program made of the descriptors. */
  openStreams(): void {
    this.wasi.openStreams();
  }

  #interruptIfDue(): void {
    if (this.interrupts.due()) this.exports.sandbox_interrupt();
    if (this.host.signals?.areWaiting) this.exports.sandbox_signalled();
  }

  #hostCall(...[operation, operationLength, request, length, bytes, size]: HostCallArguments): number {
    try {
      const name = new TextDecoder().decode(this.bytes(operation, operationLength));
      const beside = size > 0 ? this.bytes(bytes, size).slice() : undefined;
      this.#reply = this.host.hostCall(name, this.bytes(request, length).slice(), beside);
      this.#charge(this.#reply.fuel ?? 0);
      return this.#reply.json.length;
    } catch (error) {
      if (!(error instanceof HostCallError)) throw error;
      this.#interruptIfDue();
      this.#reply = { json: new TextEncoder().encode(error.message), bytes: NO_BYTES };
      return -this.#reply.json.length - 1;
    }
  }

  /** Calls what may be left in the middle. @returns Non-zero if it was. */
  #apart(stack: number): number {
    const { __stack_pointer, sandbox_apart } = this.exports;
    const before: number = __stack_pointer.value;
    try {
      sandbox_apart(stack);
      return 0;
    } catch (error) {
      if (error !== LEFT) throw error;
      __stack_pointer.value = before;
      return 1;
    }
  }

  /** Others worked for the guest; what stopped them is meant for it. */
  #charge(fuel: number): void {
    if (fuel === 0) return;
    this.meter.charge(fuel);
    this.#interruptIfDue();
  }
}
