/** How a script is stopped: just-bash is host code without fuel, so each step of it looks at the control cell. */

import type { ControlCell } from "./cell.ts";
import { WorkerHeap } from "./worker_heap.ts";

/** The running script is to end; thrown by whatever looks. */
export class Stopped extends Error {
  override name = "Stopped";
  constructor() {
    super("the script was stopped");
  }
}

/** Looks between two looks at the clock and the cell. */
const STRIDE = 64;

export class StopSign {
  /** Ends of the `timeout`s that the script is in, innermost last; `performance.now()`. */
  readonly #deadlines: number[] = [];
  #looks = 0;
  readonly heap = new WorkerHeap();

  constructor(readonly cell: ControlCell) {}

  /** In the form of an `AbortSignal`: just-bash asks this wherever it counts work. @throws {Aborted} on a hard stop. */
  get aborted(): boolean {
    if (++this.#looks % STRIDE !== 0) return false;
    return this.now();
  }

  /** Whether the script, or the part of it under a `timeout`, is to end. @throws {Aborted} on a hard stop. */
  now(): boolean {
    this.cell.throwIfAborted();
    return this.cell.requested() !== "none" || performance.now() >= this.deadline || this.heap.full;
  }

  /** For small steps: looks now and then. @throws {Stopped} if the script is to end. @throws {Aborted} on a hard stop. */
  check(): void {
    if (this.aborted) throw new Stopped();
  }

  /** For large steps. @throws {Stopped} if the script is to end. @throws {Aborted} on a hard stop. */
  checkNow(): void {
    if (this.now()) throw new Stopped();
  }

  /** When the innermost `timeout` strikes; Infinity without one. */
  get deadline(): number {
    return this.#deadlines.at(-1) ?? Infinity;
  }

  /** Runs `work` with `ms` at most. @returns Whether that was not enough. */
  async within<T>(
    ms: number,
    work: () => Promise<T>,
  ): Promise<{ readonly late: boolean; readonly value: T }> {
    const until = performance.now() + ms;
    this.#deadlines.push(Math.min(until, this.deadline));
    try {
      const value = await work();
      return { late: performance.now() >= until, value };
    } finally {
      this.#deadlines.pop();
    }
  }

  /** Waits, for no longer than the innermost `timeout` allows. @throws {Stopped} @throws {Aborted} */
  wait(ms: number, wait: (ms: number) => "elapsed" | "interrupted"): void {
    const left = this.deadline - performance.now();
    if (wait(Math.max(0, Math.min(ms, left))) === "interrupted" || left < ms) throw new Stopped();
  }
}
