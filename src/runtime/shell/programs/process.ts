/** Runs an interpreter of another language as a process of a script: fresh, fed by a pipe, thrown away at its end. */

import { concatBytes, GrowingBytes } from "../../../bytes.ts";
import { Aborted, NO_EXECUTION } from "../../../control/cell.ts";
import { BorrowedClock, type GuestClock } from "../../../control/guest_clock.ts";
import { ExitCode } from "../../../exit_code.ts";
import { type HostReply, replyOf } from "../../../host_calls/bridge.ts";
import { DISPLAY_OPERATION, parseDisplay } from "../../../host_calls/display.ts";
import type { Dialect } from "../../../languages.ts";
import { WasiError } from "../../../wasi/errors.ts";
import type { RunOutcome, RuntimeHost, SynchronousRuntime } from "../../runtime.ts";
import { performOnSignals } from "../../signals.ts";
import { Sockets } from "../../sockets.ts";
import { finish, type Steps } from "../../steps.ts";
import { exitCodeOf } from "../exit_code.ts";
import { performOn, PROCESS_BEGIN } from "../processes.ts";
import type { Fiber } from "./fiber.ts";
import type { Interpreters, Pipes, ProgramOutput, SpawnRequest, Surroundings } from "./program.ts";
import type { StandardInput } from "./standard_input.ts";

/** Most that a process may print that is held as a whole. */
export const OUTPUT_MAX_BYTES = 64 * 1024 * 1024;
/** Most bytes of a program's text. */
export const PROGRAM_MAX_BYTES = 16 * 1024 * 1024;

const NO_BYTES = new Uint8Array(0);
/** How programs end that are not ended by others. */
const ENDED_BY_ITSELF: ReadonlySet<RunOutcome["status"]> = new Set(["completed", "failed", "exited"]);
const FUEL_USED_UP = "the fuel budget is used up\n";
/** What a program ends with that has no fuel to start with. */
export const NO_FUEL: ProgramEnd = { exitCode: ExitCode.outOfFuel, message: FUEL_USED_UP };
/** A part of an output would be taken for all of it. */
const TOO_MUCH: ProgramEnd = {
  exitCode: 1,
  message: `it printed more than ${OUTPUT_MAX_BYTES >> 20} MiB: let it write to a file\n`,
};

/** By which CPython ends itself where nobody has caught a KeyboardInterrupt. */
const INTERRUPT = 2;
/** As one ends that a signal ends, which tells it that nobody reads any more. */
export const BROKEN_PIPE: ProgramEnd = { exitCode: 128 + 13 };
/** What is written after its reader has gone is lost in a pipe, as much as this; then the writer is told. */
export const PIPE_BYTES = 64 * 1024;
/** How long one sleeps before it looks whether others have something to do, ms. */
const NAP_MS = 5;
/** What is handed on at once. */
const HELD_BYTES = 4 * 1024;

/** How a program ended, and what is said of that besides what it printed itself. */
export interface ProgramEnd {
  readonly exitCode: number;
  /** That ended it. */
  readonly signal?: number;
  readonly message?: string;
}

/** One piece of code to be run; those after one that did not complete are left out. */
export interface Part {
  readonly code: string;
  readonly filename: string;
  readonly dialect?: Dialect;
  /** It is only to be read: it fails if it is no program. */
  readonly checkOnly?: boolean;
}

export interface Process {
  readonly language: Exclude<keyof Interpreters, "pip">;
  readonly parts: readonly Part[];
  /** Run after them however they ended, unless they were stopped. */
  readonly last?: Part;
  readonly stdin: StandardInput;
  /** Whether the error with which the program ends is only its way to end. */
  ended?(): boolean;
  /** Answers the program's host calls; undefined for those that are for the server. */
  hostCall?(operation: string, request: Uint8Array, output: Outlet): HostReply | undefined;
}

/** Where what a process prints goes. */
export interface Outlet {
  /** @throws {Aborted} where nothing can come of what is written on: who writes is ended. */
  readonly write: (stream: "stdout" | "stderr", bytes: Uint8Array) => void;
  /** Gives what was written to its pipe: what comes line by line is gathered for a moment. @throws {Aborted} as `write`. */
  handOn(): void;
  /** Has all that was written be where it goes to. @throws {Aborted} as `write`. */
  flush(): void;
  /** Hands on as it runs what is written by a body of work, and by its end all of it. @returns What ends that. */
  enter(host: RuntimeHost): () => void;
  /** All that is held of it with how it ended; nothing of it but a failure if it was more than may be held. */
  ended(end: ProgramEnd): ProgramOutput & Required<Pick<ProgramOutput, "exitCode" | "stderr">>;
}

