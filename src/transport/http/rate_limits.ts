/** How often a principal, an address, or an address with wrong tokens may call. */

import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import type { HttpOptions, Rate } from "../../config/http_options.ts";
import { type Observer, type RateLimit, UNOBSERVED } from "../../telemetry/events.ts";
import { Refusal } from "./refusal.ts";

export class RateLimits {
  readonly #principal: RateLimiterMemory | undefined;
  readonly #address: RateLimiterMemory | undefined;
  readonly #failures: RateLimiterMemory | undefined;

  constructor(options: HttpOptions, readonly observe: Observer = UNOBSERVED) {
    this.#principal = limiter(options.ratePerPrincipal);
    this.#address = limiter(options.ratePerAddress);
    this.#failures = limiter(options.authFailuresPerAddress);
  }

  /** Counts a request. @throws {Refusal} 429. */
  async countPrincipal(principal: string): Promise<void> {
    await this.#consume("principal", this.#principal, principal, "You send too many requests");
  }

  /** Counts a request. @throws {Refusal} 429; also where the address has sent too many wrong tokens. */
  async countAddress(address: string): Promise<void> {
    const key = network(address);
    await this.#consume("address", this.#address, key, "Too many requests come from your address");
    const failures = await this.#failures?.get(key);
    if (this.#failures && failures && failures.consumedPoints >= this.#failures.points) {
      throw this.#tooMany(
        "auth_failures",
        "Too many wrong tokens came from your address",
        failures.msBeforeNext,
      );
    }
  }

  /** Counts a request with a wrong token. */
  async countFailure(address: string): Promise<void> {
    await this.#failures?.consume(network(address)).catch(() => {}); // told by the next request
  }

  async #consume(
    limit: RateLimit,
    limiter: RateLimiterMemory | undefined,
    key: string,
    message: string,
  ): Promise<void> {
    try {
      await limiter?.consume(key);
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      throw this.#tooMany(limit, message, error.msBeforeNext);
    }
  }

  #tooMany(limit: RateLimit, message: string, ms: number): Refusal {
    this.observe({ type: "rate_limited", limit });
    return Refusal.later(429, "RATE_LIMITED", message, ms / 1000);
  }
}

function limiter(rate: Rate | null): RateLimiterMemory | undefined {
  return rate ? new RateLimiterMemory({ points: rate.requests, duration: rate.perMs / 1000 }) : undefined;
}

/** One caller has a whole /64 of IPv6. */
export function network(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!address.includes(":")) return address;
  const [head = "", tail] = address.split("::");
  const groups = head.split(":").filter(Boolean);
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(":").filter(Boolean).length;
  const all = [
    ...groups,
    ...Array<string>(Math.max(0, missing)).fill("0"),
    ...(tail ?? "").split(":").filter(Boolean),
  ];
  return `${all.slice(0, 4).join(":")}::/64`;
}
