import type { ControlCell } from "../../control/cell.ts";

/**
 * A program that went on after a KeyboardInterrupt gets the next one no sooner: time for its `finally` clauses. It is more
 * where it has more in all.
 */
const REPEAT_MS = 250;
const REPEATS_MOST = 4;
/**
 * A running program asks about once a millisecond. When it has not asked for longer, it did not run: it waited for a
 * file or for a processor. Of such a pause so much counts as time that it was given.
 */
const PAUSE_COUNTS_MS = 10;
/** A program that is to be interrupted and has not asked for so long does next to nothing but call the system. */
const OVERDUE_MS = 20;

/**
 * Turns the control cell's standing request into single KeyboardInterrupts. They come again, because one that is
 * raised in a destructor or a bare `except:` is lost.
 */
export class Interrupts {
  /** Milliseconds that the program is to be given before the next one. */
  #reprieve = 0;
  #asked = 0;
  /** Since when it is to be interrupted and has not asked. */
  #overdueSince: number | undefined;

  readonly #repeatMs: number;

  /** @param graceMs What a program that was interrupted has to end. */
  constructor(readonly cell: ControlCell, graceMs: number) {
    this.#repeatMs = Math.max(REPEAT_MS, graceMs / REPEATS_MOST);
  }

  /** Starts anew for an execution. */
  begin(): void {
    this.#reprieve = 0;
    this.#overdueSince = undefined;
  }

  /** To be asked after a call of the system: whether that is where the program is to be interrupted. */
  overdue(): boolean {
    if (this.cell.requested() !== "interrupt") return false;
    const now = performance.now();
    return now - (this.#overdueSince ??= now) > OVERDUE_MS;
  }

  /**
   * Whether the program is to be interrupted now. Each true is to be followed by one interrupt.
   *
   * @throws {Aborted} on a hard stop.
   */
  due(): boolean {
    this.cell.throwIfAborted();
    this.#overdueSince = undefined;
    if (this.cell.requested() !== "interrupt") return false;
    const now = performance.now();
    this.#reprieve -= Math.min(now - this.#asked, PAUSE_COUNTS_MS);
    this.#asked = now;
    if (this.#reprieve > 0) return false;
    this.#reprieve = this.#repeatMs;
    return true;
  }
}
