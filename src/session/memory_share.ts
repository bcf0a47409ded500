/** What one session has of the memory for heaps. */

import type { Language } from "../languages.ts";
import type { Budget } from "../budget.ts";

export class MemoryShare implements Disposable {
  readonly #heaps = new Set<Language>();
  #ended = false;

  /**
   * @param budget What all sessions share. @param heapBytes The most that one heap of this session may grow to.
   * @param reclaim Makes room, if it can; tells whether it did.
   */
  constructor(readonly budget: Budget, readonly heapBytes: number, readonly reclaim: () => boolean) {}

  /** Takes what a heap of that language may need, the first time. @throws What the budget makes of it. */
  take(language: Language): void {
    if (this.#ended || this.#heaps.has(language)) return; // a call that comes too late is refused elsewhere
    while (!this.budget.fits(this.heapBytes) && this.reclaim());
    this.budget.take(this.heapBytes);
    this.#heaps.add(language);
  }

  /** Gives back what other heaps had. @param languages Of the heaps that are still needed. */
  keep(languages: ReadonlySet<Language>): void {
    for (const language of this.#heaps) {
      if (languages.has(language)) continue;
      this.#heaps.delete(language);
      this.budget.take(-this.heapBytes);
    }
  }

  [Symbol.dispose](): void {
    this.#ended = true;
    this.keep(new Set());
  }
}
