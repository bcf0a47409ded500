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
const ENDED = 4;
const HELD_KIB = 5;
const TAKEN = 6;
const WORDS = 8;

/** Once its time is over, what runs {@link ControlCell.within} one has so long to end by itself. */
const GRACE_MS = 1000;

/** How urgently the running execution was told to stop. */
export type StopRequest = "none" | "interrupt" | "abort";

/** Thrown out of the guest when it is aborted. Wasm frames are not unwound: the instance must be discarded. */
export class Aborted extends Error {
  override name = "Aborted";
  constructor(readonly execution: number) {
    super(`execution ${execution} was aborted`);
  }
}

/** Stands for an execution where only a program is aborted, and not what it runs for. */
export const NO_EXECUTION = 0;

/** Both sides of one session's control cell: the executor's main thread stops, the Worker looks and waits. */
export class ControlCell {
  readonly #words: Int32Array;
  /** Bytes that were {@link send}t, as TAKEN counts those that were taken: modulo 2 ** 32. */
  #sent = 0;
  /** Milliseconds that are left to what runs {@link within} a time. */
  #left: (() => number) | undefined;
  #unasked = false;

  /** Called in the Worker whenever a running guest looks at the cell: about once a millisecond, and before it waits. */
  onSafePoint: (next: "runs" | "waits") => void = () => {};

  /** Fuel that was handed to programs of the session so far: what they have done, whichever processor did it. */
  fuel = 0;

  /** Called by the executor at each {@link wake}: what its Worker waits for may be something else than the cell. */
  onWake: () => void = () => {};

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

  /** Gives the session up: whatever runs there aborts, and nothing that it held is needed any more. */
  end(): void {
    Atomics.store(this.#words, ENDED, 1);
    this.wake();
  }

  /** Whether an execution is under way. */
  get isRunning(): boolean {
    return Atomics.load(this.#words, RUNNING) !== 0;
  }

  /** Bytes of memory that the session holds, as it last told. */
  get held(): number {
    return Atomics.load(this.#words, HELD_KIB) * 1024;
  }

  /** So many of the bytes that were sent have left the executor. */
  take(bytes: number): void {
    Atomics.add(this.#words, TAKEN, bytes);
    this.wake();
  }

  /** Ends a {@link wait} early, so that the waiter looks again at what it waits for. */
  wake(): void {
    Atomics.add(this.#words, WAKE, 1);
    Atomics.notify(this.#words, WAKE);
    this.onWake();
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

  /** Tells what the session holds. */
  hold(bytes: number): void {
    Atomics.store(this.#words, HELD_KIB, Math.ceil(bytes / 1024));
  }

  /** True once the session was given up. */
  get ended(): boolean {
    return Atomics.load(this.#words, ENDED) === 1;
  }

  /**
   * To be called before so many bytes are sent: waits until no more than `window` are on their way, so that what the
   * other side can't pass on at once does not pile up there.
   *
   * @throws {Aborted} if the session is given up meanwhile.
   */
  send(bytes: number, window: number): void {
    this.wait(Infinity, () => (this.#sent - Atomics.load(this.#words, TAKEN) | 0) <= window, "abort");
    this.#sent = this.#sent + bytes | 0;
  }

  /** What the running execution was asked to do; "none" when nothing runs, unless the session was given up. */
  requested(): StopRequest {
    if (this.ended) return "abort";
    const running = Atomics.load(this.#words, RUNNING);
    if (running === 0) return "none";
    if (Atomics.load(this.#words, ABORT) === running) return "abort";
    if (this.#unasked) return "none";
    const left = this.#left?.() ?? Infinity;
    if (left <= -GRACE_MS) return "abort";
    if (left <= 0) return "interrupt";
    return Atomics.load(this.#words, INTERRUPT) === running ? "interrupt" : "none";
  }

  /** Whether the running execution is to end, and not only something in it that has its own time. */
  get isStopped(): boolean {
    const running = Atomics.load(this.#words, RUNNING);
    const isNamed = (word: number) => running !== 0 && Atomics.load(this.#words, word) === running;
    return this.ended || isNamed(ABORT) || isNamed(INTERRUPT);
  }

  /**
   * Has something run that is asked to stop when its time is over, as the whole execution is by {@link interrupt} and, if
   * it does not heed that, by {@link abort}. Nothing is asked of who calls this.
   *
   * @param left Milliseconds that it still has.
   */
  within<T>(left: () => number, body: () => T): T {
    const outer = this.#left;
    this.#left = outer ? () => Math.min(outer(), left()) : left;
    try {
      return body();
    } finally {
      this.#left = outer;
    }
  }

  /** Has something run that goes on when the execution is asked to stop; only its abort is for it, too. */
  unasked<T>(body: () => T): T {
    const outer = this.#unasked;
    this.#unasked = true;
    try {
      return body();
    } finally {
      this.#unasked = outer;
    }
  }

  /**
   * Keeps the times that are {@link within} force now. What it gives has something run by these again, wherever it is called:
   * a time that was set since then is for others.
   */
  remember(): <T>(body: () => T) => T {
    const remembered = this.#left;
    return (body) => {
      const left = this.#left;
      this.#left = remembered;
      try {
        return body();
      } finally {
        this.#left = left;
      }
    };
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
      Atomics.wait(this.#words, WAKE, seen, Math.min(left, this.#untilNextStop()));
    }
  }

  /** Milliseconds until something that runs {@link within} a time is asked to stop, or to abort. */
  #untilNextStop(): number {
    const left = this.#left?.() ?? Infinity;
    return left > 0 ? left : Math.max(left + GRACE_MS, 0);
  }
}
