/** Many deadlines that are all equally far away, on one timer: most are met long before they are due. */

export class Deadlines {
  /** In the order in which they are due. */
  readonly #pending = new Set<{ readonly due: number; readonly late: () => void }>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param ms How far away each one is. */
  constructor(readonly ms: number) {}

  /** @param late Called once the time is over. @returns Takes the deadline back. */
  set(late: () => void): () => void {
    const deadline = { due: performance.now() + this.ms, late };
    this.#pending.add(deadline);
    this.#arm(this.ms);
    return () => void this.#pending.delete(deadline);
  }

  #arm(ms: number): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => this.#check(), ms);
    Deno.unrefTimer(this.#timer);
  }

  #check(): void {
    this.#timer = undefined;
    const now = performance.now();
    for (const deadline of this.#pending) {
      if (deadline.due > now) return this.#arm(deadline.due - now);
      this.#pending.delete(deadline);
      deadline.late();
    }
  }
}
