/** Sessions that ended by themselves, so that whoever goes on under the name of one is told that it began anew. */

import type { Loss } from "../checkpoints/loss.ts";
import type { Limits } from "../config/limits.ts";
import { keyOf } from "./names.ts";
import type { Session } from "./session.ts";

/** Of more, of all principals, the oldest are forgotten: some megabytes. Sessions that no call has named are among them. */
const MAX_REMEMBERED = 10_000;

export class EndedSessions {
  /** Why they ended. */
  readonly #reasons = new Map<string, string>();

  /** @param limits Looked up when they are needed: they may change. */
  constructor(readonly limits: Pick<Limits, "sessionIdleMs" | "sessionMaxAgeMs">) {}

  remember({ principal, id }: Session, cause: "idle" | "age"): void {
    const { sessionIdleMs, sessionMaxAgeMs } = this.limits;
    const why = cause === "idle"
      ? `it had been idle for ${sessionIdleMs / 1000} s (session_idle_seconds)`
      : `it was as old as a session may be (session_max_age_seconds: ${(sessionMaxAgeMs ?? 0) / 1000})`;
    this.#reasons.set(keyOf(principal, id), why);
    for (const oldest of this.#reasons.keys()) {
      if (this.#reasons.size <= MAX_REMEMBERED) break;
      this.#reasons.delete(oldest);
    }
  }

  /** What a session that begins under that name has to tell, once. */
  take(principal: string, id: string): Loss | undefined {
    const key = keyOf(principal, id);
    const why = this.#reasons.get(key);
    this.#reasons.delete(key);
    return why === undefined ? undefined : {
      state: "reset",
      notice:
        `The session "${id}" had ended, as ${why}: it began anew, without its earlier variables and files.`,
    };
  }
}
