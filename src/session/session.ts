/** One session: a workspace of one principal, its life, and what becomes of what it is asked to do. */

import { changesWorkspace } from "../executor/wire/bounds.ts";
import type { Limits } from "../config/limits.ts";
import { WasmboxError } from "../errors.ts";
import type { Standing } from "../executor/server/tenant.ts";
import type { FromExecutor } from "../executor/wire/from_executor.ts";
import type {
  LanguageVariables,
  WorkspaceOperation,
  WorkspaceUsage,
} from "../executor/wire/workspace_protocol.ts";
import type { ExecutorEndCause, Observer } from "../telemetry/events.ts";
import type { Budget } from "../budget.ts";
import type { Language } from "../languages.ts";
import { Checkpoints } from "../checkpoints/checkpoints.ts";
import type { Loss } from "../checkpoints/loss.ts";
import type { History } from "../checkpoints/history.ts";
import type { CheckpointStore } from "../checkpoints/store.ts";
import type { PartLoss } from "../image/part.ts";
import { Evicted } from "./evicted.ts";
import { ExecutorLost, isRetryable, messageOf } from "./executor_lost.ts";
import { CallQueue } from "./call_queue.ts";
import { Execution, type ExecutionRequest } from "./execution.ts";
import { ExecutionRunner } from "./execution_runner.ts";
import { HostCalls } from "./host_calls.ts";
import { changesBy, type SessionChange, type SessionWatch } from "./session_watch.ts";
import type { State } from "./outcome.ts";
import { type HostOperation, HostOperations } from "../host_calls/operations.ts";
import { MemoryShare } from "./memory_share.ts";
import type { Scheduler } from "./scheduler.ts";
import type { SessionRecord } from "./record.ts";
import { type Neighbourhood, Residence, type Resident } from "./residence.ts";
import { type Answered, type FileTurns, SessionFiles } from "./session_files.ts";
import { SessionHistory } from "./session_history.ts";
import { storeError } from "./store_errors.ts";
import { WorkspaceOperations } from "./workspace_operations.ts";

/** An image that is brought back before anybody has asked for it, at most: some fifth of a second's work. */
const SOON_AWAKE_BYTES = 64 * 1024 * 1024;

/** What a session needs of the server it belongs to. */
export interface SessionHost extends Neighbourhood {
  readonly limits: Limits;
  readonly scheduler: Scheduler;
  readonly operations: readonly HostOperation[];
  /** Where the images of sessions are kept. */
  readonly store: CheckpointStore;
  /** Whether a reply waits until the store has what it tells. */
  readonly storeSync: "reply" | "soon";
  /** What the images of all sessions share. */
  readonly imageBudget: Budget;
  /** What the heaps of all sessions may grow to together. */
  readonly memoryBudget: Budget;
  /** Gives up a session of the principal's that nobody is known to need, another than `asking`; false if there is none. */
  reclaim(principal: string, asking?: Session): boolean;
  readonly observe: Observer;
  readonly watch: SessionWatch;
  /** True once the server is told to end: what runs may end, nothing new begins. */
  draining: boolean;
}

/** What a session begins with. */
export interface SessionBeginning {
  /** Its own limits, where they are lower than the server's. */
  readonly limits: Limits;
  readonly record: SessionRecord;
  readonly history: History;
}

export class Session {
  readonly limits: Limits;
  readonly #record: SessionRecord;
  readonly #residence: Residence;
  readonly #checkpoints: Checkpoints;
  readonly #queue: CallQueue;
  readonly #runner: ExecutionRunner;
  readonly #calls = new Set<Execution>();
  readonly #operations: WorkspaceOperations;
  readonly #closing = new AbortController();
  readonly #hostCalls: HostCalls;
  readonly files: SessionFiles;
  readonly history: SessionHistory;
  readonly #memory: MemoryShare;
  /** Of it, on which programs are tried for it: who cancels what it does, or ends it, means these too. */
  readonly copies = new Set<Session>();

