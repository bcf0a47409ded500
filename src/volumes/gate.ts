/** Who may work on a directory at the same time: those that only look, or one that changes something. */
export class Gate {
  #change: Promise<unknown> = Promise.resolve();
  readonly #looking = new Set<Promise<unknown>>();

  /** Runs `work` when the changes asked for before have ended. */
  look<T>(work: () => Promise<T>): Promise<T> {
    const run = this.#change.then(work);
    const settled = run.catch(() => {});
    this.#looking.add(settled);
    void settled.then(() => this.#looking.delete(settled));
    return run;
  }

  /** Runs `work` when everything asked for before has ended; what is asked for later waits. */
  change<T>(work: () => Promise<T>): Promise<T> {
    const run = Promise.all([this.#change, ...this.#looking]).then(work);
    this.#change = run.catch(() => {});
    return run;
  }
}
