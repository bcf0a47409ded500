/** Python: sessions of our CPython, each started from the base image. */

import { Aborted } from "../../control/cell.ts";
import { OutOfFuel } from "../../control/meter.ts";
import { type BaseHeap, expandBaseHeap } from "../../image/base_heap.ts";
import type { HeapImage } from "../../image/heap_image.ts";
import { Section } from "../../executor/wire/entry.ts";
import { replyOf } from "../../host_calls/bridge.ts";
import { ImageError } from "../../executor/wire/image_error.ts";
import { ProcExit } from "../../wasi/wasi.ts";
import { HeapRuntime } from "../heap_runtime.ts";
import { LastWords } from "../last_words.ts";
import { unlessOverspent } from "../overspent.ts";
import type {
  RunOutcome,
  RunRequest,
  RuntimeHost,
  ShellCommandOutcome,
  SynchronousRuntime,
} from "../runtime.ts";
import { runScript } from "../script_request.ts";
import { finish, type Steps } from "../steps.ts";
import { maxAnswerBytes, parseAnswer, type Waiting } from "./answer.ts";
import { NO_SHELL, scriptOf, SHELL_RUN, TOO_MUCH_OUTPUT } from "./shell_command.ts";
import { PythonInstance, type Reply } from "./instance.ts";
import { arrive, depart } from "./moving.ts";
import { baseFor, baseForSession } from "./science.ts";
import {
  BASES,
  type LargerBase,
  largerBases,
  parseState,
  type PythonBase,
  type PythonState,
} from "./state.ts";

const NO_MEMORY = "a lack of memory in which to take its variables along";

/** What CPython's Py_FatalError prints. */
const FATAL = /^Fatal Python error: (.{1,300})/m;

/** Characters of code that any heap in working order has room to compile. */
const SMALL_PROGRAM = 4096;

/** A CPython, and the image of it that sessions start from. */
export interface Interpreter {
  readonly module: WebAssembly.Module;
  readonly heap: BaseHeap;
}

/** The interpreters with more packages, as far as there are any. Each is asked for when it is needed. */
export type LargerInterpreters = Readonly<Partial<Record<LargerBase, () => Interpreter>>>;

/** What a Python needs besides its host. The standard library is part of the host's file system. */
export interface PythonAssets {
  readonly module: WebAssembly.Module;
  /** The base image of `module`. Bytes are expanded for this session alone: expand them once for many. */
  readonly image: BaseHeap | Uint8Array;
  readonly larger?: LargerInterpreters;
  /** An image to be restored over that one. Such an interpreter is never captured itself. */
  readonly overlay?: HeapImage;
}

type Verdict =
  & { readonly heap: "kept" | "discarded" }
  & DistributiveOmit<RunOutcome, keyof Measured | "heap">;
/** The program goes on when the host has done something for it. */
type Step = Verdict | { readonly heap: "kept" } & Waiting;
type Measured = Pick<RunOutcome, "fuelConsumed" | "memoryBytes" | "moved">;
/** What became of a session that a program wanted in another interpreter. */
type Move = { readonly to: PythonInstance } | { readonly stays: string } | { readonly ended: Verdict };
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** @throws {ImageError} if the image is damaged. */
export function createPythonRuntime(host: RuntimeHost, assets: PythonAssets): SynchronousRuntime {
  return new PythonRuntime(host, assets);
}

class PythonRuntime extends HeapRuntime<PythonState, PythonInstance> {
  readonly #host: RuntimeHost;
  readonly #plain: Interpreter;
  readonly #larger: LargerInterpreters;
  /** In their order, those of {@link #larger}. */
  readonly #there: readonly LargerBase[];
  readonly #overlay: HeapImage | undefined;
  readonly #words = new LastWords();
  /** Which interpreter the next instance is of. */
  #wanted: PythonBase = "plain";

