/**
 * Sessions that calls without a session_id made, and that nobody has asked for again. A client that never names one leaves
 * a session behind with each call: the oldest of them go first when there is no room.
 */

import { keyOf } from "./names.ts";
import type { Session } from "./session.ts";

/** Names of sessions that were given up, so that who comes back for one is told. */
const MAX_REMEMBERED = 1000;

export class UnnamedSessions {
  /** Oldest first. */
  readonly #sessions = new Set<Session>();
  readonly #givenUp = new Set<string>();

  add(session: Session): void {
    this.#sessions.add(session);
  }

  /** It was asked for by its name, or has ended. */
  remove(session: Session): void {
    this.#sessions.delete(session);
  }

  /** Chooses the one to be ended, so that its principal has room. @returns undefined if all that it has are in use. */
  giveUp(principal: string): Session | undefined {
    const session = [...this.#sessions].find((session) => session.principal === principal && !session.busy);
    if (!session) return undefined;
    this.#sessions.delete(session);
    return session;
  }

  /** It is gone, and who comes back for it is told. */
  remember({ principal, id }: Session): void {
    this.#givenUp.add(keyOf(principal, id));
    for (const oldest of this.#givenUp) {
      if (this.#givenUp.size <= MAX_REMEMBERED) break;
      this.#givenUp.delete(oldest);
    }
  }

  /** Whether a session of that name was given up lately. */
  wasGivenUp(principal: string, id: string): boolean {
    return this.#givenUp.has(keyOf(principal, id));
  }
}
