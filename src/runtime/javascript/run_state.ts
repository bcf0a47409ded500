/** Whether a program is to run on: what stops it from outside, and whether it has ended itself. */

import type { ControlCell } from "../../control/cell.ts";
import type { Value } from "./abi.ts";
import { GuestError } from "./guest_error.ts";
import type { HostFunction } from "./host_table.ts";
import type { Thrown } from "./values.ts";

export const STOPPED: unique symbol = Symbol("the run was asked to stop");
/** Program called `process.exit`. */
export const EXITED: unique symbol = Symbol("the program ended itself");
export const UNSETTLED: unique symbol = Symbol("what is awaited can never settle");

/** Why no more of a program runs. */
export type Stop = typeof STOPPED | typeof EXITED;
/** What ended a run early. */
export type Failure = Thrown | Stop | typeof UNSETTLED;

export function isValue(given: Value | Failure): given is Value {
  return typeof given === "number";
}

/** What a program gets to see that goes on after it has ended itself: it catches errors, say. */
const EXIT_MESSAGE = "the program has ended itself";

export class RunState {
  readonly #cell: ControlCell;
  /** False while our own code runs that a soft stop must not tear. */
  #interruptible = false;
  #exitCode: number | undefined;
  /** Whether a part of the program has had its time. */
  #overdue: () => boolean = () => false;

  constructor(cell: ControlCell) {
    this.#cell = cell;
  }

  begin(): void {
    this.#interruptible = true;
  }

  end(): void {
    this.#interruptible = false;
    this.#exitCode = undefined;
  }

  /** The code with which the present program has ended itself. */
  get exitCode(): number | undefined {
    return this.#exitCode;
  }

  /** The program's own code begins: what came before it can't have ended it. */
  forgetExit(): void {
    this.#exitCode = undefined;
  }

  /** Ends the program, if it has not ended itself before. @throws {GuestError} always. */
  exit(code: number): never {
    this.#exitCode ??= code & 0xff;
    throw new GuestError(EXIT_MESSAGE);
  }

  /** A program that has ended itself, and catches what should end it, gets nothing more from us. */
  unlessExited(functions: Readonly<Record<string, HostFunction>>): Record<string, HostFunction> {
    const checked = Object.entries(functions).map(([name, call]): [string, HostFunction] => [name, (args) => {
      if (this.#exitCode !== undefined) throw new GuestError(EXIT_MESSAGE);
      return call(args);
    }]);
    return Object.fromEntries(checked);
  }

  /** Whether no more of the program is to run. */
  get stopping(): boolean {
    return this.#exitCode !== undefined || this.#cell.requested() !== "none";
  }

  /** Why, where that is so. */
  get stopReason(): Stop {
    return this.#exitCode === undefined ? STOPPED : EXITED;
  }

  /** Whether code that is running now is to be interrupted. @throws {Aborted} on a hard stop. */
  interrupted(): boolean {
    this.#cell.throwIfAborted();
    return this.#interruptible && (this.stopping || this.#overdue());
  }

  /** A part of the program that is interrupted once it is overdue; what it is a part of may be before it. */
  within<T>(overdue: () => boolean, work: () => T): T {
    const outer = this.#overdue;
    this.#overdue = () => overdue() || outer();
    try {
      return work();
    } finally {
      this.#overdue = outer;
    }
  }

  /** Nothing but a hard stop ends `work` half-way. */
  uninterrupted<T>(work: () => T): T {
    const interruptible = this.#interruptible;
    this.#interruptible = false;
    try {
      return work();
    } finally {
      this.#interruptible = interruptible;
    }
  }
}