  constructor(host: RuntimeHost, { module, image, larger = {}, overlay }: PythonAssets) {
    const { fs, cell, clock, random, env, memoryBytes, interruptGraceMs } = host;
    const options = {
      sections: { state: Section.pythonState, page: Section.pythonPage },
      baseOf: (state: unknown) => this.#interpreter((state as Partial<PythonState> | undefined)?.base).heap,
      maxBytes: memoryBytes,
    };
    super("python", options, fs);
    this.#host = {
      fs,
      cell,
      clock,
      random,
      env,
      memoryBytes,
      interruptGraceMs,
      ...(host.suspension && { suspension: host.suspension }),
      ...(host.signals && { signals: host.signals }),
      hostCall: (operation, request, bytes) =>
        operation === SHELL_RUN && host.runCommand
          ? replyOf(runScript({ cell, meter: this.instance!.meter, runCommand: host.runCommand }, request))
          : host.hostCall(operation, request, bytes),
      read: (buffer) => host.read?.(buffer) ?? 0,
      ...(host.runCommand && { runCommand: (command) => host.runCommand!(command) }),
      write: (stream, bytes) => {
        if (stream === "stderr") this.#words.add(bytes);
        host.write(stream, bytes);
      },
    };
    this.#plain = { module, heap: image instanceof Uint8Array ? expandBaseHeap(image) : image };
    this.#larger = larger;
    this.#there = largerBases(larger);
    this.#overlay = overlay;
  }

  protected run(request: RunRequest, fresh: boolean): RunOutcome {
    return finish(this.#run(request, fresh));
  }

  executeInSteps(request: RunRequest): Steps<RunOutcome> {
    return this.#run(request, this.begin());
  }

  /** Runs a program part by part: between two of them a command of the shell is run for it. */
  *#run(request: RunRequest, fresh: boolean): Steps<RunOutcome> {
    this.#words.clear();
    const { code, filename, resultMaxBytes, fuelBudget = Infinity, handler, reseed = false } = request;
    const { fuel, move } = this.#choose(request, fuelBudget, fresh);
    let fuelConsumed = fuel;
    if (move && "ended" in move) {
      if (move.ended.heap === "discarded") this.discard();
      return { ...move.ended, fuelConsumed, memoryBytes: this.memoryBytes() };
    }
    const moved = move && "to" in move;
    const stays = move && "stays" in move ? move.stays : null;
    const call = handler ? { ...handler, limit: resultMaxBytes } : null;
    let message: object = { code, filename, resultLimit: resultMaxBytes, call, stays, reseed };
    let stopped = false;
    for (;;) {
      const step = yield* this.#step(message, request, fuelBudget - fuelConsumed);
      fuelConsumed += this.instance?.meter.consumed() ?? 0;
      if (step.status !== "waiting") {
        const verdict: Verdict = stopped && step.heap === "kept" ? { heap: "kept", status: "stopped" } : step;
        const memoryBytes = this.memoryBytes();
        if (verdict.heap === "discarded") this.discard();
        return { ...verdict, fuelConsumed, memoryBytes, ...(moved && { moved }) };
      }
      const left = fuelBudget - fuelConsumed;
      const outcome = this.#host.runCommand?.({
        script: scriptOf(step),
        capture: step.capture,
        ...(left !== Infinity && { fuelBudget: left }),
      });
      fuelConsumed += outcome?.fuelConsumed ?? 0;
      if (outcome?.ending === "out_of_fuel" || fuelConsumed >= fuelBudget) {
        return { heap: "kept", status: "out_of_fuel", fuelConsumed, memoryBytes: this.memoryBytes() };
      }
      stopped ||= outcome?.ending === "stopped";
      message = messageOf(outcome, stopped);
    }
  }

  /** Gives a program the interpreter that it needs; a session that lives in another one is taken there. */
  #choose(
    { code, next }: RunRequest,
    fuelBudget: number,
    fresh: boolean,
  ): { fuel: number; move?: Move } {
    const live = fresh ? undefined : this.instance;
    const further = this.#there.filter((base) => !live || exceeds(base, live.base));
    if (further.length === 0) return { fuel: 0 };
    const { fs } = this.#host;
    // A program of the shell ends with what it is told to come next.
    const wanted = next === undefined
      ? baseForSession(fs, code, further, live === undefined)
      : baseFor(fs, `${code}\n${next}`, further);
    if (live) return wanted === "plain" ? { fuel: 0 } : this.#move(live, wanted, fuelBudget);
    this.#wanted = wanted;
    if (this.#wanted !== "plain") this.discard();
    return { fuel: 0 };
  }

  /** Takes what the session has made to a fresh interpreter with more packages, in the place of its own. */
  #move(from: PythonInstance, wanted: LargerBase, fuelBudget: number): { fuel: number; move: Move } {
    const left = this.#measured(from, fuelBudget, () => depart(from, this.#host.memoryBytes));
    if ("ended" in left) return { fuel: left.fuel, move: left };
    if ("stays" in left.value) return { fuel: left.fuel, move: left.value };
    const { packed } = left.value;
    this.instance = undefined;
    this.#wanted = wanted;
    let to: PythonInstance | undefined;
    try {
      const at = to = this.live();
      const arrived = this.#measured(at, fuelBudget - left.fuel, () => arrive(at, packed));
      const fuel = left.fuel + arrived.fuel;
      if ("value" in arrived && arrived.value === undefined) return { fuel, move: { to } };
      this.#stay(from);
      // The heap that it would have left is whole.
      return {
        fuel,
        move: "value" in arrived ? { stays: arrived.value! } : { ended: { ...arrived.ended, heap: "kept" } },
      };
    } catch (error) {
      this.#stay(from);
      if (error instanceof RangeError) return { fuel: left.fuel, move: { stays: NO_MEMORY } };
      throw error;
    } finally {
      if (to && this.instance === to) this.giveUp(from);
    }
  }

  /** Goes back to an instance that another one should have replaced. */
  #stay(from: PythonInstance): void {
    this.discard();
    this.instance = from;
    this.#wanted = from.base;
  }

  /** What a body comes to that has an instance work; or how that ended the program. */
  #measured<T>(instance: PythonInstance, fuelBudget: number, body: () => T):
    | { fuel: number; value: T }
    | { fuel: number; ended: Verdict } {
    instance.meter.begin(fuelBudget);
    this.#host.clock.begin(instance.meter);
    try {
      this.#host.cell.throwIfAborted();
      const value = body();
      const fuel = instance.meter.consumed();
      if (instance.meter.exhausted) return { fuel, ended: { heap: "kept", status: "out_of_fuel" } };
      if (instance.interruptsDelivered > 0) return { fuel, ended: { heap: "kept", status: "stopped" } };
      return { fuel, value };
    } catch (error) {
      return { fuel: instance.meter.consumed(), ended: { heap: "discarded", ...this.#ending(error) } };
    } finally {
      this.#host.clock.end();
    }
  }

  /** Runs a program up to a command that it waits for, or to its end. @param message For the glue. */
  *#step(message: object, request: RunRequest, fuelBudget: number): Steps<Step> {
    let step: Step;
    try {
      // Between two commands a program may do less than what any other look comes after.
      this.#host.cell.throwIfAborted();
      step = yield* this.#serve(this.live(), message, request, fuelBudget);
    } catch (error) {
      step = { heap: "discarded", ...this.#ending(error) };
    }
    this.#host.clock.end();
    return unlessOverspent(step, this.instance?.meter);
  }

  protected live(): PythonInstance {
    if (this.instance) return this.instance;
    const { module, heap } = this.#interpreter(this.#wanted);
    const instance = this.instance = new PythonInstance(module, this.#host, this.#wanted);
    try {
      instance.restore(heap);
      if (this.#overlay) instance.restore(this.#overlay);
      const reply = instance.request(JSON.stringify({ environ: this.#host.env }), maxAnswerBytes(0));
      if (reply.kind !== "answer") throw new Error(`Python did not start: ${reply.kind}`);
    } catch (error) {
      this.discard();
      throw error;
    }
    return instance;
  }

  /** @throws {ImageError} if there is none of that name. */
  #interpreter(base: PythonBase | undefined): Interpreter {
    if (base === "plain") return this.#plain;
    const make = base && this.#larger[base];
    if (make) return make();
    throw new ImageError("the heap is of an interpreter that is not here");
  }

  protected override fits(state: unknown): boolean {
    return this.instance?.base === parseState(state).base;
  }

  protected revive(state: unknown, fill: (memory: WebAssembly.Memory) => void): void {
    const { base } = parseState(state);
    const instance = new PythonInstance(this.#interpreter(base).module, this.#host, base);
    try {
      fill(instance.memory);
      instance.goOn(state);
    } catch (error) {
      instance.close();
      throw error;
    }
    // Only now: unlinked files that both have open stay.
    this.discard();
    this.instance = instance;
  }

  *#serve(
    instance: PythonInstance,
    message: object,
    request: RunRequest,
    fuelBudget: number,
  ): Steps<Step> {
    instance.meter.begin(fuelBudget);
    this.#host.clock.begin(instance.meter);
    instance.openStreams();
    const reply = yield* instance.requestInSteps(
      JSON.stringify(message),
      maxAnswerBytes(request.resultMaxBytes),
    );
    const verdict = verdictOf(reply, request);
    // Whatever the program made of the KeyboardInterrupt.
    const interrupted = reply.kind === "answer" && instance.interruptsDelivered > 0;
    return interrupted && verdict.heap === "kept" ? { heap: "kept", status: "stopped" } : verdict;
  }

  /** What ended the guest from outside of Python. */
  #ending(error: unknown): DistributiveOmit<Verdict, "heap"> {
    if (error instanceof Aborted) return { status: "stopped" };
    if (error instanceof OutOfFuel) return { status: "out_of_fuel" };
    if (error instanceof ProcExit) return { status: "exited", exitCode: error.code & 0xff };
    if (error instanceof RangeError) {
      return { status: "crashed", reason: "the interpreter's stack overflowed" };
    }
    const [fatal] = this.#words.match(FATAL) ?? [];
    if (fatal?.includes("Memory")) return { status: "out_of_memory" };
    return { status: "crashed", reason: fatal ?? trapReason(error) };
  }
}

/** Whether an interpreter has more than another one. */
function exceeds(base: PythonBase, than: PythonBase): boolean {
  return BASES.indexOf(base) > BASES.indexOf(than);
}

/** What the glue is told of a command. @param outcome Undefined: it could not be run. */
function messageOf(outcome: ShellCommandOutcome | undefined, interrupted: boolean): object {
  if (!outcome) return { output: NO_SHELL, refused: true };
  const { output, exitCode, complete } = outcome;
  if (interrupted) return { output: "", interrupted };
  return complete ? { output, exitCode } : { output: TOO_MUCH_OUTPUT, refused: true };
}

function trapReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message === "unreachable"
    ? "the interpreter aborted"
    : `the interpreter failed: ${error.message}`;
}

function verdictOf(reply: Reply, { code, resultMaxBytes }: RunRequest): Step {
  // A heap without room for a small program can't even be told to free something.
  const unusable = code.length <= SMALL_PROGRAM ? "discarded" : "kept";
  switch (reply.kind) {
    case "too_big":
      return { heap: unusable, status: "out_of_memory" };
    case "glue_out_of_memory":
      return { heap: "discarded", status: "out_of_memory" };
    case "glue_failed":
      return {
        heap: "discarded",
        status: "crashed",
        reason: `the program broke the interpreter: ${reply.reason}`,
      };
    case "answer":
      break;
  }
  const answer = parseAnswer(reply.answer, resultMaxBytes);
  if (answer === undefined) {
    return {
      heap: "discarded",
      status: "crashed",
      reason: "the program broke the interpreter: no valid answer",
    };
  }
  if (answer.status !== "out_of_memory") return { heap: "kept", ...answer };
  const { status, compiled, error } = answer;
  return { heap: compiled ? "kept" : unusable, status, error };
}
