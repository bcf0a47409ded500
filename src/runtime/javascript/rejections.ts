/** The promises that were rejected and have no handler: what the engine tells of them, remembered. */

import type { Value } from "./abi.ts";
import type { Values } from "./values.ts";

/** A rejected promise, and the context of asynchronous work in which it was rejected. Both are owned. */
export interface Rejected {
  readonly promise: Value;
  readonly context: Value;
}

/** Rejected promises that are remembered; whether it was one or more makes no difference. */
const MOST_REJECTED = 1000;

export class Rejections {
  readonly #values: Values;
  readonly #contextNow: () => Value;
  /** By what their promises are to the guest. */
  readonly #rejected = new Map<bigint, Rejected>();
  /** Those that the program was told of, and those of them that have got a handler since. */
  readonly #told = new Map<bigint, Rejected>();
  readonly #late: Rejected[] = [];

  /** @param contextNow The context of asynchronous work of what runs, owned by the caller. */
  constructor(values: Values, contextNow: () => Value) {
    this.#values = values;
    this.#contextNow = contextNow;
  }

  get count(): number {
    return this.#rejected.size;
  }

  onRejection(promise: bigint, handled: boolean): void {
    if (handled) {
      this.#forget(promise);
    } else if (!this.#rejected.has(promise) && this.#rejected.size < MOST_REJECTED) {
      const held = this.#values.hold(promise);
      if (held !== undefined) this.#rejected.set(promise, { promise: held, context: this.#contextNow() });
    }
  }

  #forget(promise: bigint): void {
    const known = this.#rejected.get(promise);
    this.#rejected.delete(promise);
    if (known) this.free(known);
    const told = this.#told.get(promise);
    this.#told.delete(promise);
    if (told) this.#late.push(told);
  }

  /** The program was told of one, which becomes ours. */
  tell(rejected: Rejected): void {
    const promise = this.#values.told(rejected.promise);
    if (this.#told.size < MOST_REJECTED && !this.#told.has(promise)) this.#told.set(promise, rejected);
    else this.free(rejected);
  }

  /** Those that got a handler after the program was told of them; owned by the caller. */
  takeLate(): Rejected[] {
    return this.#late.splice(0);
  }

  free({ promise, context }: Rejected): void {
    this.#values.free(promise);
    this.#values.free(context);
  }

  /** One that somebody sees to, owned by the caller; undefined if it isn't remembered. */
  takeOne(promise: Value): Rejected | undefined {
    const told = this.#values.told(promise);
    const known = this.#rejected.get(told);
    this.#rejected.delete(told);
    return known;
  }

  /** Those that have had no handler since, oldest first; owned by the caller. */
  take(): Rejected[] {
    const rejected = [...this.#rejected.values()];
    this.#rejected.clear();
    return rejected;
  }

  forgetAll(): void {
    for (const each of [...this.take(), ...this.#told.values(), ...this.takeLate()]) this.free(each);
    this.#told.clear();
  }
}
