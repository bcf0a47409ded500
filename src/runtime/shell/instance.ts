/** One instance of the shell's module (`wasm/shell`): its imports, its memory, its scripts. */

import { Aborted, NO_EXECUTION } from "../../control/cell.ts";
import type { HeapImage } from "../../image/heap_image.ts";
import type { RuntimeHost } from "../runtime.ts";
import { type WasiExports, WasiInstance } from "../wasi_instance.ts";
import type { Fiber, Left } from "./programs/fiber.ts";
import type { Pipes, Spawned, SpawnRequest } from "./programs/program.ts";
import { StandardInput } from "./programs/standard_input.ts";
import { INNERMOST, InstanceProcesses, type ProcessExports, type ProcessHost } from "./instance_processes.ts";
import type { Processes } from "./processes.ts";
import { type ParsedSpawn, parseSpawn } from "./spawn.ts";
import { parseState, type ShellState } from "./state.ts";

const encoder = new TextEncoder();

/** What the guest exports. */
interface Exports extends WasiExports, ProcessExports {
  __wasm_call_ctors(): void;
  sh_alloc(bytes: number): number;
  sh_boot(): void;
  sh_begin(environment: number, length: number): void;
  sh_exec(script: number, length: number): number;
  sh_tend(ms: number): number;
  sh_jobs_left(): number;
  sh_lose(last: number): void;
  sh_cancel_flag(): number;
  sh_read(): number;
  sh_piece(): number;
  sh_unread(bytes: number, length: number): void;
  sh_give_way(ms: number): void;
  sh_write(program: number, stream: number, bytes: number, length: number): number;
}

/** How a script ended. */
export type ScriptEnding =
  | { readonly kind: "exited"; readonly exitCode: number }
  /** It was asked to end. */
  | { readonly kind: "cancelled" }
  /** The shell could not run it, and has said why. */
  | { readonly kind: "refused" };

const CANCELLED = -1;

/** The programs of a shell. */
export interface Programs {
  /** Runs one for the shell, which waits for it. */
  spawn(request: SpawnRequest): Spawned;
  /** Makes one that runs beside others. @returns undefined if that can't be done. */
  begin(request: ParsedSpawn, pipes: Pick<Pipes, "write" | "processes">): Fiber | undefined;
  /** Whether any could run beside others here. */
  canRunBeside(): boolean;
}

