/** What the Worker of a session and the languages it runs agree on. One interface, several languages. */

import type { ControlCell } from "../control/cell.ts";
import type { GuestClock } from "../control/guest_clock.ts";
import type { RandomSource } from "../control/random.ts";
import type { Dialect, Language } from "../languages.ts";
import type { HostReply } from "../host_calls/bridge.ts";
import type { FileSystem } from "../fs/file_system.ts";
import type { ImagePart } from "../image/part.ts";
import type { Loopback } from "./loopback.ts";
import type { GuestSignals } from "./signals.ts";
import type { Suspension } from "./stack_switching.ts";
import type { Steps } from "./steps.ts";

export { HostCallError, type HostReply } from "../host_calls/bridge.ts";

/** A command of the shell that a program of another language waits for. */
export interface ShellCommand {
  readonly script: string;
  /** Whether its standard output is for the program, and not to be shown. */
  readonly capture: boolean;
  /** Files to whose ends it prints instead; one may be both. */
  readonly files?: { readonly stdout?: string | undefined; readonly stderr?: string | undefined };
  /** How long it may take, by the clock of who waits for it. */
  readonly timeoutMs?: number | undefined;
  readonly fuelBudget?: number;
}

/** How that ended. */
export interface ShellCommandOutcome {
  readonly ending: "exited" | "stopped" | "timed_out" | "out_of_fuel";
  readonly exitCode: number;
  /** What was captured. */
  readonly output: string;
  /** Whether that is all that it printed. */
  readonly complete: boolean;
  readonly fuelConsumed: number;
}

/** What a session's Worker gives to each of its runtimes. */
export interface RuntimeHost {
  /** The session's file system, shared by its languages. Working directory: `/app`. */
  readonly fs: FileSystem;
  /** Stops and waits. The Worker calls `enter` and `leave` around {@link Runtime.execute}. */
  readonly cell: ControlCell;
  /** Guests' time, and their waits; a runtime tells it where an execution begins and ends. */
  readonly clock: GuestClock;
  readonly random: RandomSource;
  /** Environment variables the policy gives to guests. */
  readonly env: Readonly<Record<string, string>>;
  /** Cap of the heap (wasm linear memory), bytes. */
  readonly memoryBytes: number;
  /** What a program that was interrupted has to end, milliseconds. */
  readonly interruptGraceMs: number;
  /** Directory where relative paths start; `/app` if absent. Python moves there by itself (`os.chdir`). */
  readonly cwd?: string;
  /** Fills a buffer from standard input; 0 bytes: its end. Absent: there is no input. */
  read?(buffer: Uint8Array): number;
  /**
   * Whether there is something to be read, or its end; if not, it comes while the program waits for something else. Absent: there
   * is.
   *
   * @param only Whether it waits for nothing else.
   */
  hasInput?(only: boolean): boolean;
  /** Where what is called on a stack of its own waits. Absent: whoever waits has all others wait. */
  readonly suspension?: Suspension;
  /** Those that others send to it. Absent: nobody does. */
  readonly signals?: GuestSignals;
  /** What its processes reach of each other. Absent: nothing. */
  readonly loopback?: Loopback;
  /** Runs a command in the session's shell, beside the runtime that asks. Absent: there is none. */
  runCommand?(command: ShellCommand): ShellCommandOutcome;
  /**
   * Takes output as it is written. Bounded there: a runtime hands over everything and never fails of it.
   *
   * @throws {Aborted} where that is a program's, and nobody reads on.
   */
  write(stream: "stdout" | "stderr", bytes: Uint8Array): void;
  /**
   * Asks the server for one operation of the closed list and waits for its answer.
   *
   * @param request UTF-8 JSON. @param bytes Go beside it.
   * @throws {HostCallError} if the operation is unknown, refused or failed, or if a soft stop ended the wait.
   * @throws {Aborted} on a hard stop.
   */
  hostCall(operation: string, request: Uint8Array, bytes?: Uint8Array): HostReply;
}

/** A call of the function `handler` that a program defines, after it has run. */
export interface HandlerCall {
  /** JSON of its first argument. */
  readonly event: string;
  /** JSON of the fields of its second. */
  readonly context: string;
  /** How long the execution may take; the context can be asked what is left of it. */
  readonly timeoutMs: number;
  /** Whether it is an error if there is no handler. If not, only one that this run has defined is called. */
  readonly required: boolean;
}

