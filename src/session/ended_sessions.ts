/** Sessions that ended by themselves, so that whoever goes on under the name of one is told that it began anew. */

import type { Loss } from "../checkpoints/loss.ts";
import type { Limits } from "../config/limits.ts";
import { keyOf } from "./names.ts";
import type { Session } from "./session.ts";

/** Of more the oldest are forgotten. */
const MAX_REMEMBERED = 1000;

export class EndedSessions {
  readonly #losses = new Map<string, Loss>();

  /** @param limits Looked up when they are needed: they may change. */
  constructor(readonly limits: Pick<Limits, "sessionIdleMs" | "sessionMaxAgeMs">) {}

  remember({ principal, id }: Session, cause: "idle" | "age"): void {
    const { sessionIdleMs, sessionMaxAgeMs } = this.limits;
    const why = cause === "idle"
      ? `it had been idle for ${sessionIdleMs / 1000} s (session_idle_seconds)`
      : `it was as old as a session may be (session_max_age_seconds: ${(sessionMaxAgeMs ?? 0) / 1000})`;
    this.#losses.set(keyOf(principal, id), {
      state: "reset",
      notice:
        `The session "${id}" had ended, as ${why}: it began anew, without its earlier variables and files.`,
    });
    for (const oldest of this.#losses.keys()) {
      if (this.#losses.size <= MAX_REMEMBERED) break;
      this.#losses.delete(oldest);
    }
  }

  /** What a session that begins under that name has to tell, once. */
  take(principal: string, id: string): Loss | undefined {
    const key = keyOf(principal, id);
    const loss = this.#losses.get(key);
    this.#losses.delete(key);
    return loss;
  }
}
