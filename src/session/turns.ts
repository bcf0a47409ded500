/** Work by keys: what has the same key is done one after another, in the order in which it was asked for. */

import { anotherTurn } from "../checkpoints/image_entries.ts";

export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Whether something of that key is under way or waits. */
  has(key: string): boolean {
    return this.#last.has(key);
  }

  /**
   * Whoever waited for the work has gone on from it before the next one has its turn: calls that came one after another
   * are done so.
   */
  take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const done = (this.#last.get(key) ?? Promise.resolve()).then(work);
    const settled = done.then(anotherTurn, anotherTurn).then(() => {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    });
    this.#last.set(key, settled);
    return done;
  }

  /** Settles when all has been done that was asked for until now. Never rejects. */
  async settled(): Promise<void> {
    await Promise.all(this.#last.values());
  }
}
