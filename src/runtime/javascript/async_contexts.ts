/**
 * In which context the jobs of promises go on: that in which each of their handlers was given, or their function waited.
 *
 * The engine tells when a promise is made or fulfilled, and asks a promise for its constructor whenever something waits
 * for it (`libraries/async_context.js` answers). What has been added to it is looked up in the heap before anything else
 * can be. Whatever a guest writes there, nothing but these numbers comes of it.
 */

import type { Pointer } from "./abi.ts";

/** `JSPromiseHookType` in quickjs.h. */
const PromiseEvent = { made: 0, fulfilled: 3 } as const;

/** Bytes (quickjs.c): JSObject, JSPromiseData, JSPromiseReactionData, JSJobEntry. */
const CLASS = 6;
const OPAQUE = 32;
const REACTIONS = [4, 12] as const;
const REACTION_HANDLER = 24;
const ARGUMENT_COUNT = 16;
const ARGUMENTS = 24;
const HANDLER_ARGUMENT = ARGUMENTS + 2 * 8;
/** What a promise's reaction, and the call of a thenable's `then`, are given. */
const REACTION_ARGUMENTS = 5;
const THENABLE_ARGUMENTS = 3;
/** The upper half of a JSValue that is an object. */
const OBJECT_TAG = 0xffff_ffff;

const addressOf = (object: bigint): Pointer => Number(object & 0xffff_ffffn);

interface Waited {
  readonly promise: Pointer;
  readonly context: number;
  readonly isNew: boolean;
  isFulfilled: boolean;
  readonly wasPending: boolean;
  /** The last job at that time. */
  readonly lastJob: Pointer;
}

export class AsyncContexts {
  readonly #memory: WebAssembly.Memory;
  /** Where the engine's list of jobs begins. */
  readonly #jobs: Pointer;
  /** By the function that is to be called, or the job. */
  readonly #ofHandlers = new Map<Pointer, number>();
  readonly #ofJobs = new Map<Pointer, number>();
  #waited: Waited | undefined;
  #classOfPromises = -1;
  #current = 0;

  constructor(memory: WebAssembly.Memory, jobs: Pointer) {
    this.#memory = memory;
    this.#jobs = jobs;
  }

  /** Of what runs; 0 is that of a program itself. */
  get current(): number {
    return this.#current;
  }

  enter(context: number): void {
    this.settle();
    this.#current = context;
  }

  /** Called by the engine. @param promise A JSValue. @param parent Whose `then` it is made for, if it is an object. */
  onPromise(type: number, promise: bigint, parent: bigint): void {
    const at = addressOf(promise);
    if (type !== PromiseEvent.made) {
      // What is waited for that is no promise: one is made of it, fulfilled at once, and gone when the function waits.
      if (this.#waited?.isNew && this.#waited.promise === at) this.#waited.isFulfilled = true;
      else this.settle();
      return;
    }
    this.settle();
    this.#classOfPromises = this.#view().getUint16(at + CLASS, true);
    if (Number(BigInt.asUintN(64, parent) >> 32n) === OBJECT_TAG) this.#note(addressOf(parent), false);
    else this.#note(at, true);
  }

  /** Something is about to wait for a promise. @param at Where its JSValue is. */
  onWait(at: Pointer): void {
    this.settle();
    const view = this.#view();
    const promise = view.getUint32(at, true);
    if (view.getUint32(at + 4, true) !== OBJECT_TAG) return;
    if (view.getUint16(promise + CLASS, true) === this.#classOfPromises) this.#note(promise, false);
  }

  #note(promise: Pointer, isNew: boolean): void {
    const wasPending = isNew || this.#word(this.#word(promise + OPAQUE)) === 0;
    this.#waited = {
      promise,
      context: this.#current,
      isNew,
      isFulfilled: false,
      wasPending,
      lastJob: this.#word(this.#jobs),
    };
  }

  /** Looks up what came of the last promise that was made or waited for, before more is done with it. */
  settle(): void {
    const waited = this.#waited;
    if (!waited) return;
    this.#waited = undefined;
    const { promise, context, isNew, isFulfilled, wasPending, lastJob } = waited;
    const data = this.#word(promise + OPAQUE);
    let found = false;
    for (const list of wasPending && !isFulfilled ? REACTIONS : []) {
      const last = this.#word(data + list);
      if (last === data + list) continue;
      found = this.#remember(last + REACTION_HANDLER, context) || found;
    }
    const job = this.#word((lastJob || this.#jobs) + 4);
    if (job === this.#jobs) return;
    const count = this.#word(job + ARGUMENT_COUNT);
    if (count === THENABLE_ARGUMENTS && this.#word(job + ARGUMENTS) === promise) {
      this.#ofJobs.set(job, context);
    } else if (
      !found && count === REACTION_ARGUMENTS &&
      (!isNew || isFulfilled && this.#word(job + ARGUMENTS + 4) !== OBJECT_TAG)
    ) {
      this.#remember(job + HANDLER_ARGUMENT, context);
    }
  }

  #remember(at: Pointer, context: number): boolean {
    if (this.#word(at + 4) !== OBJECT_TAG) return false;
    const handler = this.#word(at);
    if (context === 0) this.#ofHandlers.delete(handler);
    else this.#ofHandlers.set(handler, context);
    return true;
  }

  /** The context of the job that is next. */
  ofNextJob(): number {
    this.settle();
    const job = this.#word(this.#jobs + 4);
    const handler = this.#word(job + HANDLER_ARGUMENT);
    const context = this.#ofJobs.get(job) ??
      (this.#word(job + ARGUMENT_COUNT) === REACTION_ARGUMENTS ? this.#ofHandlers.get(handler) : undefined);
    this.#ofJobs.delete(job);
    this.#ofHandlers.delete(handler);
    return context ?? 0;
  }

  /** What a program leaves is in none. */
  forgetAll(): void {
    this.#ofHandlers.clear();
    this.#ofJobs.clear();
    this.#waited = undefined;
    this.#current = 0;
  }

  #view(): DataView {
    return new DataView(this.#memory.buffer);
  }

  /** 0 beyond the memory: what was freed meanwhile may hold anything. */
  #word(at: Pointer): number {
    const view = this.#view();
    return at + 4 <= view.byteLength ? view.getUint32(at, true) : 0;
  }
}
