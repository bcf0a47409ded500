/** What a client that asked for progress is told of its call. */

/** A progress notification's own fields. */
export interface Progress {
  /** Counts up; there is no telling how much is to come. */
  readonly progress: number;
  readonly message: string;
  readonly executionId: string | undefined;
}

/**
 * Counts up with each piece of output, and also while there is none: clients give up calls that are silent for a minute,
 * unless progress tells them to wait on.
 */
export class ProgressReporter implements Disposable {
  readonly #started = performance.now();
  readonly #heartbeat: ReturnType<typeof setInterval>;
  #count = 0;
  #silent = true;
  #executionId: string | undefined;

  /** @param heartbeatMs Silence after which it speaks by itself. */
  constructor(readonly send: (progress: Progress) => void, heartbeatMs: number) {
    this.#heartbeat = setInterval(() => {
      if (this.#silent) this.#tell(`running for ${Math.round((performance.now() - this.#started) / 1000)} s`);
      this.#silent = true;
    }, heartbeatMs);
  }

  report(message: string, executionId: string): void {
    this.#silent = false;
    this.#executionId = executionId;
    this.#tell(message);
  }

  #tell(message: string): void {
    this.send({ progress: ++this.#count, message, executionId: this.#executionId });
  }

  [Symbol.dispose](): void {
    clearInterval(this.#heartbeat);
  }
}
