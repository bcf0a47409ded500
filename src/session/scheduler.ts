/** Who may run now: bounds on what runs at once and on what waits, and turns between principals. */

import type { Limits } from "../config/limits.ts";
import { WasmboxError } from "../errors.ts";

/** What a refused caller is told to wait before the next try, ms. */
const RETRY_AFTER_MS = 1000;

interface Principal {
  calls: number;
  running: number;
  readonly waiting: (() => void)[];
}

export class Scheduler {
  /** In the order of their turns: who got a slot goes to the end. */
  readonly #principals = new Map<string, Principal>();
  #running = 0;

  constructor(readonly limits: Limits) {}

  /**
   * Lets a call in to wait for its turn.
   *
   * @returns To be disposed of when the call has ended.
   * @throws {WasmboxError} SESSION_BUSY if the principal has too many calls already.
   */
  admit(name: string): Disposable {
    const principal = this.#principal(name);
    const { maxQueuedCallsPerClient, maxConcurrentExecutionsPerClient } = this.limits;
    if (principal.calls >= maxQueuedCallsPerClient + maxConcurrentExecutionsPerClient) {
      throw new WasmboxError("SESSION_BUSY", `${principal.calls} calls of yours run or wait already.`, {
        suggestions: ["Wait for earlier calls to end, then try again."],
        context: { retry_after_ms: RETRY_AFTER_MS },
        retryable: true,
      });
    }
    principal.calls++;
    return once(() => {
      principal.calls--;
      if (principal.calls === 0) this.#principals.delete(name);
    });
  }

  /** Waits until one more execution of the principal may run. @returns To be disposed of when it has ended. */
  async slot(name: string): Promise<Disposable> {
    const principal = this.#principal(name);
    const turn = Promise.withResolvers<void>();
    principal.waiting.push(turn.resolve);
    this.#serve();
    await turn.promise;
    return once(() => {
      principal.running--;
      this.#running--;
      this.#serve();
    });
  }

  #principal(name: string): Principal {
    const principal = this.#principals.get(name) ?? { calls: 0, running: 0, waiting: [] };
    this.#principals.set(name, principal);
    return principal;
  }

  /** Gives free slots to those who wait, one principal after the other. */
  #serve(): void {
    const { maxConcurrentExecutions, maxConcurrentExecutionsPerClient } = this.limits;
    while (this.#running < maxConcurrentExecutions) {
      const next = [...this.#principals].find(([, principal]) =>
        principal.waiting.length > 0 && principal.running < maxConcurrentExecutionsPerClient
      );
      if (!next) return;
      const [name, principal] = next;
      this.#principals.delete(name);
      this.#principals.set(name, principal);
      principal.running++;
      this.#running++;
      principal.waiting.shift()?.();
    }
  }
}

/** A disposable that acts the first time only. */
function once(action: () => void): Disposable {
  let done = false;
  return {
    [Symbol.dispose]() {
      if (!done) action();
      done = true;
    },
  };
}
