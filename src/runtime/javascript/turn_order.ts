/**
 * Who of a program's threads goes on when: each that is ready has its turn where another one waits, on the stack of that
 * one. Time, fuel and what they see of shared memory go by it.
 */

import { Aborted } from "../../control/cell.ts";
import type { GuestClock } from "../../control/guest_clock.ts";
import { type FuelMeter, OutOfFuel } from "../../control/meter.ts";
import { INTERRUPTED, type Steps } from "../steps.ts";
import type { Ending } from "./ending.ts";
import { GuestError } from "./guest_error.ts";
import type { Mailboxes } from "./mailboxes.ts";
import type { SharedBuffers } from "./shared_buffers.ts";
import type { Thread } from "./thread.ts";
import type { Wake } from "./turns.ts";

export interface TurnParts {
  readonly clock: GuestClock;
  /** Of the program, which pays for its threads. */
  readonly meter: FuelMeter;
  readonly mail: Mailboxes<Thread>;
  readonly shared: SharedBuffers;
  readonly main: Thread;
  /** All others, in the order in which they were made. */
  readonly others: ReadonlyMap<number, Thread>;
  /** What becomes of one of them after its turn. @param failure What ended that, if it was no fault of its program's. */
  readonly afterTurn: (thread: Thread, failure?: { readonly error: unknown }) => void;
}

export class TurnOrder {
  readonly #parts: TurnParts;
  #waiters: { readonly place: string; isWoken: boolean }[] = [];

  constructor(parts: TurnParts) {
    this.#parts = parts;
  }

  /** Runs the program, and its threads where it waits. */
  *run(isStopping: () => boolean): Steps<Ending> {
    const { main, clock, meter } = this.#parts;
    this.#step(main, "elapsed");
    while (!main.ending) {
      const ms = this.#round(isStopping);
      if (ms === 0) continue;
      const ended = yield { ms, clock, meter };
      if (ended === INTERRUPTED) this.#step(main, "interrupted");
      else if (this.#isAlone) this.#step(main, "elapsed");
    }
    return main.ending;
  }

  get #isAlone(): boolean {
    return this.#parts.others.size === 0;
  }

  /** One turn for each that is ready. @returns How long all wait, ms, where none is; else 0. */
  #round(isStopping: () => boolean): number {
    const { main, mail } = this.#parts;
    const isAlone = this.#isAlone;
    const go = (wake: Wake) => {
      this.#step(main, wake);
      return 0;
    };
    if (isStopping()) return go("interrupted");
    if (!isAlone || mail.has(main)) {
      if (this.runOthers(undefined)) return 0;
    } else if (main.due <= 0) return go("elapsed");
    const next = isAlone ? main.due : this.#nextDue();
    if (next === Infinity) return go("over");
    const ms = Math.max(0, next - this.#now());
    return ms === 0 && isAlone ? go("elapsed") : ms;
  }

  #now(): number {
    return Number(this.#parts.clock.monotonic()) / 1e6;
  }

  get #all(): Thread[] {
    return [this.#parts.main, ...this.#parts.others.values()];
  }

  #nextDue(): number {
    return Math.min(...this.#all.map((each) => each.isBusy || each.ending ? Infinity : each.due));
  }

  /** A turn for each that is ready. @param self On whose stack that is. @returns Whether there was one. */
  runOthers(self: Thread | undefined): boolean {
    const { meter, shared, mail } = this.#parts;
    if (self) meter.charge(shared.leave(self));
    let hasRun = false;
    for (const thread of this.#all) {
      if (thread.isBusy || thread.ending) continue;
      const wake = mail.has(thread) ? "message" : thread.due <= this.#now() ? "elapsed" : undefined;
      if (!wake) continue;
      hasRun = true;
      this.#advance(thread, wake);
    }
    if (self) meter.charge(shared.enter(self));
    return hasRun;
  }

  #advance(thread: Thread, wake: Wake): void {
    const { main, meter, afterTurn } = this.#parts;
    if (thread === main) return this.#step(thread, wake);
    const own = thread.meter!;
    own.begin(meter.left());
    let failure: { readonly error: unknown } | undefined;
    try {
      this.#step(thread, wake);
    } catch (error) {
      if (error instanceof Aborted || error instanceof OutOfFuel) throw error;
      failure = { error };
    } finally {
      meter.charge(own.consumed());
    }
    afterTurn(thread, failure);
  }

  #step(thread: Thread, wake: Wake): void {
    const { meter, shared } = this.#parts;
    thread.isBusy = thread.hasBegun = true;
    try {
      meter.charge(shared.enter(thread));
      const { done, value } = thread.turns!.next(wake);
      meter.charge(shared.leave(thread));
      if (done) thread.ending = value;
      else thread.due = value === 0 || value === Infinity ? value : this.#now() + value;
    } finally {
      thread.isBusy = false;
    }
  }

  /**
   * Waits to be woken at a place of memory; others run meanwhile.
   *
   * @throws {GuestError} where nobody is left who could.
   */
  wait(self: Thread, place: string, ms: number, isStopping: () => boolean): "ok" | "timed-out" {
    const waiter = { place, isWoken: false };
    const until = ms === Infinity ? Infinity : this.#now() + ms;
    this.#waiters.push(waiter);
    try {
      while (!waiter.isWoken) {
        if (isStopping() || self.isEnding || this.#parts.main.ending || this.#now() >= until) {
          return "timed-out";
        }
        if (this.runOthers(self)) continue;
        const next = Math.min(until, this.#nextDue());
        if (next === Infinity) {
          throw new GuestError(
            "Atomics.wait: all others wait, too, so nobody can notify it (threads take turns, and run where one waits)",
          );
        }
        if (this.#parts.clock.wait(Math.max(0, next - this.#now())) === "interrupted") return "timed-out";
      }
      return "ok";
    } finally {
      this.#waiters = this.#waiters.filter((each) => each !== waiter);
    }
  }

  /** @returns How many were woken. */
  notify(place: string, count: number): number {
    const woken = this.#waiters.filter((each) => each.place === place && !each.isWoken).slice(0, count);
    for (const each of woken) each.isWoken = true;
    return woken.length;
  }
}
