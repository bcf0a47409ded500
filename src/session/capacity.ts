/** How many sessions a server takes, and which gives way where there are as many. */

import type { Limits } from "../config/limits.ts";
import { WasmboxError } from "../errors.ts";
import type { Session } from "./session.ts";
import type { Tenancy } from "./tenancy.ts";
import { UnnamedSessions } from "./unnamed.ts";

/**
 * Gives up a session of a principal's that nobody is known to need, so that there is room for another one.
 *
 * @returns False if there is none.
 */
export type Reclaimer = (principal: string) => boolean;

/** The sessions that there are. */
export interface Occupants {
  /** Whether a store has those that leave. */
  readonly durable: boolean;
  principals(): Iterable<string>;
  /** Those of a principal that count. */
  list(principal: string): readonly Session[];
  /** All of a principal's. */
  tenancies(principal: string): readonly Tenancy[];
  /** Ends one for which nobody waits. */
  leave(session: Session): void;
}

export class SessionCapacity {
  /** Asked in turn when a principal has no room. */
  readonly reclaimers = new Set<Reclaimer>();
  readonly #unnamed = new UnnamedSessions();
  /** Sessions that begin or wake, of each principal: they take room already. */
  readonly #arriving = new Map<string, number>();

  /** @param limits Looked up when they are needed: they may change. */
  constructor(
    readonly limits: Pick<Limits, "maxSessions" | "maxSessionsPerClient">,
    readonly occupants: Occupants,
  ) {}

  /**
   * Makes room for a session that begins or wakes, until it is there.
   *
   * @param needed A session that stays.
   * @throws {WasmboxError} TOO_MANY_SESSIONS, if the principal has none that can be given up.
   */
  arrive(principal: string, needed?: Session): Disposable {
    this.#makeRoom(principal, needed);
    this.#arriving.set(principal, (this.#arriving.get(principal) ?? 0) + 1);
    return {
      [Symbol.dispose]: () => {
        const others = this.#arriving.get(principal)! - 1;
        if (others > 0) this.#arriving.set(principal, others);
        else this.#arriving.delete(principal);
      },
    };
  }

  /** It may be given up for others until somebody asks for it by its name. */
  mayGo(session: Session): void {
    this.#unnamed.add(session);
  }

  /** Somebody asked for it by its name, or it has ended. */
  mayNotGo(session: Session): void {
    this.#unnamed.remove(session);
  }

  /** Whether a session of that name was given up lately. */
  gaveUp(principal: string, id: string): boolean {
    return this.#unnamed.wasGivenUp(principal, id);
  }

  /** Gives up a session that nobody needs for now. @param needed A session that stays. @returns False if there is none. */
  reclaim(principal: string, needed?: Session): boolean {
    return [...this.reclaimers].some((reclaim) => reclaim(principal)) ||
      this.#hibernateOne(principal, needed);
  }

  #makeRoom(principal: string, needed?: Session): void {
    const { maxSessions, maxSessionsPerClient } = this.limits;
    const { occupants } = this;
    const arriving = [...this.#arriving.values()].reduce((sum, count) => sum + count, 0);
    const own = () => occupants.list(principal).length + (this.#arriving.get(principal) ?? 0);
    const all = () =>
      [...occupants.principals()].reduce((sum, each) => sum + occupants.list(each).length, arriving);
    const full = () => own() >= maxSessionsPerClient || all() >= maxSessions;
    while (full() && (this.#giveUpUnnamed(principal) || this.reclaim(principal, needed)));
    if (own() >= maxSessionsPerClient) {
      const message = `${maxSessionsPerClient} sessions are live, which is the limit.`;
      throw new WasmboxError("TOO_MANY_SESSIONS", message, {
        suggestions: ["Destroy a session that is no longer needed, or go on in an existing one."],
        context: { max_sessions_per_client: maxSessionsPerClient },
      });
    }
    if (all() >= maxSessions) {
      const message = `The server has ${maxSessions} live sessions, which is the limit.`;
      throw new WasmboxError("TOO_MANY_SESSIONS", message, {
        suggestions: ["Go on in an existing session, or try again later."],
        context: { max_sessions: maxSessions },
        retryable: true,
      });
    }
  }

  #giveUpUnnamed(principal: string): boolean {
    const session = this.#unnamed.giveUp(principal);
    if (!session) return false;
    if (!this.occupants.durable) this.#unnamed.remember(session);
    this.occupants.leave(session);
    return true;
  }

  /** Leaves to the store the one of the principal's sessions that was unused the longest. @returns False if there is none. */
  #hibernateOne(principal: string, needed?: Session): boolean {
    if (!this.occupants.durable) return false;
    const counted = new Set(this.occupants.list(principal));
    const idle = this.occupants.tenancies(principal).filter(({ session }) =>
      session !== needed && counted.has(session) && session.canLeave && session.notDurable === undefined
    );
    const [oldest] = idle.toSorted((a, b) =>
      Number(a.pinned) - Number(b.pinned) || Number(a.session.serves) - Number(b.session.serves) ||
      b.session.idleMs - a.session.idleMs
    );
    if (oldest) this.occupants.leave(oldest.session);
    return oldest !== undefined;
  }
}
