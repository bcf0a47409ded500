/** A second thread that stops executions at moments of its own: the executor's part in python_stop_test.ts. */

import { ControlCell } from "../../../../src/control/cell.ts";

/** Words of the shared array: which execution to stop (negative: end), after how many microseconds, and the last done. */
export const TARGET = 0;
export const DELAY = 1;
export const DONE = 2;

interface Start {
  readonly cell: SharedArrayBuffer;
  readonly orders: SharedArrayBuffer;
}

const scope = globalThis as unknown as { postMessage(message: unknown): void };

/** Says when it is there. */
function serve({ cell: buffer, orders: shared }: Start): void {
  const cell = new ControlCell(buffer);
  const orders = new Int32Array(shared);
  scope.postMessage("ready");
  for (let target = 0; target >= 0;) {
    Atomics.wait(orders, TARGET, target);
    target = Atomics.load(orders, TARGET);
    const until = performance.now() + Atomics.load(orders, DELAY) / 1000;
    while (performance.now() < until);
    cell.interrupt(target);
    Atomics.store(orders, DONE, target);
    Atomics.notify(orders, DONE);
  }
}

addEventListener("message", (event) => serve((event as MessageEvent<Start>).data));
