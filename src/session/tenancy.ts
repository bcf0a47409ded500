/** A session's stay in a server: how long it may be idle, hold a Worker, and live. */

import type { Limits } from "../config/limits.ts";
import type { Session } from "./session.ts";

export type StayLimits = Pick<Limits, "sessionIdleMs" | "sessionLiveMs" | "sessionMaxAgeMs">;

type Timer = ReturnType<typeof setTimeout>;

export class Tenancy implements Disposable {
  /** It stays with this server, idle or not, as long as there is room. */
  pinned = false;
  readonly #idle: IdleWatch;
  /** Frees its Worker after a while, and keeps the session. */
  readonly #live: IdleWatch;
  readonly #age: Timer | undefined;

  /**
   * @param limits Looked up when they are needed: they may change. @param ended It was idle for too long, or is too old.
   */
  constructor(
    readonly session: Session,
    readonly limits: StayLimits,
    readonly ended: (cause: "idle" | "age") => void,
  ) {
    const { sessionMaxAgeMs } = limits;
    if (sessionMaxAgeMs !== null) this.#age = unrefTimeout(() => ended("age"), sessionMaxAgeMs);
    this.#idle = new IdleWatch(session, () => limits.sessionIdleMs, () => this.#wasIdle());
    this.#live = new IdleWatch(session, () => limits.sessionLiveMs, () => session.sleep());
    this.used();
  }

  /** Starts its idle time anew. */
  used(): void {
    this.#idle.used();
    this.#live.used();
  }

  [Symbol.dispose](): void {
    this.#idle[Symbol.dispose]();
    this.#live[Symbol.dispose]();
    clearTimeout(this.#age);
  }

  #wasIdle(): void {
    const { session } = this;
    if (!this.pinned && !session.waitsForStore) return this.ended("idle");
    session.sleep({ programs: true });
    void session.save();
    this.used();
  }
}

/**
 * Waits until a session was idle for long enough. A call leaves the timer that runs as it is, which looks at the time when
 * it rings: to set it anew for each would take longer than much else that a call has to do.
 */
class IdleWatch implements Disposable {
  #timer: Timer | undefined;
  /** That the timer was set for. */
  #limitMs = 0;

  constructor(
    readonly session: Pick<Session, "idleMs">,
    readonly limitMs: () => number,
    readonly wasIdle: () => void,
  ) {}

  used(): void {
    const limitMs = this.limitMs();
    if (this.#timer !== undefined && this.#limitMs === limitMs) return;
    this.#limitMs = limitMs;
    this.#wait(limitMs);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #wait(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = unrefTimeout(() => {
      this.#timer = undefined;
      const left = this.limitMs() - this.session.idleMs;
      if (left > 0) this.#wait(left);
      else this.wasIdle();
    }, ms);
  }
}

/** Keeps no process alive. */
function unrefTimeout(work: () => void, ms: number): Timer {
  const timer = setTimeout(work, ms);
  Deno.unrefTimer(timer);
  return timer;
}
