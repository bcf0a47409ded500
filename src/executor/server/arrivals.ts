/** Sessions on their way into executors, with all that they hold: each comes in when there is room for that. */

import type { ExecutorProcess } from "./executor_process.ts";
import type { Load } from "./relief.ts";

/** One session, until it is in or has given up. */
class Arrival implements Disposable {
  readonly #admitted = Promise.withResolvers<void>();
  waiting = true;
  /** Whether it is in: the next measurement has it. */
  over = false;

  constructor(readonly executor: ExecutorProcess, readonly bytes: number) {}

  /** Resolves when it may come in. */
  get admitted(): Promise<void> {
    return this.#admitted.promise;
  }

  admit(): void {
    this.waiting = false;
    this.#admitted.resolve();
  }

  [Symbol.dispose](): void {
    this.admit();
    this.over = true;
  }
}

export class Arrivals {
  readonly #all = new Set<Arrival>();

  /** @param bytes What it will need. */
  expect(executor: ExecutorProcess, bytes: number): Arrival {
    const arrival = new Arrival(executor, bytes);
    this.#all.add(arrival);
    return arrival;
  }

  /** Whether any waits. */
  get waiting(): boolean {
    return [...this.#all].some(({ waiting }) => waiting);
  }

  /** What those need that wait for room under this bound, bytes. */
  wantedOf(load: Load): number {
    return this.#bytes(load, ({ waiting }) => waiting);
  }

  /** Those that are in by now: once memory was measured they are no arrivals any more. */
  get over(): readonly Arrival[] {
    return [...this.#all].filter(({ over }) => over);
  }

  forget(arrivals: readonly Arrival[]): void {
    for (const arrival of arrivals) this.#all.delete(arrival);
  }

  /**
   * Lets those in for whom there is room, in their order.
   *
   * @param roomOf Bytes that are left under a bound, by the last measurement.
   */
  admit(loads: readonly Load[], roomOf: (load: Load) => number): void {
    for (const arrival of this.#all) {
      if (!arrival.waiting) continue;
      const fits = loads.filter((load) => concerns(load, arrival)).every((load) =>
        roomOf(load) - this.#bytes(load, ({ waiting }) => !waiting) >= arrival.bytes
      );
      if (fits) arrival.admit();
    }
  }

  /** Lets all in, whether or not there is room for them. */
  admitAll(): void {
    for (const arrival of this.#all) arrival.admit();
  }

  #bytes(load: Load, of: (arrival: Arrival) => boolean): number {
    return [...this.#all].filter((arrival) => of(arrival) && concerns(load, arrival))
      .reduce((sum, { bytes }) => sum + bytes, 0);
  }
}

/** Whether a session comes under a bound: that of its executor, or of all of them. */
function concerns({ executors }: Load, { executor }: Arrival): boolean {
  return executors.size > 1 || executors.has(executor);
}