/** One run of code, as a runtime sees it. */
export interface RunRequest {
  readonly code: string;
  readonly dialect?: Dialect;
  /** What tracebacks call this code: `<execution 3>`. */
  readonly filename: string;
  /** Longest `result`, in bytes of UTF-8; longer ones are cut and end in "…". Longer `returned` are errors. */
  readonly resultMaxBytes: number;
  /** Fuel this run may use; absent: no bound. A little more is given to a program that is being interrupted. */
  readonly fuelBudget?: number;
  readonly handler?: HandlerCall;
  /** It is only to be read: it fails if it is no program, and does nothing otherwise. For JavaScript. */
  readonly checkOnly?: boolean;
  /** Its heap is a copy: it draws other random numbers from now on than what it is a copy of. */
  readonly reseed?: boolean;
  /** What will be run after this, where the two are one program: the interpreter is chosen by it too. */
  readonly next?: string;
}

/** An error that the program raised. */
export interface ProgramError {
  /** `ZeroDivisionError`, `TypeError`, … */
  readonly type: string;
  readonly message: string;
  /** As the language prints it, with the user's own source lines and no frames of ours. */
  readonly traceback: string;
  /** The program has told of it in its own way, as `sys.excepthook` is for. */
  readonly isTold?: boolean | undefined;
}

/**
 * How a run ended.
 *
 * `heap` tells whether variables are still there ("kept") or the interpreter had to be thrown away and the next
 * run starts from a fresh one ("discarded"). Files are never touched by that.
 */
export type RunOutcome =
  & {
    readonly heap: "kept" | "discarded";
    readonly fuelConsumed: number;
    readonly memoryBytes: number;
    /** Its heap went to another interpreter for it, with what it holds. */
    readonly moved?: boolean;
    /** Timers that it had set, and that were dropped with it. */
    readonly timersDropped?: number;
    /** Background jobs that it has left running: they go on with the next script. */
    readonly jobsLeft?: number;
    /** Integers of numpy's that have 32 bits ran over, whatever became of the warning. */
    readonly ranOver?: boolean;
  }
  & (
    /** `returned`: JSON of what a handler that was called returned. */
    | { readonly status: "completed"; readonly result: string | null; readonly returned?: string }
    /** The program ended itself (`sys.exit`, `os._exit`); 0 counts as success. */
    | { readonly status: "exited"; readonly exitCode: number }
    | { readonly status: "failed"; readonly error: ProgramError }
    /** A stop asked for through the control cell reached the program, gently ("kept") or not ("discarded"). */
    | { readonly status: "stopped" }
    /** It used more than its budget, whatever it ended with ("kept"), or did not end when interrupted ("discarded"). */
    | { readonly status: "out_of_fuel" }
    /** Memory ran out: raised and uncaught ("kept"), or the interpreter gave up ("discarded"). */
    | { readonly status: "out_of_memory"; readonly error?: ProgramError }
    /** The interpreter itself failed: a trap, an abort, an overflow of the host's stack. */
    | { readonly status: "crashed"; readonly reason: string }
  );

/**
 * One language's interpreter in one session. Its heap lives on between runs.
 *
 * `execute` never throws and never leaves an interpreter in an undefined state: after `heap: "discarded"` the next
 * run boots a fresh one. Runs never overlap. Apart from booting, an execution does not give way to the Worker's
 * event loop: everything that waits does so in {@link ControlCell.wait}, or on a stack that others go on beside.
 *
 * As a part of the session's image it is its heap: captured between runs, gone in a capture after a discard. A
 * `rollback` brings back the heap that was last captured, also after a discard. A restored heap goes on with its own
 * randomness and its own monotonic clock: to the guest nothing happened.
 */
export interface Runtime extends ImagePart {
  readonly language: Language;
  /** Boots the interpreter if it is not there yet, so that the first run is fast. */
  prepare(): Promise<void>;
  execute(request: RunRequest): Promise<RunOutcome>;
  /** Bytes of linear memory of the live heap; 0 if there is none. */
  memoryBytes(): number;
  /** Bytes of memory beside it in which it is remembered as it was last captured. */
  recordedBytes(): number;
  /** Throws the heap away; the next run boots a fresh one. */
  discard(): void;
  /** Discards the heap and all that is remembered of it, and gives their memory back. It must not be used any more. */
  release(): void;
  /** Throws the heap away if it was prepared, and nothing has run in it yet. */
  discardUnused(): void;
  /** What there is of it, to be compared with what another one is; undefined if there is nothing. Changes nothing. */
  inspect(): LiveState | undefined;
}

/** One that does not give way to the event loop at all, so that it can run while another one waits for a host call. */
export interface SynchronousRuntime extends Runtime {
  /** As `execute`. */
  executeNow(request: RunRequest): RunOutcome;
  /** As `executeNow`, where others make its calls. Absent: it can't be done so. */
  executeInSteps?(request: RunRequest): Steps<RunOutcome>;
}

/** All that a live interpreter is, beside the session's files. */
export interface LiveState {
  /** The part of its memory that is of use, as a view until it runs again. */
  readonly memory?: Uint8Array;
  /** What its host side knows; plain data. */
  readonly state: unknown;
}
