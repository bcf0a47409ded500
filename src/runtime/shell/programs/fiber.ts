/** A program of a script on a stack of its own: it runs until it has to wait for its pipes, and goes on when the shell has it. */

import { Aborted, NO_EXECUTION } from "../../../control/cell.ts";
import { BorrowedClock, type GuestClock } from "../../../control/guest_clock.ts";
import { runMicrotasks } from "../../microtasks.ts";
import { GuestSignals } from "../../signals.ts";
import { MustWait, onOwnStack, type Suspension, type Waits } from "../../stack_switching.ts";
import type { Pause, Steps, WasmCall } from "../../steps.ts";
import { FuelShare } from "./fuel_share.ts";
import { HeldOutput, type Piece } from "./held_output.ts";
import type { FuelPurse, Pipes, Spawned } from "./program.ts";
import { BROKEN_PIPE, type Outlet, PIPE_BYTES, type ProgramEnd } from "./process.ts";
import { StandardInput } from "./standard_input.ts";

/** What it may hold of what it has printed, and for how long if that is less. */
const HELD_BYTES = 64 * 1024;
const HELD_MS = 1;
/** How long it works before others have a turn. */
const TURN_MS = 10;

const NO_BYTES = new Uint8Array(0);
const KILL = 9;
const KILLED: Spawned = { exitCode: 1, stdout: NO_BYTES, stderr: NO_BYTES };

/** What a program came to when it was left. */
export type Left =
  | { readonly kind: "ended"; readonly exitCode: number; readonly signal: number }
  /** It waits for what comes next of its input. */
  | { readonly kind: "reads" }
  /** It has printed this, and may wait for that to be taken. */
  | { readonly kind: "printed"; readonly stream: "stdout" | "stderr"; readonly bytes: Uint8Array }
  /** It goes on when so much time has passed; 0: others have a turn. Or when somebody connects, or something of its input comes. */
  | { readonly kind: "sleeps"; readonly ms: number; readonly serves: boolean; readonly reads: Wanted }
  /** Whoever asks works for such a program itself: none can go on there. */
  | { readonly kind: "not_now" };

/** Whether it takes what comes of its input while it sleeps, and whether it sleeps for nothing else. */
export type Wanted = "no" | "also" | "only";

/** How much time a program has. */
export interface LimitRequest {
  readonly ms: number;
  readonly signal: number;
  /** How long after a signal that it heeds it is killed; undefined: never. */
  readonly killAfterMs: number | undefined;
  /** What it ends with then, if that is not to be its own. */
  readonly lateCode: number;
  readonly preserveStatus: boolean;
}

interface TimeLimit extends LimitRequest {
  /** What is left of a time since it began, ms. */
  readonly left: (ms: number) => number;
}

/** One of them is running. */
let isRunning = false;

/** Whether such a program could run here. */
export function canRunFibers(): boolean {
  return !isRunning && runMicrotasks();
}

export class Fiber implements Suspension, Outlet {
  readonly input: StandardInput;
  readonly fuel: FuelShare;
  readonly #pipes: Pick<Pipes, "write">;
  #steps: Steps<Spawned> | undefined;
  #begun = false;
  #exitCode: number | undefined;
  #failure: { readonly error: unknown } | undefined;

  /** Whether it is in a call of its own, which can be left. */
  #mayWait = false;
  /** Commands that work for it. */
  #nested = 0;
  #waiting: PromiseWithResolvers<void> | undefined;
  /** Whether it waits for its input. */
  #reads = false;
  #wanted: Wanted = "no";
  #given: Uint8Array[] = [];
  /** What is left of its sleep, ms. */
  #sleepLeft: (() => number) | undefined;
  /** When it went on last, and whether it has worked for its turn since. */
  #resumed = 0;
  #givesWay = false;

  /** Whether others can connect to it. */
  serves: () => boolean = () => false;

  readonly signals = new GuestSignals();
  /** The one that ended it; 0: none. */
  #endedBy = 0;

  /** When it is ended, if it has not ended by itself. */
  #limit: TimeLimit | undefined;
  /** Said in place of its own exit code. */
  #lateCode: number | undefined;

  readonly #held = new HeldOutput();
  #printed: Piece | undefined;
  /** What was written since nobody reads it. */
  #unread = 0;

