import type { ControlCell } from "../../control/cell.ts";

/** A program that went on after a KeyboardInterrupt gets the next one no sooner: time for its `finally` clauses. */
const REPEAT_MS = 250;

/**
 * Turns the control cell's standing request into single KeyboardInterrupts. They come again, because one that is
 * raised in a destructor or a bare `except:` is lost.
 */
export class Interrupts {
  #next = 0;

  constructor(readonly cell: ControlCell) {}

  /** Starts anew for an execution. */
  begin(): void {
    this.#next = 0;
  }

  /**
   * Whether the program is to be interrupted now. Each true is to be followed by one interrupt.
   *
   * @throws {Aborted} on a hard stop.
   */
  due(): boolean {
    this.cell.throwIfAborted();
    if (this.cell.requested() !== "interrupt") return false;
    const now = performance.now();
    if (now < this.#next) return false;
    this.#next = now + REPEAT_MS;
    return true;
  }
}
