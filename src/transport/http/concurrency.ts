/** How many requests are answered at the same time. */

import type { HttpOptions } from "../../config/http_options.ts";
import { Refusal } from "./refusal.ts";

export class Concurrency {
  readonly #byPrincipal = new Map<string, number>();
  #all = 0;

  constructor(readonly options: HttpOptions) {}

  /** Takes a place until `done` resolves. @throws {Refusal} 503. */
  enter(principal: string, done: Promise<void>): void {
    const own = this.#byPrincipal.get(principal) ?? 0;
    const { maxConcurrentRequests, maxConcurrentRequestsPerPrincipal } = this.options;
    if (this.#all >= maxConcurrentRequests || own >= maxConcurrentRequestsPerPrincipal) {
      const whose = this.#all >= maxConcurrentRequests ? "The server has" : "You have";
      throw Refusal.later(503, "SERVER_BUSY", `${whose} as many requests under way as are allowed`, 1);
    }
    this.#all++;
    this.#byPrincipal.set(principal, own + 1);
    void done.then(() => this.#leave(principal));
  }

  #leave(principal: string): void {
    this.#all--;
    const left = (this.#byPrincipal.get(principal) ?? 1) - 1;
    if (left > 0) this.#byPrincipal.set(principal, left);
    else this.#byPrincipal.delete(principal);
  }
}
