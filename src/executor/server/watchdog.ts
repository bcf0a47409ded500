/** Looks whether an executor still answers. */

import type { ExecutorEndCause } from "../../telemetry/events.ts";

export interface WatchdogLimits {
  /** How long it may be silent after a ping, ms. */
  readonly executorWatchdogMs: number;
}

/** What the watchdog watches. */
export interface Watched {
  ping(): void;
  kill(cause: ExecutorEndCause, reason: string): void;
}

/** Pings in each watchdog period; an answer has at least this many chances. */
const PINGS_PER_PERIOD = 4;

export class Watchdog implements Disposable {
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #period: number;
  /** Pings since it last said something. */
  #unanswered = 0;
  #due = 0;

  constructor(readonly watched: Watched, readonly limits: WatchdogLimits) {
    this.#period = limits.executorWatchdogMs / PINGS_PER_PERIOD;
    this.#due = performance.now() + this.#period;
    this.#timer = setInterval(() => this.#look(), this.#period);
    Deno.unrefTimer(this.#timer);
  }

  /** The executor answered, or told by itself that it is there. */
  pong(): void {
    this.#unanswered = 0;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const late = performance.now() - this.#due;
    this.#due = performance.now() + this.#period;
    // If this process itself stood still, answers may be waiting unread: judge after they were read.
    if (late > this.#period) this.#unanswered = 0;
    if (this.#unanswered >= PINGS_PER_PERIOD) {
      const seconds = this.limits.executorWatchdogMs / 1000;
      return this.watched.kill("unresponsive", `its process did not answer for ${seconds} s`);
    }
    this.#unanswered++;
    this.watched.ping();
  }
}
