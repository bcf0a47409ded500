/** How many packages each session has received, whatever language they are for. */

import type { HostCallContext } from "../../host_calls/operations.ts";
import { Refusal } from "../index/refusal.ts";

/** How many requests one session may make in its lifetime. */
const MAX_REQUESTS = 20_000;
/** How many sessions are counted; beyond that, the oldest is forgotten. */
const MAX_SESSIONS = 10_000;

interface Use {
  bytes: number;
  requests: number;
}

export class Uses {
  readonly #uses = new Map<string, Use>();

  constructor(readonly sessionBytes: number) {}

  /** @throws {Refusal} quota */
  asks(session: HostCallContext): void {
    if (++this.#of(session).requests > MAX_REQUESTS) {
      const message = `this session has asked for packages ${MAX_REQUESTS} times, which is the limit`;
      throw new Refusal("quota", message);
    }
  }

  /** Call this before fetching bytes. @throws {Refusal} quota */
  checkBytes(session: HostCallContext): void {
    if (this.#of(session).bytes >= this.sessionBytes) {
      const message = `this session was given ${this.sessionBytes} bytes of packages, which is the limit`;
      throw new Refusal("quota", message);
    }
  }

  given(session: HostCallContext, bytes: number): void {
    this.#of(session).bytes += bytes;
  }

  #of({ principal, sessionId }: HostCallContext): Use {
    const key = `${sessionId} ${principal}`; // a session's id has no spaces
    const known = this.#uses.get(key);
    if (known) return known;
    const use = { bytes: 0, requests: 0 };
    this.#uses.set(key, use);
    for (const oldest of this.#uses.keys()) {
      if (this.#uses.size <= MAX_SESSIONS) break;
      this.#uses.delete(oldest);
    }
    return use;
  }
}
