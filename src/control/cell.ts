/**
 * The control cell: the shared words through which an executor stops a running guest.
 *
 * A guest inside wasm can't receive messages, so a stop is a number in shared memory that metering, the
 * interpreter's own polls and every wait look at. It is the *number of the execution* to be stopped, never a
 * boolean: a stop that arrives late names an execution that has ended, and so can't hit the next one.
 */

const INTERRUPT = 0;
const ABORT = 1;
const RUNNING = 2;
const WAKE = 3;
const WORDS = 8;

/** How urgently the running execution was told to stop. */
export type StopRequest = "none" | "interrupt" | "abort";

/** Thrown out of the guest when it is aborted. Wasm frames are not unwound: the instance must be discarded. */
export class Aborted extends Error {
  override name = "Aborted";
  constructor(readonly execution: number) {
    super(`execution ${execution} was aborted`);
  }
}

/** Both sides of one session's control cell: the executor's main thread stops, the Worker looks and waits. */
export class ControlCell {
  readonly #words: Int32Array;

  /** Called in the Worker whenever a running guest looks at the cell: about once a millisecond, and before it waits. */
  onSafePoint: (next: "runs" | "waits") => void = () => {};

  /** @param buffer Memory shared by both sides; made by {@link ControlCell.allocate}. */
  constructor(readonly buffer: SharedArrayBuffer) {
    this.#words = new Int32Array(buffer);
  }

  static allocate(): ControlCell {
    return new ControlCell(new SharedArrayBuffer(WORDS * Int32Array.BYTES_PER_ELEMENT));
  }

  // Executor's side.

  /** Asks `execution` to stop in a way that keeps its heap: KeyboardInterrupt, QuickJS's interrupt. */
  interrupt(execution: number): void {
    Atomics.store(this.#words, INTERRUPT, execution);
    this.wake();
  }

  /** Makes `execution` throw {@link Aborted} at its next metered check or wait; its heap is lost. */
  abort(execution: number): void {
    Atomics.store(this.#words, ABORT, execution);
    this.wake();
  }

  /** Ends a {@link wait} early, so that the waiter looks again at what it waits for. */
  wake(): void {
    Atomics.add(this.#words, WAKE, 1);
    Atomics.notify(this.#words, WAKE);
  }

  // Worker's side.

  /** Names the execution that stops are compared with, until {@link leave}. Numbers start at 1 and only grow. */
  enter(execution: number): void {
    Atomics.store(this.#words, RUNNING, execution);
  }

  leave(): void {
    Atomics.store(this.#words, RUNNING, 0);
  }

  /** Asks the running execution to stop, as {@link interrupt} does from outside. */
  interruptRunning(): void {
    Atomics.store(this.#words, INTERRUPT, Atomics.load(this.#words, RUNNING));
  }

  /** What the running execution was asked to do; "none" when nothing runs. */
  requested(): StopRequest {
    const running = Atomics.load(this.#words, RUNNING);
    if (running === 0) return "none";
    if (Atomics.load(this.#words, ABORT) === running) return "abort";
    return Atomics.load(this.#words, INTERRUPT) === running ? "interrupt" : "none";
  }

  /** Throws {@link Aborted} if the running execution was told to abort. */
  throwIfAborted(): void {
    this.onSafePoint("runs");
    if (this.requested() === "abort") throw new Aborted(Atomics.load(this.#words, RUNNING));
  }

  /**
   * The one wait of a guest: sleeps, timers, promises and host calls all block here.
   *
   * @param ms How long at most; Infinity waits for a wake.
   * @param ready Looked at before sleeping and after each wake: true ends the wait.
   * @param heed What ends it early: a soft stop too, or a hard one only.
   * @returns "ready", "elapsed", or "interrupted" when a soft stop asks the caller to return early.
   * @throws {Aborted} on a hard stop.
   */
  wait(
    ms: number,
    ready: () => boolean = () => false,
    heed: "interrupt" | "abort" = "interrupt",
  ): "ready" | "elapsed" | "interrupted" {
    const until = performance.now() + ms;
    for (;;) {
      const seen = Atomics.load(this.#words, WAKE);
      this.throwIfAborted();
      if (heed === "interrupt" && this.requested() === "interrupt") return "interrupted";
      if (ready()) return "ready";
      const left = until - performance.now();
      if (left <= 0) return "elapsed";
      this.onSafePoint("waits");
      Atomics.wait(this.#words, WAKE, seen, left);
    }
  }
}