  /** @param purse Of all programs. @param pipes Used where it can't be left: while commands work for it. */
  constructor(purse: FuelPurse, pipes: Pick<Pipes, "write">) {
    this.fuel = new FuelShare(purse);
    this.#pipes = pipes;
    this.input = new StandardInput(() => this.#given.shift()!, () => this.#given.length > 0);
  }

  /** To be called before it first goes on. */
  run(steps: Steps<Spawned>): void {
    this.#steps = steps;
  }

  /** What comes next of its input; nothing: its end. */
  give(bytes: Uint8Array): void {
    this.#given.push(bytes);
    this.#reads = false;
    this.#wanted = "no";
  }

  /** Has what comes of its input be there when it has slept. */
  wantInput(only: boolean): void {
    this.#wanted = only ? "only" : "also";
  }

  /** Nobody reads what it printed last. */
  lose(): void {
    const { stream, bytes } = this.#printed!;
    if (stream === "stdout") this.#unread += bytes.length;
  }

  /** It gets a signal that it heeds. */
  signal(signal: number): void {
    this.signals.come(signal);
    this.#reads = false;
    this.#wanted = "no";
    this.#sleepLeft = undefined;
  }

  /** Ends it when so much time has passed: by a signal, if it heeds that. */
  endAfter(limit: LimitRequest, clock: GuestClock): void {
    const begun = clock.elapsed;
    this.#limit = { ...limit, left: (ms) => ms - Number(clock.elapsed - begun) / 1e6 };
  }

  /** Has it go on until it waits. @throws what was no end of a program's. */
  goOn(): Left {
    for (;;) {
      const left = this.#left();
      if (left) return left;
      if (this.#endIfLate()) continue;
      if (!canRunFibers()) return { kind: "not_now" };
      this.#resume();
      if (this.#failure) throw this.#failure.error;
      if (!this.#waiting && this.#exitCode === undefined) throw new Error("a program did not come to a stop");
    }
  }

  #left(): Left | undefined {
    const printed = this.#printed = this.#held.take();
    if (printed) return { kind: "printed", stream: printed.stream, bytes: printed.bytes.view };
    if (this.#exitCode !== undefined) {
      return { kind: "ended", exitCode: this.#lateCode ?? this.#exitCode, signal: this.#endedBy };
    }
    if (this.#reads) return { kind: "reads" };
    const ms = Math.min(this.#sleepLeft?.() ?? 0, this.#limit?.left(this.#limit.ms) ?? Infinity);
    if (ms > 0) return { kind: "sleeps", ms, serves: this.serves(), reads: this.#wanted };
    if (!this.#givesWay) return undefined;
    this.#givesWay = false;
    return { kind: "sleeps", ms: 0, serves: false, reads: "no" };
  }

  /** @returns Whether it was late: it has ended, or has a signal that it heeds. */
  #endIfLate(): boolean {
    const limit = this.#limit;
    if (!limit || limit.left(limit.ms) > 0) return false;
    const { ms, killAfterMs, signal, lateCode, preserveStatus } = limit;
    if (this.#lateCode === undefined && this.signals.heeds(signal)) {
      if (!preserveStatus) this.#lateCode = lateCode;
      this.signal(signal);
      this.#limit = killAfterMs === undefined ? undefined : { ...limit, ms: ms + killAfterMs, signal: KILL };
      return true;
    }
    this.end();
    this.#exitCode = signal === KILL ? 128 + KILL : lateCode;
    this.#lateCode = undefined;
    return true;
  }

  /** Ends it where it is. What it has printed is dropped. */
  end(): void {
    const runs = this.#begun && this.#exitCode === undefined;
    if (runs && canRunFibers()) this.#resume(new Aborted(NO_EXECUTION));
    // Where its stack can't be unwound it is never gone on with.
    if (this.#exitCode === undefined) this.#steps?.return(KILLED);
    this.#exitCode ??= KILLED.exitCode;
    this.#held.drop();
  }

  #resume(end = this.#isLost() ? new Aborted(NO_EXECUTION) : undefined): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#resumed = performance.now();
    isRunning = true;
    try {
      if (!this.#begun) {
        this.#begun = true;
        void this.#run(this.#steps!);
      } else if (end) waiting?.reject(end);
      else waiting?.resolve();
      runMicrotasks();
    } finally {
      isRunning = false;
    }
  }

  /** Never rejected. */
  async #run(steps: Steps<Spawned>): Promise<void> {
    try {
      let step = steps.next(0);
      while (!step.done) {
        const wanted = step.value;
        let returned: number;
        try {
          returned = await (
            wanted === "input"
              ? this.#awaitInput()
              : "ms" in wanted
              ? this.#awaitTime(wanted)
              : this.#make(wanted)
          );
        } catch (error) {
          step = steps.throw(error);
          continue;
        }
        step = steps.next(returned);
      }
      const { stdout, stderr, exitCode, signal = 0 } = step.value;
      this.#endedBy = signal;
      if (stdout.length > 0) this.#held.push("stdout", stdout);
      if (stderr.length > 0) this.#held.push("stderr", stderr);
      this.#exitCode = exitCode;
    } catch (error) {
      this.#failure = { error };
      this.#exitCode = KILLED.exitCode;
    }
  }

  async #make({ call, args, meter }: WasmCall): Promise<number> {
    this.fuel.begin(meter);
    this.#mayWait = true;
    try {
      return await onOwnStack(call)(...args);
    } finally {
      this.#mayWait = false;
      this.fuel.end();
    }
  }

  async #awaitInput(): Promise<number> {
    this.#reads = true;
    await this.#suspended();
    return 0;
  }

  async #awaitTime({ ms, clock, meter }: Pause): Promise<number> {
    if (meter) this.fuel.lookAt(meter);
    const begun = clock.elapsed;
    this.#sleepLeft = () => ms - Number(clock.elapsed - begun) / 1e6;
    try {
      await this.#suspended();
    } finally {
      this.#sleepLeft = undefined;
    }
    return 0;
  }

  #suspended(): Promise<void> {
    this.#waiting = Promise.withResolvers();
    return this.#waiting.promise;
  }

  // What it does while it runs.

  mustWait(before: Waits): boolean {
    if (before === "work") this.fuel.look();
    if (!this.#mayWait || this.#nested > 0) return false;
    switch (before) {
      case "read":
        this.#reads = this.#held.isEmpty && !this.input.isReady && !this.signals.areWaiting;
        return this.#reads || !this.#held.isEmpty;
      case "write":
        return this.#held.length >= HELD_BYTES;
      case "sleep":
        return !this.#held.isEmpty;
      case "work":
        this.#givesWay = performance.now() - this.#resumed >= TURN_MS;
        return this.#givesWay || this.#held.ms >= HELD_MS;
    }
  }

  async wait(): Promise<void> {
    this.#mayWait = false;
    await this.#suspended();
    this.#mayWait = true;
  }

  /** A clock by which it sleeps while others work. */
  clockOver(clock: GuestClock): GuestClock {
    return new FiberClock(clock, (ms) => this.#sleep(clock, ms));
  }

  /** @throws {MustWait} until that is over. */
  #sleep(clock: GuestClock, ms: number): "elapsed" | "interrupted" {
    if (!this.#mayWait || this.#nested > 0) return clock.wait(ms);
    if (this.signals.areWaiting) return "interrupted";
    const begun = clock.elapsed;
    this.#sleepLeft ??= () => ms - Number(clock.elapsed - begun) / 1e6;
    const ended = clock.wait(0);
    if (ended === "elapsed" && this.#sleepLeft() > 0) throw new MustWait();
    return ended;
  }

  /** Where it sleeps until a moment that has come when it goes on, it does not ask the clock again. */
  slept(): void {
    this.#sleepLeft = undefined;
  }

  // What it prints.

  readonly write = (stream: "stdout" | "stderr", bytes: Uint8Array): void => {
    this.#held.push(stream, bytes);
    if (this.#nested > 0 || !this.#mayWait && this.#held.length >= HELD_BYTES) this.#handOnNow();
  };

  /** Nothing: it is handed on where it waits. */
  enter(): () => void {
    return () => {};
  }

  handOn(): void {
    if (this.#nested > 0) this.#handOnNow();
  }

  #handOnNow(): void {
    while ((this.#printed = this.#held.take())) {
      if (!this.#pipes.write(this.#printed.stream, this.#printed.bytes.view)) this.lose();
      if (this.#isLost()) throw new Aborted(NO_EXECUTION);
    }
  }

  flush(): void {
    this.handOn();
    this.#pipes.write("stdout", NO_BYTES);
  }

  /** Runs what can't be left: a command that works for it. */
  nest<T>(body: () => T): T {
    this.#nested++;
    try {
      this.handOn();
      const outcome = body();
      this.flush();
      return outcome;
    } finally {
      this.#nested--;
    }
  }

  #isLost(): boolean {
    return this.#unread > PIPE_BYTES;
  }

  ended(end: ProgramEnd): ReturnType<Outlet["ended"]> {
    const { exitCode, message = "", signal = 0 } = this.#isLost() ? BROKEN_PIPE : end;
    return { exitCode, stderr: message, signal };
  }
}

/** Its own sleep, and the time of all. */
class FiberClock extends BorrowedClock {
  constructor(clock: GuestClock, override readonly wait: GuestClock["wait"]) {
    super(clock);
  }
}
