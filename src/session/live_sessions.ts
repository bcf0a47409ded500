/** The sessions that are live in this server, by principal and name: names are unique inside a principal only. */

import type { Session } from "./session.ts";
import type { Tenancy } from "./tenancy.ts";

export class LiveSessions {
  readonly #principals = new Map<string, Map<string, Tenancy>>();

  /** Those that have any. */
  get principals(): Iterable<string> {
    return this.#principals.keys();
  }

  get all(): Session[] {
    return [...this.#principals.values()].flatMap((tenancies) =>
      [...tenancies.values()].map(({ session }) => session)
    );
  }

  get(principal: string, id: string): Tenancy | undefined {
    return this.#principals.get(principal)?.get(id);
  }

  /** All of a principal's, oldest first. */
  of(principal: string): Tenancy[] {
    return [...this.#principals.get(principal)?.values() ?? []];
  }

  add(tenancy: Tenancy): void {
    const { principal, id } = tenancy.session;
    const tenancies = this.#principals.get(principal) ?? new Map<string, Tenancy>();
    this.#principals.set(principal, tenancies.set(id, tenancy));
  }

  /** @returns What was there. */
  remove(principal: string, id: string): Tenancy | undefined {
    const tenancies = this.#principals.get(principal);
    const tenancy = tenancies?.get(id);
    tenancies?.delete(id);
    if (tenancies?.size === 0) this.#principals.delete(principal);
    return tenancy;
  }
}
