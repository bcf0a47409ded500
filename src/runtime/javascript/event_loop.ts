/** Jobs, ticks and timers of a program, in Node's order, until none is left or one of them ends it. */

import type { Value } from "./abi.ts";
import type { Engine } from "./engine.ts";
import type { Hooks } from "./hooks.ts";
import { type Failure, isValue, type RunState } from "./run_state.ts";
import type { Turns } from "./turns.ts";
import type { Thrown } from "./values.ts";

/** Jobs run between two looks at the control cell. */
const JOB_BATCH = 100;
/** Batches of jobs of a run that ended early that are drained before the heap is given up. */
const DRAIN_BATCHES = 2000;

export class EventLoop {
  readonly #engine: Engine;
  readonly #hooks: Hooks;
  readonly #run: RunState;
  #tookCare = false;
  /** Whether the program's script was rejected, and that is told. */
  #mainFailed = false;

  constructor(engine: Engine, hooks: Hooks, run: RunState) {
    this.#engine = engine;
    this.#hooks = hooks;
    this.#run = run;
  }

  /** Whether the program took care of a promise that was rejected: that is no failure of its own then. */
  get tookCare(): boolean {
    return this.#tookCare;
  }

  /** @param main What the script gave; its rejection ends the run. @returns what ended the run early, if anything. */
  *settle(main: Value, awaits: boolean): Turns<Failure | undefined> {
    this.#mainFailed = false;
    this.#tookCare = false;
    return yield* this.#settle(main, awaits);
  }

  *#settle(main: Value, awaits: boolean): Turns<Failure | undefined> {
    // As in Node, what a script puts off comes before the jobs of its promises; a module that waits is such a job itself.
    const put = awaits && this.#isPending(main) ? 0 : this.#ticks();
    if (typeof put !== "number") return put;
    for (;;) {
      while (this.#engine.hasJobs()) {
        const thrown = this.#engine.runJobs(JOB_BATCH, () => this.#run.stopping);
        if (this.#run.stopping) {
          if (thrown) this.#engine.values.free(thrown);
          return this.#run.stopReason;
        }
        // An uncaught error ends the program, as in Node, whatever jobs and timers it has set going.
        const failure = thrown
          ? this.unlessCaught(thrown)
          : awaits
          ? this.#rejected(main, awaits)
          : undefined;
        if (failure) return failure;
      }
      const ticks = this.#ticks();
      if (ticks !== 0) {
        if (typeof ticks === "number") continue;
        return ticks;
      }
      const failure = this.#rejected(main, awaits) ?? this.#unhandled();
      if (failure) return failure;
      if (this.#engine.hasJobs()) continue;

      const until = this.#hooks.call("untilNextTimer");
      if (typeof until === "object") return this.#hooks.unlessStopped(until);
      const ms = this.#engine.values.takeNumber(until);
      if (!(ms >= 0)) return undefined;
      const wake = yield ms;
      if (wake === "over") return undefined;
      if (wake === "interrupted") return this.#run.stopReason;
      const fired = this.#hooks.attempt(wake === "message" ? "takeMessage" : "runTimer");
      const failed = isValue(fired) ? undefined : this.unlessCaught(fired);
      if (failed) return failed;
      if (isValue(fired)) this.#engine.values.free(fired);
      const after = this.#ticks();
      if (typeof after !== "number") return after;
    }
  }

