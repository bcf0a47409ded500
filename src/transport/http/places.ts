/** How many connections there may be: in all, and from one address. */

import type { HttpOptions } from "../../config/http_options.ts";
import { Networks } from "../../config/networks.ts";
import { network } from "./rate_limits.ts";

/** What a connection takes up. */
export interface Place {
  /** Lets another connection have it, if it comes from another address. */
  leave(): void;
  /** Ends it. */
  end(): void;
}

export class Places {
  #taken = 0;
  #open = 0;
  readonly #byNetwork = new Map<string, number>();
  readonly #proxies: Networks;

  constructor(readonly options: HttpOptions) {
    this.#proxies = new Networks(options.trustedProxies);
  }

  /** Connections that have not ended, whether they still take up a place or not. */
  get open(): number {
    return this.#open;
  }

  /** @returns Undefined if there is none for a connection from there. */
  take(address: string): Place | undefined {
    const key = network(address);
    const own = this.#byNetwork.get(key) ?? 0;
    const { maxConnections, maxConnectionsPerAddress } = this.options;
    if (this.#taken >= maxConnections) return undefined;
    if (own >= maxConnectionsPerAddress && !this.#proxies.has(address)) return undefined;
    this.#taken++;
    this.#open++;
    this.#byNetwork.set(key, own + 1);
    let held = true;
    const leave = () => {
      if (held) this.#taken--;
      held = false;
    };
    const end = () => {
      leave();
      this.#open--;
      const left = (this.#byNetwork.get(key) ?? 1) - 1;
      if (left > 0) this.#byNetwork.set(key, left);
      else this.#byNetwork.delete(key);
    };
    return { leave, end };
  }
}
