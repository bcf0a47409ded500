/** IP addresses and networks. */

import ipaddr from "ipaddr.js";

type Network = ReturnType<typeof ipaddr.parseCIDR>;

/** Whether text is an address, or a network such as `10.0.0.0/8`. */
export function isNetwork(text: string): boolean {
  return text.includes("/") ? ipaddr.isValidCIDR(text) : ipaddr.isValid(text);
}

export class Networks {
  readonly #networks: readonly Network[];

  /** @param networks Each must satisfy {@link isNetwork}. */
  constructor(networks: readonly string[]) {
    this.#networks = networks.map((text) => {
      if (text.includes("/")) return ipaddr.parseCIDR(text);
      const address = ipaddr.process(text);
      return [address, address.kind() === "ipv4" ? 32 : 128];
    });
  }

  /** Whether an address is in one of them. An IPv4 address written as IPv6 counts as IPv4. */
  has(text: string): boolean {
    if (this.#networks.length === 0 || !ipaddr.isValid(text)) return false;
    const address = ipaddr.process(text);
    return this.#networks.some(([network, bits]) =>
      address.kind() === network.kind() && address.match(network, bits)
    );
  }
}

/**
 * The address of a client behind trusted proxies: the last one in X-Forwarded-For that is not a trusted proxy. Whatever
 * precedes it was written by someone who is not trusted.
 *
 * @param peer The address that connected. @param forwarded The header, if there is one.
 */
export function clientAddress(peer: string, forwarded: string | undefined, proxies: Networks): string {
  let client = peer;
  for (const hop of (forwarded ?? "").split(",").map((hop) => hop.trim()).reverse()) {
    if (!proxies.has(client) || !ipaddr.isValid(hop)) break;
    client = hop;
  }
  return client;
}