  #isPending(value: Value): boolean {
    const promise = this.#engine.values.promise(value);
    if ("value" in promise) this.#engine.values.free(promise.value);
    return promise.state === "pending";
  }

  /** Tells the program that it has come to its end, which it may end with an exit code. */
  *endProgram(main: Value, awaits: boolean): Turns<Failure | undefined> {
    for (;;) {
      const told = this.#hooks.attempt("endProgram");
      if (!isValue(told)) return told;
      if (this.#engine.values.takeNumber(told) !== 1) return undefined;
      const failure = yield* this.#settle(main, awaits);
      if (failure) return failure;
    }
  }

  /** The rejection of a script, unless the program takes care of it. It is one only once. */
  #rejected(main: Value, awaits: boolean): Failure | undefined {
    if (this.#mainFailed) return undefined;
    const failure = this.rejection(main);
    if (!failure) return undefined;
    this.#mainFailed = true;
    const { values, rejections } = this.#engine;
    const known = rejections.takeOne(main) ??
      { promise: values.duplicate(main), context: values.undefined() };
    // A script's value is a promise like any other; what is thrown where a script waits is an error.
    const taken = awaits ? false : this.#takenCareOf(main, failure.thrown, known.context);
    const left = taken === false ? this.unlessCaught(failure, known.context) : taken;
    if (taken !== false) values.free(failure);
    rejections.free(known);
    return left === true ? undefined : left;
  }

  /** What a promise was rejected with; undefined for any other value. */
  rejection(value: Value): Thrown | undefined {
    const promise = this.#engine.values.promise(value);
    if (promise.state === "rejected") return { thrown: promise.value };
    if (promise.state === "fulfilled") this.#engine.values.free(promise.value);
    return undefined;
  }

  /**
   * An error that nothing has caught, unless the program takes care of those and goes on.
   *
   * @param context Of asynchronous work, in which it was thrown; that of what ran last if absent.
   */
  unlessCaught(failure: Failure | undefined, context?: Value): Failure | undefined {
    if (typeof failure !== "object") return failure;
    const taken = this.#hooks.attempt("uncaught", failure.thrown, ...context === undefined ? [] : [context]);
    if (isValue(taken) && this.#engine.values.takeNumber(taken) !== 1) return failure;
    this.#engine.values.free(failure);
    return isValue(taken) ? undefined : taken;
  }

  /** Runs what waits for `process.nextTick`. @returns How much that was, or what ended the run. */
  #ticks(): number | Failure {
    for (;;) {
      const ran = this.#hooks.attempt("runTicks");
      if (isValue(ran)) return this.#engine.values.takeNumber(ran);
      const failure = this.unlessCaught(ran);
      if (failure) return failure;
    }
  }

  /** Whether the program has a say in a promise that was rejected and not handled, or what ended the run meanwhile. */
  #takenCareOf(promise: Value, reason: Value, context: Value): boolean | Failure {
    const taken = this.#hooks.attempt("unhandled", reason, promise, context);
    if (!isValue(taken)) return taken;
    const took = this.#engine.values.takeNumber(taken) === 1;
    this.#tookCare ||= took;
    return took;
  }

  /** What the first promise was rejected with that nothing handles. Programs can have a say in that. */
  #unhandled(): Failure | undefined {
    const { values, rejections } = this.#engine;
    let failure = this.#handledLate();
    for (const rejected of rejections.take()) {
      const { promise, context } = rejected;
      const state = values.promise(promise);
      let isTold = false;
      if (state.state === "rejected" && !failure) {
        const taken = this.#takenCareOf(promise, state.value, context);
        isTold = taken === true;
        if (typeof taken !== "boolean") failure = taken;
        else if (!taken) failure = { thrown: values.duplicate(state.value) };
      }
      if ("value" in state) values.free(state.value);
      if (isTold) rejections.tell(rejected);
      else rejections.free(rejected);
    }
    return failure;
  }

  /** Tells of promises that have got a handler after the program was told that they had none. */
  #handledLate(): Failure | undefined {
    const { values, rejections } = this.#engine;
    let failure: Failure | undefined;
    for (const late of rejections.takeLate()) {
      const told = failure ?? this.#hooks.attempt("handledLate", late.promise);
      rejections.free(late);
      if (isValue(told)) values.free(told);
      else failure = told;
    }
    return failure;
  }

  /** Drops the timers of a run that ended early. @returns how many of the program's own it would have waited for. */
  dropTimers(): number {
    const dropped = this.#hooks.call("dropTimers");
    const count = typeof dropped === "object" ? 0 : this.#engine.values.toNumber(dropped);
    this.#engine.values.free(dropped);
    return count;
  }

  /**
   * Drops the jobs of a run that ended early: with calls forbidden each of them fails at once, so no code of the run goes
   * on and no job makes another one for ever.
   *
   * @returns false if too many are left: the heap must be discarded.
   */
  drainJobs(): boolean {
    this.#engine.allowCalls(false);
    for (let i = 0; i < DRAIN_BATCHES && this.#engine.hasJobs(); i++) {
      const thrown = this.#engine.runJobs(JOB_BATCH);
      if (thrown) this.#engine.values.free(thrown);
    }
    this.#engine.allowCalls(true);
    return !this.#engine.hasJobs();
  }
}
