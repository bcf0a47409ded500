/** A session's stay in a server: how long it may be idle, hold a Worker, and live. */

import type { Limits } from "../config/limits.ts";
import type { Session } from "./session.ts";

export type StayLimits = Pick<Limits, "sessionIdleMs" | "sessionLiveMs" | "sessionMaxAgeMs">;

type Timer = ReturnType<typeof setTimeout>;

export class Tenancy implements Disposable {
  /** It stays with this server, idle or not, as long as there is room. */
  pinned = false;
  #idle: Timer | undefined;
  #live: Timer | undefined;
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
    this.used();
  }

  /** Starts its idle time anew. */
  used(): void {
    this.#watchIdle(this.limits.sessionIdleMs);
    this.#watchLive(this.limits.sessionLiveMs);
  }

  [Symbol.dispose](): void {
    for (const timer of [this.#idle, this.#live, this.#age]) clearTimeout(timer);
  }

  #watchIdle(ms: number): void {
    clearTimeout(this.#idle);
    this.#idle = unrefTimeout(() => {
      const left = this.limits.sessionIdleMs - this.session.idleMs;
      if (left > 0) return this.#watchIdle(left);
      const { session } = this;
      if (!this.pinned && !session.waitsForStore) return this.ended("idle");
      session.sleep({ programs: true });
      void session.save();
      this.used();
    }, ms);
  }

  /** Frees its Worker after a while, and keeps the session. */
  #watchLive(ms: number): void {
    clearTimeout(this.#live);
    this.#live = unrefTimeout(() => {
      const left = this.limits.sessionLiveMs - this.session.idleMs;
      if (left > 0) this.#watchLive(left);
      else this.session.sleep();
    }, ms);
  }
}

/** Keeps no process alive. */
function unrefTimeout(work: () => void, ms: number): Timer {
  const timer = setTimeout(work, ms);
  Deno.unrefTimer(timer);
  return timer;
}