  constructor(
    readonly principal: string,
    readonly id: string,
    readonly host: SessionHost,
    { limits, record, history }: SessionBeginning,
  ) {
    this.limits = limits;
    this.#record = record;
    const { scheduler, store, storeSync } = host;
    const checkpoints = this.#checkpoints = new Checkpoints(history, limits, host.imageBudget);
    const residence = this.#residence = new Residence(this.#resident(), host, checkpoints);
    const untilStored = store.durable && storeSync === "reply";
    this.#queue = new CallQueue(residence, checkpoints, record, untilStored);
    const waiting = () => this.executions.filter(({ phase }) => phase === "queued");
    this.#runner = new ExecutionRunner(residence, checkpoints, record, scheduler, waiting);
    this.#operations = new WorkspaceOperations(residence);
    this.#memory = new MemoryShare(
      host.memoryBudget,
      limits.memoryBytes,
      () => host.reclaim(principal, this),
    );
    const caller = { principal, sessionId: id, signal: this.#closing.signal };
    this.#hostCalls = new HostCalls(new HostOperations(host.operations, caller), residence);
    this.files = new SessionFiles(this.#fileTurns(), limits.workspaceBytes);
    this.history = new SessionHistory({
      id,
      limits,
      record,
      checkpoints,
      savable: () => this.#movable,
      turn: (work, signal) =>
        this.#queue.turn(work, { signal }).catch((error: unknown) => {
          throw storeError(error, id);
        }),
      moveOut: () => residence.moveOut(),
      changed: () => this.#tell("any"),
    });
  }

  #fileTurns(): FileTurns {
    const perform = (operation: WorkspaceOperation, bytes?: Uint8Array) =>
      this.#operations.perform(operation, bytes);
    return {
      operate: (operation, bytes, options) =>
        operation.kind === "text"
          ? this.#look(operation)
          : this.#queue.turn(() => perform(operation, bytes), options),
      together: (work, options) => this.#queue.turn(() => work(perform), options),
      stay: () => this.#queue.stay(),
      within: false,
    };
  }

  #resident(): Resident {
    const { principal, id, limits } = this;
    return {
      principal,
      id,
      limits,
      closing: this.#closing.signal,
      closed: () => this.#closed(),
      standing: () => this.#standing,
      message: (message, bytes) => this.#message(message, bytes),
      output: (stream, bytes) => this.#runner.running?.output(stream, bytes),
      restored: (lost) => this.#restored(lost),
      executorLost: (reason, cause) => this.#lose(reason, cause),
      evicted: (why) => this.#evict(why),
    };
  }

  get createdAt(): Date {
    return this.#record.createdAt;
  }

  get lastUsedAt(): Date {
    return this.#record.lastUsedAt;
  }

  /** How long it has not been used here, ms, whatever became of the time of day meanwhile. */
  get idleMs(): number {
    return this.busy ? 0 : performance.now() - this.#record.usedMs;
  }

  get executed(): number {
    return this.#record.executed;
  }

  /** Fuel of all its executions together. */
  get fuelConsumed(): number {
    return this.#record.fuelConsumed;
  }

  /** What its heaps take up, as its last executions left them; nothing while it has no Worker. */
  get heapBytes(): number {
    return this.isAwake ? this.#runner.heapBytes : 0;
  }

  /** Whether it has a Worker. */
  get isAwake(): boolean {
    return this.#residence.home !== undefined;
  }

  /** Executions that run or wait for their turn, oldest first. */
  get executions(): readonly Execution[] {
    return [...this.#calls].filter((execution) => execution.phase !== "ended");
  }

  /** Whether losing the executor now would lose nothing, the last change, or everything. */
  get checkpoint(): "current" | "behind" | "none" {
    return this.#checkpoints.state;
  }

  /**
   * Keeps what an execution in the background gave where a store has it, so that other servers can tell it. It goes with
   * the state that it tells of; where there is none of its own, as of what was cancelled, by itself.
   */
  keepReply(executionId: string, reply: string): void {
    if (!this.host.store.durable || !this.#record.keepReply(executionId, reply)) return;
    void this.#checkpoints.caughtUp().then(() => {
      if (!this.#closing.signal.aborted) void this.save(); // else it was saved with the end
    });
  }

  /** What was kept of an execution's reply: see {@link keepReply}. */
  replyOf(executionId: string): string | undefined {
    return this.#record.replyOf(executionId);
  }

  /** What that execution did when it was lost with an earlier server; undefined: it was not. */
  lostWhile(executionId: string): "running" | "queued" | undefined {
    const { interrupted } = this.#checkpoints.history.place;
    if (!interrupted.includes(executionId)) return undefined;
    return interrupted[0] === executionId ? "running" : "queued";
  }

  /** True while something runs or waits; such a session is not idle. */
  get busy(): boolean {
    return this.#queue.busy;
  }

  /** What was lost before it began is told with its first execution. */
  lostBefore(loss: Loss): void {
    this.#checkpoints.lose(loss);
  }

  /** Starts the session's Worker, and the heap of a language if one is named, ahead of the first execution. */
  async open(prepare: readonly Language[] = []): Promise<void> {
    await this.#settle(prepare, prepare);
  }

  /**
   * Brings it back from its image ahead of the first call, if that is soon done.
   *
   * @throws {WasmboxError} as {@link execute} does; whatever keeps it from that is told by the first call that needs it.
   */
  async wake(): Promise<void> {
    const { history } = this.#checkpoints;
    if (this.isAwake || history.empty || history.presentBytes > SOON_AWAKE_BYTES) return;
    await this.#settle(this.#record.languages);
  }

  /** @param heaps Languages whose heaps it may have then. */
  async #settle(heaps: Iterable<Language>, prepare: readonly Language[] = []): Promise<void> {
    for (const language of heaps) this.#memory.take(language);
    await this.#queue.turn(() => this.#residence.settle(prepare));
  }

  /**
   * Queues code behind what this session already does.
   *
   * @returns The execution, at once; its `outcome` settles when it has ended and never rejects.
   * @throws {WasmboxError} if the queue is full, the server's memory is given out, or the session was ended.
   */
  execute(request: ExecutionRequest): Execution {
    if (this.host.draining) throw shuttingDown();
    const execution = new Execution(request, this.limits, this.host.observe);
    using admitted = new DisposableStack();
    admitted.use(this.host.scheduler.admit(this.principal));
    for (const language of [request.language, ...this.#record.languages]) this.#memory.take(language);
    const turn = this.#queue.turn(() => this.#runner.run(execution));
    this.#record.languages.add(request.language);
    execution.queued();
    const call = admitted.move(); // it is in the queue now, and leaves the scheduler with its end
    this.#calls.add(execution);
    this.#tellOfWaiting(execution);
    turn.catch((error: unknown) => this.#failed(execution, error))
      .finally(() => {
        this.#calls.delete(execution);
        call.dispose();
      });
    return execution;
  }

  /** The store knows of what waits behind something that runs, for as long as it does. */
  #tellOfWaiting(execution: Execution): void {
    const runner = this.#runner;
    if (runner.running) runner.tellStore(); // else what begins does
    void execution.outcome.then(() => {
      if (runner.running !== execution) runner.tellStore();
    });
  }

  /** It could not be run at all. */
  #failed(execution: Execution, error: unknown): void {
    if (error instanceof Evicted) execution.evicted(error.why, "kept"); // it goes on from where it was
    else {
      const retryable = !(error instanceof ExecutorLost && error.isFinal);
      execution.lost(messageOf(error), this.#checkpoints.fallback, { retryable });
    }
  }

  /** @throws {WasmboxError} if the session's executor is lost meanwhile. */
  usage(): Promise<WorkspaceUsage> {
    return this.#queue.turn(() => this.#operations.usage("info"));
  }

  /**
   * What its languages have as variables, in short; of one that does not run now, nothing: looking wakes nobody.
   *
   * @throws {WasmboxError} if the session's executor is lost meanwhile.
   */
  async variables(): Promise<readonly LanguageVariables[]> {
    if (!this.isAwake) return [];
    const { answer } = await this.#look({ kind: "variables" });
    if (answer.kind !== "variables") throw new Error(`asked for variables, got ${answer.kind}`);
    return answer.languages;
  }

  /** An operation for which interpreters work: it has its turn and its slot among executions. */
  async #look(operation: WorkspaceOperation): Promise<Answered> {
    using _admitted = this.host.scheduler.admit(this.principal);
    return await this.#queue.turn(async () => {
      using _slot = await this.host.scheduler.slot(this.principal);
      return await this.#operations.perform(operation);
    });
  }

  /** Empties the workspace and throws all heaps away. @param signal Of the call that wants it. */
  reset(signal?: AbortSignal): Promise<WorkspaceUsage> {
    return this.#queue.turn(async () => {
      const usage = await this.#operations.usage("reset");
      this.#runner.heapsGone();
      const needed = new Set(this.executions.map(({ request }) => request.language));
      this.#memory.keep(needed);
      for (const language of this.#record.languages) {
        if (!needed.has(language)) this.#record.languages.delete(language);
      }
      return usage;
    }, { signal });
  }

  /**
   * Waits until the store has what was last told, as far as it can take it.
   *
   * @returns Why it would not outlive the server; undefined: it would.
   */
  async saved(): Promise<string | undefined> {
    await this.#checkpoints.caughtUp();
    return this.#checkpoints.notDurable;
  }

  /** Whether all of it is captured, and waits for a store that could not take it. */
  get waitsForStore(): boolean {
    return this.host.store.durable && this.checkpoint === "current" && this.notDurable !== undefined;
  }

  /** Offers the store again what it could not take. Never rejects. */
  async save(): Promise<void> {
    await this.#checkpoints.save();
  }

  /** Why what was last told would not outlive the server; undefined: it would. */
  get notDurable(): string | undefined {
    return this.#checkpoints.notDurable;
  }

  /** Whether it is idle, and the store has all of it: it can go on elsewhere. */
  get canLeave(): boolean {
    return !this.busy && this.#movable && this.#checkpoints.history.notDurable === undefined;
  }

  /** Keeps it from leaving for others, idle or not, until that is disposed of. */
  stay(): Disposable {
    return this.#queue.stay();
  }

  /** What a copy of it begins with. */
  get record(): SessionRecord {
    return this.#record;
  }

  /**
   * Frees its Worker, if it is idle and nothing is lost by that; the next call makes another one.
   *
   * @param programs Whether programs that go on may be lost.
   */
  sleep({ programs = false } = {}): void {
    const leaves = this.#standing === "idle" || programs && this.#standing === "serving";
    if (leaves && this.isAwake) this.#residence.moveOut();
  }

  /** Whether programs that its scripts have left running would end with its Worker. */
  get serves(): boolean {
    return this.#standing === "serving";
  }

  /**
   * Ends the session: what runs is stopped, what waits is cancelled.
   *
   * @param keep Whether the store goes on having it; else files and heaps are gone.
   */
  async close({ keep = false } = {}): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    const calls = this.executions;
    for (const execution of calls) execution.stop(keep ? "cancelled" : "ended");
    for (const { executions } of this.copies) for (const execution of executions) execution.stop("cancelled");
    // Without calls it has ended when this returns: whoever makes room for another session counts on that.
    if (calls.length > 0) await Promise.all(calls.map((execution) => execution.outcome));
    this.#memory[Symbol.dispose]();
    this.#residence.leave();
    this.#operations.reject(this.#closed());
    const gone = keep ? this.#checkpoints.release() : this.#checkpoints.forget();
    if (this.#checkpoints.changed && !keep) this.#tell("any");
    await gone;
  }

  #closed(): WasmboxError {
    return new WasmboxError("SESSION_CLOSED", `The session "${this.id}" was ended.`);
  }

  /** Whether it can leave its Worker without losing anything, as long as nothing runs. */
  get #movable(): boolean {
    return this.checkpoint === "current" || this.checkpoint === "none" && !this.#checkpoints.changed;
  }

  get #standing(): Standing {
    if (!this.busy && this.#movable) return this.#runner.leftPrograms ? "serving" : "idle";
    return this.#runner.running || this.#movable ? "running" : "unsaved";
  }

  /** It goes on from its image, but for these parts of it. */
  #restored(lost: readonly PartLoss[]): void {
    this.#checkpoints.restored(lost);
    const { principal, id: sessionId } = this;
    for (const { part, reason } of lost) {
      this.host.observe({ type: "state_lost", principal, sessionId, part, reason });
    }
    if (lost.length > 0) this.#tell("any");
  }

  #message(message: FromExecutor, bytes: Uint8Array): void {
    const { running } = this.#runner;
    switch (message.type) {
      case "outcome":
        if (this.#runner.ended(message)) {
          this.#tell(message.changed.truncated ? "any" : message.changed.files);
        }
        break;
      case "display":
        if (message.execution === running?.number) running.displayed(bytes);
        break;
      case "checkpoint":
        this.host.observe({ type: "checkpoint", complete: message.complete });
        if (message.complete) this.#runner.captured(message.change);
        this.#checkpoints.commit(
          message.change,
          message.complete,
          this.#residence.home?.executor.bases ?? {},
        );
        this.#residence.done();
        break;
      case "workspace":
        this.#operated(message, bytes);
        break;
      case "host_call":
        void this.#hostCalls.answer(message, bytes);
        break;
      case "lost":
        this.#residence.leave();
        this.#lose(message.reason);
        break;
    }
  }

  #operated(message: Extract<FromExecutor, { type: "workspace" }>, bytes: Uint8Array): void {
    const operation = this.#operations.answered(message, bytes);
    if (!operation) return;
    const { request, answer } = message;
    if (!changesWorkspace(operation) || answer.kind === "failed") return this.#residence.done();
    this.#checkpoints.change(request);
    const files = changesBy(operation, answer);
    this.#tell(files, files === "any");
  }

  #tell(files: SessionChange["files"], variables = true): void {
    this.host.watch.tell(this.principal, { sessionId: this.id, files, variables });
  }

  /** Its memory is needed elsewhere. What is idle loses nothing; what runs is stopped. */
  #evict(why: string): void {
    if (!this.isAwake) return;
    const { running } = this.#runner;
    const state = !running && this.#movable ? "kept" : this.#checkpoints.fallback;
    this.host.observe({ type: "session_evicted", principal: this.principal, sessionId: this.id, state, why });
    if (!this.busy && state === "kept") return this.#residence.moveOut();
    this.#residence.leave();
    this.#record.fuelConsumed += running?.fuelGranted ?? 0; // what it used can't be known
    this.#lose(`memory was short: ${why}`, undefined, (state, loss) => running?.evicted(why, state, loss));
  }

  /**
   * The session has no place any more; it comes back to its last checkpoint in another one.
   *
   * @param end Tells the running execution what it comes back to, and what was lost before it.
   */
  #lose(
    reason: string,
    cause?: ExecutorEndCause,
    end = (state: State, loss: Loss | undefined) =>
      this.#runner.running?.lost(reason, state, { loss, retryable: isRetryable(cause) }),
  ): void {
    this.#residence.forget();
    this.#checkpoints.abandon();
    this.#operations.reject(new ExecutorLost(reason, cause));
    if (!this.#checkpoints.changed && !this.#runner.running) return;
    const state = this.#checkpoints.fallback;
    if (this.#checkpoints.lost(reason)) this.#tell("any");
    if (this.#runner.running) end(state, this.#checkpoints.takeLoss());
  }
}

/** What everything new is told while the server ends. */
export function shuttingDown(): WasmboxError {
  return new WasmboxError("SHUTTING_DOWN", "The server is shutting down.", {
    suggestions: ["Send the call again to the server that takes its place."],
    retryable: true,
  });
}