/** What processes print, up to a bound, and as long as somebody reads it. */
export class Output implements Outlet {
  readonly #written = { stdout: new GrowingBytes(), stderr: new GrowingBytes() };
  #room: number = OUTPUT_MAX_BYTES;
  #dropped = false;
  #held = new GrowingBytes();
  #last: "stdout" | "stderr" = "stdout";
  #isBusy = false;
  #unread = 0;

  /** @param pipes Where it goes as it comes; absent: it is held until its end. */
  constructor(private readonly pipes: Partial<Pick<Pipes, "write">> = {}) {}

  readonly write = (stream: "stdout" | "stderr", bytes: Uint8Array): void => {
    if (this.pipes.write) {
      if (stream !== this.#last) this.handOn();
      this.#last = stream;
      this.#held.push(bytes);
      if (this.#held.length >= HELD_BYTES) this.handOn();
      return;
    }
    const piece = bytes.subarray(0, this.#room);
    this.#room -= piece.length;
    this.#dropped ||= piece.length < bytes.length;
    this.#written[stream].push(piece);
    if (this.#dropped) throw new Aborted(NO_EXECUTION);
  };

  handOn(): void {
    if (this.#isBusy || this.#held.length === 0) return;
    const bytes = this.#held.view;
    this.#held = new GrowingBytes();
    this.#isBusy = true;
    try {
      if (this.pipes.write?.(this.#last, bytes) || this.#last === "stderr") return;
    } finally {
      this.#isBusy = false;
    }
    this.#unread += bytes.length;
    if (this.#unread > PIPE_BYTES) throw new Aborted(NO_EXECUTION);
  }

  flush(): void {
    this.handOn();
    this.pipes.write?.("stdout", NO_BYTES);
  }

  enter({ cell }: RuntimeHost): () => void {
    const { onSafePoint } = cell;
    cell.onSafePoint = (next) => {
      this.handOn();
      onSafePoint(next);
    };
    return () => {
      cell.onSafePoint = onSafePoint;
      this.#handOnRest();
    };
  }

  #handOnRest(): void {
    try {
      this.handOn();
    } catch (error) {
      // It has ended anyway.
      if (!(error instanceof Aborted) || error.execution !== NO_EXECUTION) throw error;
    }
  }

  ended(end: ProgramEnd): ReturnType<Outlet["ended"]> {
    this.#handOnRest();
    const { exitCode, message = "" } = this.#dropped
      ? TOO_MUCH
      : this.#unread > PIPE_BYTES
      ? BROKEN_PIPE
      : end;
    const told = new TextEncoder().encode(message);
    if (this.#dropped) return { stderr: told, exitCode };
    const { stdout, stderr } = this.#written;
    return { stdout: stdout.view, stderr: concatBytes([stderr.view, told]), exitCode };
  }
}

/** The host of something that works for a script while it waits. */
export function hostOf({ host }: Surroundings, write: RuntimeHost["write"]): RuntimeHost {
  return { ...host, clock: new BorrowedClock(host.clock), write };
}

/**
 * Has something work with the fuel that is left.
 *
 * @returns undefined if there was none to start with.
 */
export function withFuel<Outcome extends { readonly fuelConsumed: number }>(
  { fuel }: Surroundings,
  work: (budget: { readonly fuelBudget?: number }) => Outcome,
): Outcome | undefined {
  const left = fuel.left();
  if (left <= 0) return undefined;
  const outcome = work(Number.isFinite(left) ? { fuelBudget: left } : {});
  fuel.spend(outcome.fuelConsumed);
  return outcome;
}

/** That of a program whose waits are the others' time. */
export class SharedClock extends BorrowedClock {
  constructor(clock: GuestClock, private readonly pipes: Partial<Pick<Pipes, "giveWay" | "hasOthers">>) {
    super(clock);
  }

  override wait(ms: number): "elapsed" | "interrupted" {
    const begun = this.elapsed;
    const left = () => Math.max(0, ms - Number(this.elapsed - begun) / 1e6);
    for (;;) {
      this.pipes.giveWay?.(left());
      const isShared = this.pipes.hasOthers?.() ?? false;
      const looked = this.elapsed;
      const ended = super.wait(isShared ? Math.min(left(), NAP_MS) : left());
      // At the end of a virtual clock time stands still.
      if (ended === "interrupted" || !isShared || left() === 0 || this.elapsed === looked) return ended;
    }
  }
}

/** The clock of a program, by which others work while it waits. */
export function clockFor({ host: { clock } }: Surroundings, request: SpawnRequest): GuestClock {
  return request.fiber?.clockOver(clock) ?? new SharedClock(clock, request);
}

/** @returns What it printed, and its exit code. */
export function runProcess(
  surroundings: Surroundings,
  request: SpawnRequest,
  process: Process,
): ReturnType<Outlet["ended"]> {
  return finish(processInSteps(surroundings, request, process));
}

/** As {@link runProcess}. */
export function* processInSteps(
  surroundings: Surroundings,
  request: SpawnRequest,
  process: Process,
): Steps<ReturnType<Outlet["ended"]>> {
  const { env, cwd, fiber, processes } = request;
  const output: Outlet = fiber ?? new Output(request);
  const { loopback } = surroundings.host;
  const sockets = loopback &&
    new Sockets(loopback, () => fiber !== undefined || request.hasOthers?.() === true);
  if (fiber && sockets) fiber.serves = () => sockets.listens;
  const host: RuntimeHost = {
    ...hostOf(surroundings, output.write),
    env,
    cwd,
    ...(fiber && {
      suspension: fiber,
      signals: fiber.signals,
      hasInput: (only) => hasInput(process.stdin, fiber, only),
    }),
    clock: clockFor(surroundings, request),
    read: (buffer) => {
      output.handOn();
      if (fiber?.signals.areWaiting && !process.stdin.isReady) throw new WasiError("EINTR");
      return process.stdin.read(buffer);
    },
    hostCall: (operation, request, bytes) => {
      if (operation === PROCESS_BEGIN) output.flush();
      const answer = sockets?.perform(operation, request, bytes) ??
        (processes && performOn(processes, operation, request, bytes)) ??
        performOnSignals(fiber?.signals, operation, request) ??
        process.hostCall?.(operation, request, output);
      if (answer) return answer;
      // The value of a file's last expression is nothing that a process shows.
      const unasked = operation === DISPLAY_OPERATION &&
        parseDisplay(request, bytes ?? NO_BYTES)?.source === "result";
      return unasked ? replyOf(null) : surroundings.host.hostCall(operation, request, bytes);
    },
  };
  const runCommand = surroundings.runnerFor(host);
  const runtime = surroundings.interpreters[process.language]({
    ...host,
    runCommand: (command) => {
      const run = () => {
        output.flush();
        return runCommand(command);
      };
      return fiber ? fiber.nest(run) : run();
    },
  });
  const leave = output.enter(host);
  // What runs beside others takes its fuel from what is there for all, whatever script runs then.
  const budgetOf = fiber ? () => Infinity : (left: number) => left;
  let outcome: RunOutcome | undefined;
  try {
    outcome = yield* runParts(surroundings, runtime, process.parts, budgetOf);
    if (process.last && outcome && ENDED_BY_ITSELF.has(outcome.status)) {
      yield* runParts(surroundings, runtime, [process.last], budgetOf);
    }
  } finally {
    leave();
    sockets?.close();
    processes?.release();
    runtime.discard();
  }
  const { message = "", ...end } = outcome ? endOf(outcome) : NO_FUEL;
  return output.ended({ ...end, message: process.ended?.() ? "" : message });
}

function hasInput(stdin: StandardInput, fiber: Fiber, only: boolean): boolean {
  if (!stdin.isReady) fiber.wantInput(only);
  return stdin.isReady;
}

/** @returns undefined if there was no fuel left to start with. */
function* runParts(
  { fuel }: Surroundings,
  runtime: SynchronousRuntime,
  parts: readonly Part[],
  budgetOf: (left: number) => number,
): Steps<RunOutcome | undefined> {
  let outcome: RunOutcome | undefined;
  for (const [at, part] of parts.entries()) {
    const next = parts.slice(at + 1).map(({ code }) => code).join("\n");
    const fuelBudget = fuel.left();
    if (fuelBudget <= 0) return undefined;
    const own = budgetOf(fuelBudget);
    const budget = Number.isFinite(own) ? { fuelBudget: own } : {};
    const request = { ...part, next, resultMaxBytes: OUTPUT_MAX_BYTES, ...budget };
    outcome = runtime.executeInSteps ? yield* runtime.executeInSteps(request) : runtime.executeNow(request);
    fuel.spend(outcome.fuelConsumed);
    if (outcome.status !== "completed") break;
  }
  return outcome;
}

/** How a run ends as a program of the shell. */
export function endOf(outcome: RunOutcome): ProgramEnd {
  const isInterrupted = outcome.status === "failed" && outcome.error.type === "KeyboardInterrupt";
  const end = { exitCode: exitCodeOf(outcome), message: lastWordsOf(outcome) };
  return isInterrupted ? { ...end, signal: INTERRUPT } : end;
}

/** What its interpreter tells of its end. */
function lastWordsOf(outcome: RunOutcome): string {
  switch (outcome.status) {
    case "failed":
      return outcome.error.isTold ? "" : `${outcome.error.traceback.trimEnd()}\n`;
    case "out_of_fuel":
      return FUEL_USED_UP;
    case "out_of_memory":
      return `${outcome.error?.traceback.trimEnd() ?? "out of memory"}\n`;
    case "crashed":
      return `${outcome.reason}\n`;
    default:
      return "";
  }
}
