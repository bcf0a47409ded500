/** The promises that were rejected and have no handler: what the engine tells of them, remembered. */

import type { Value } from "./abi.ts";
import type { Values } from "./values.ts";

/** Rejected promises that are remembered; whether it was one or more makes no difference. */
const MOST_REJECTED = 1000;

export class Rejections {
  readonly #values: Values;
  /** Owned, by what they are to the guest. */
  readonly #rejected = new Map<bigint, Value>();

  constructor(values: Values) {
    this.#values = values;
  }

  get count(): number {
    return this.#rejected.size;
  }

  onRejection(promise: bigint, handled: boolean): void {
    if (handled) {
      this.#forget(promise);
    } else if (!this.#rejected.has(promise) && this.#rejected.size < MOST_REJECTED) {
      const held = this.#values.hold(promise);
      if (held !== undefined) this.#rejected.set(promise, held);
    }
  }

  #forget(promise: bigint): void {
    const known = this.#rejected.get(promise);
    if (known === undefined) return;
    this.#rejected.delete(promise);
    this.#values.free(known);
  }

  /** Those that have had no handler since, oldest first; owned by the caller. */
  take(): Value[] {
    const promises = [...this.#rejected.values()];
    this.#rejected.clear();
    return promises;
  }

  forgetAll(): void {
    for (const promise of this.take()) this.#values.free(promise);
  }
}
