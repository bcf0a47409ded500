/** How work is stopped that the Worker itself does for a guest: it has no fuel, so each step of it looks at the control cell. */

import type { ControlCell } from "./cell.ts";
import { WorkerHeap } from "./worker_heap.ts";

/** The work is to end; thrown by whatever looks. */
export class Stopped extends Error {
  override name = "Stopped";
  constructor() {
    super("the script was stopped");
  }
}

/** Looks between two looks at the clock and the cell. */
const STRIDE = 64;

export class StopSign {
  #looks = 0;
  readonly heap = new WorkerHeap();

  constructor(readonly cell: ControlCell) {}

  /** For small steps: looks now and then. @throws {Stopped} if it is to end. @throws {Aborted} on a hard stop. */
  check(): void {
    if (++this.#looks % STRIDE === 0) this.checkNow();
  }

  /** For large steps. @throws {Stopped} if it is to end. @throws {Aborted} on a hard stop. */
  checkNow(): void {
    this.cell.throwIfAborted();
    if (this.cell.requested() !== "none" || this.heap.full) throw new Stopped();
  }
}