export class ShellInstance extends WasiInstance<ShellState, Exports> {
  /** Address of the byte that tells a script to end. */
  #cancelFlag = 0;
  /** What ended it while it worked for a program that it waits for: none of its frames is good any more. */
  #torn: { readonly error: unknown } | undefined;
  /** Programs that run beside others. */
  readonly #fibers = new Map<number, Fiber>();
  /** Those that earlier scripts have left running. */
  #left: Set<number> = new Set();
  /** Whether those that begin now are no more the present script's than these are. */
  #leaves = false;
  #lastFiber = 0;
  readonly #processHost: ProcessHost = {
    exports: this.exports,
    put: (data) => this.#put(data),
    isTorn: () => this.#torn !== undefined,
    bytes: (pointer, length) => this.bytes(pointer, length),
    ask: (body) => {
      this.#throwIfTorn();
      try {
        return body();
      } catch (error) {
        this.#torn = { error };
        throw error;
      }
    },
  };

  /** Makes an instance that must be {@link boot}ed or {@link restore}d before its first script. */
  constructor(module: WebAssembly.Module, host: RuntimeHost, programs: Programs) {
    super(module, host, {
      name: "bash",
      sharesStreams: true,
      interrupted: () => host.cell.requested() === "interrupt",
      onInterrupt: () => this.#cancel(),
      sandbox: {
        out_of_fuel: () => {
          this.meter.refill();
          this.#cancelIfDue();
        },
        spawn: (request: number, length: number) => this.#spawn(programs, this.bytes(request, length)),
        begin: (request: number, length: number) => this.#begin(programs, this.bytes(request, length)),
        go_on: (program: number, told: number, bytes: number, length: number, left: number) =>
          this.#goOn(program, told, this.bytes(bytes, length), left),
        signal: (program: number, signal: number) => this.#fibers.get(program)?.signal(signal),
        end: (program: number) => this.#end(program),
      },
    });
  }

  /** Starts the shell from nothing. */
  boot(): void {
    this.exports.__wasm_call_ctors();
    this.exports.sh_boot();
    this.#cancelFlag = this.exports.sh_cancel_flag();
  }

  override restore(image: HeapImage): void {
    super.restore(image);
    this.#cancelFlag = this.exports.sh_cancel_flag();
  }

  /** Gives a shell that was just restored from the base image its environment. */
  begin(env: Readonly<Record<string, string>>): void {
    const [pointer, length] = this.#put(
      Object.entries(env).map(([name, value]) => `${name}=${value}\0`).join(""),
    );
    this.exports.sh_begin(pointer, length);
  }

  override goOn(state: unknown): void {
    this.#endAll();
    super.goOn(state);
    this.#cancelFlag = this.exports.sh_cancel_flag();
    this.#lastFiber = this.parse(state).programs;
    this.exports.sh_lose(this.#lastFiber);
  }

  /** How many programs go on with the next script. */
  get running(): number {
    return Math.max(this.#fibers.size, this.exports.sh_processes());
  }

  /** How many processes run that have begun since a script came to its end last. */
  get fresh(): number {
    return this.exports.sh_processes_fresh();
  }

  /** Those that have begun so far are not waited for. */
  settle(): void {
    this.exports.sh_processes_settle();
  }

  /** @param parent Who starts them. @param canRun Whether any can go on while that waits. */
  processes(parent: number, env: Readonly<Record<string, string>>, canRun: () => boolean): Processes {
    return new InstanceProcesses(this.#processHost, parent, env, canRun);
  }

  override close(): void {
    this.#endAll();
    super.close();
  }

  protected parse(state: unknown): ShellState {
    return parseState(state);
  }

  get state(): ShellState {
    return { ...this.wasiState, programs: this.#lastFiber };
  }

  /**
   * Runs a script. Programs that it leaves running go on with the next one. Those that begin while an empty one runs are none of
   * the script's.
   *
   * @throws whatever ends the guest from outside: Aborted, OutOfFuel, WebAssembly.RuntimeError, RangeError.
   */
  run(script: string): ScriptEnding {
    const [pointer, length] = this.#put(script);
    return this.#ending(() => this.exports.sh_exec(pointer, length), script !== "");
  }

  /** Has programs that scripts have left running go on without waiting, at most for so long. @throws as {@link run}. */
  tend(ms: number): ScriptEnding {
    return this.#ending(() => this.exports.sh_tend(ms), false);
  }

  /** @param own Whether what begins is the script's. */
  #ending(run: () => number, own: boolean): ScriptEnding {
    let code: number;
    this.#left = new Set(this.#fibers.keys());
    this.#leaves = !own;
    try {
      code = run();
    } catch (error) {
      this.#endAll();
      throw error;
    }
    if (code >= 0) return { kind: "exited", exitCode: code };
    return { kind: code === CANCELLED ? "cancelled" : "refused" };
  }

  /** How many jobs the last script has left running. */
  get jobsLeft(): number {
    return this.exports.sh_jobs_left();
  }

  /** Puts text or bytes where the guest takes it from, and frees it. */
  #put(data: string | Uint8Array): [pointer: number, length: number] {
    const bytes = typeof data === "string" ? encoder.encode(data) : data;
    const pointer = this.exports.sh_alloc(bytes.length);
    this.bytes(pointer, bytes.length).set(bytes);
    return [pointer, bytes.length];
  }

  /** Runs a program, for whose pipes the shell works while it waits. @returns its exit code. */
  #spawn({ spawn, canRunBeside }: Programs, asked: Uint8Array): number {
    const parsed = parseSpawn(asked);
    const call = this.#caller();
    const write = this.#writer(INNERMOST, call);
    const stdin = new StandardInput(() => {
      const length = call(() => this.exports.sh_read());
      return this.bytes(this.exports.sh_piece(), length).slice();
    });
    const unread = (bytes: Uint8Array) => {
      call(() => {
        this.exports.sh_unread(...this.#put(bytes));
        return Answer.done;
      });
    };
    const giveWay = (ms: number) => {
      if (this.running === 0 || this.host.cell.requested() !== "none") return;
      call(() => {
        this.exports.sh_give_way(ms);
        return Answer.done;
      });
    };
    const hasOthers = () => this.running > 0;
    const processes = this.processes(INNERMOST, parsed?.env ?? {}, canRunBeside);
    const pipes = { stdin, write, giveWay, hasOthers, unread, processes };
    const { exitCode, stdout, stderr } = parsed ? spawn({ ...parsed, ...pipes }) : TOO_LONG;
    this.#throwIfTorn();
    try {
      if (stdout.length > 0) write("stdout", stdout);
      if (stderr.length > 0) write("stderr", stderr);
    } catch (error) {
      if (this.#torn || !(error instanceof Aborted)) throw error;
    }
    this.host.cell.throwIfAborted();
    this.#cancelIfDue();
    return exitCode;
  }

  /** Begins a program that runs beside others. @returns Its number; 0: it can't; or `LATER`. */
  #begin({ begin }: Programs, asked: Uint8Array): number {
    if (this.#fibers.size >= MAX_FIBERS) return LATER;
    const parsed = parseSpawn(asked);
    const number = this.#lastFiber + 1;
    const fiber = parsed && begin(parsed, {
      write: this.#writer(number, this.#caller()),
      processes: this.processes(number, parsed.env, () => true),
    });
    if (!fiber) return 0;
    this.#fibers.set(number, fiber);
    if (this.#leaves) this.#left.add(number);
    return this.#lastFiber = number;
  }

  /** Has a program go on until it waits. @param left Where the guest wants what it has printed. @returns A {@link Next}. */
  #goOn(program: number, told: number, bytes: Uint8Array, left: number): number {
    const fiber = this.#fibers.get(program);
    if (!fiber) return LOST;
    if (told === Told.input) fiber.give(bytes.slice());
    else if (told === Told.unread) fiber.lose();
    // What stops the script is not for them: they go on with the next one.
    if (this.#left.has(program) && this.host.cell.requested() === "interrupt") {
      this.#cancel();
      const next = { kind: "sleeps", ms: MAX_SLEEP_MS, serves: true, reads: "no" } as const;
      return this.#leave(next, left, fiber.signals.heeded);
    }
    const next = this.#left.has(program) ? this.host.cell.unasked(() => fiber.goOn()) : fiber.goOn();
    this.#throwIfTorn();
    this.host.cell.throwIfAborted();
    this.#cancelIfDue();
    return this.#leave(next, left, fiber.signals.heeded);
  }

  /** @param heeded The signals that it heeds. */
  #leave(next: Left, left: number, heeded: number): number {
    const words = this.#wordsOf(next); // memory may have grown for them
    new Uint32Array(this.memory.buffer, left, 4).set([...words, heeded]);
    return Next[next.kind];
  }

  #wordsOf(left: Left): [number, number, number] {
    switch (left.kind) {
      case "ended":
        return [left.exitCode, left.signal, 0];
      case "sleeps":
        return [Math.min(Math.ceil(left.ms), MAX_SLEEP_MS), left.serves ? 1 : 0, Reads[left.reads]];
      case "printed":
        return [left.stream === "stdout" ? 1 : 2, ...this.#put(left.bytes)];
      case "reads":
      case "not_now":
        return [0, 0, 0];
    }
  }

  #end(program: number): void {
    const fiber = this.#fibers.get(program);
    this.#fibers.delete(program);
    fiber?.end();
  }

  #endAll(): void {
    for (const program of this.#fibers.keys()) this.#end(program);
  }

  #throwIfTorn(): void {
    if (this.#torn) throw this.#torn.error;
  }

  /** What calls the guest for a program that begins now: a time that a command of the program's has is none for the shell. */
  #caller(): (body: () => number) => number {
    const byItsTimes = this.host.cell.remember();
    return (body) => byItsTimes(() => this.#callBack(body));
  }

  #writer(program: number, call: (body: () => number) => number): Pipes["write"] {
    return (stream, bytes) => {
      let at = 0;
      let isRead;
      do {
        const piece = bytes.subarray(at, at += PIECE_BYTES);
        isRead = call(() => this.#write(program, stream, piece)) === Answer.done;
      } while (isRead && at < bytes.length);
      return isRead;
    };
  }

  /**
   * Calls the guest while it waits for a program.
   *
   * @throws {Aborted} of no execution where the program is to be ended.
   */
  #callBack(body: () => number): number {
    this.#throwIfTorn();
    let answer: number;
    try {
      this.#cancelIfDue();
      answer = body();
    } catch (error) {
      this.#torn = { error };
      throw error;
    }
    if (answer < 0) throw new Aborted(NO_EXECUTION);
    return answer;
  }

  #write(program: number, stream: "stdout" | "stderr", bytes: Uint8Array): number {
    // Of a script that is told to end the shell drops what has not come to the host yet.
    if (this.host.cell.requested() !== "none") {
      this.host.write(stream, bytes);
      return Answer.done;
    }
    return this.exports.sh_write(program, stream === "stdout" ? 1 : 2, ...this.#put(bytes));
  }

  #cancelIfDue(): void {
    if (this.host.cell.requested() === "interrupt") this.#cancel();
  }

  /**
   * Sets the flag that the guest looks at. In memory and not by a call: the guest may be anywhere in its code, with what is
   * below its stack pointer in use.
   */
  #cancel(): void {
    if (this.#cancelFlag !== 0) this.bytes(this.#cancelFlag, 1)[0] = 1;
  }
}

/** What is not even looked at. */
const TOO_LONG: Spawned = {
  exitCode: 126,
  stdout: new Uint8Array(0),
  stderr: encoder.encode("bash: Argument list too long\n"),
};
/** Bytes of what a program prints that the guest is given at a time. */
const PIECE_BYTES = 64 * 1024;

/** Each has an interpreter's memory. */
const MAX_FIBERS = 32;
/** There are that many. */
const LATER = -1;

/** After so long a program that sleeps looks again. */
const MAX_SLEEP_MS = 60_000;

/** How the guest is told of what one that sleeps takes of its input. */
const Reads = { no: 0, also: 1, only: 2 } as const;

/** What the guest tells a program that goes on; 0: nothing. */
const Told = { input: 1, unread: 2 } as const;

/** What the guest is told of a program that went on. */
const Next = { ended: 0, reads: 1, printed: 2, sleeps: 3, not_now: 4 } as const satisfies Record<
  Left["kind"],
  number
>;

/** What it is told of one that is not here: it was left running, and its shell went on from an image. */
const LOST = 5;

/** What the guest answers of a program's pipes; below zero: the program is to be ended. */
const Answer = { done: 0, gone: 1 } as const;
