/** Default sessions of MCP sessions that this server does not know, and whose clients asked for them: they come back. */

/** How long a client may take from that to its next connection, ms. */
const KEPT_MS = 600_000;
/** Of each principal, the last ones; ids may be made up. */
const MAX_NAMES = 4;
const MAX_PRINCIPALS = 1000;

export class Returning {
  /** When they were asked for, by principal and name; `performance.now()`. */
  readonly #asked = new Map<string, Map<string, number>>();

  add(principal: string, name: string): void {
    const names = this.#asked.get(principal) ?? new Map<string, number>();
    this.#asked.delete(principal); // the principal that came last is the last to be forgotten
    this.#asked.set(principal, names);
    names.delete(name);
    names.set(name, performance.now());
    forgetOldest(names, MAX_NAMES);
    forgetOldest(this.#asked, MAX_PRINCIPALS);
  }

  /** The principal's that were asked for lately, the last one first. */
  of(principal: string): string[] {
    const since = performance.now() - KEPT_MS;
    const names = [...this.#asked.get(principal) ?? []];
    return names.filter(([, at]) => at >= since).map(([name]) => name).reverse();
  }
}

function forgetOldest(map: Map<string, unknown>, max: number): void {
  for (const oldest of map.keys()) {
    if (map.size <= max) break;
    map.delete(oldest);
  }
}
