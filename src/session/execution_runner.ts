/** A session's executions in its Worker: one at a time, and what each of them uses is booked. */

import type { Checkpoints } from "../checkpoints/checkpoints.ts";
import { TooLarge } from "../executor/wire/frames.ts";
import type { OutcomeMessage } from "../executor/wire/from_executor.ts";
import type { HandlerCall } from "../executor/wire/to_executor.ts";
import type { Language } from "../languages.ts";
import type { Execution, ExecutionRequest } from "./execution.ts";
import { handlerCallOf } from "./handler_call.ts";
import type { SessionRecord } from "./record.ts";
import type { Home, Residence } from "./residence.ts";
import type { Scheduler } from "./scheduler.ts";

export class ExecutionRunner {
  #running: Execution | undefined;
  /** The last one that ended by itself. */
  #ended: { readonly id: string; readonly change: number } | undefined;
  /** The same, as long as it is told as lost if the store does not get it. */
  #untold: string | undefined;
  /** Where the programs are that its scripts have left running. */
  #programsHome: Home | undefined;
  readonly #heapBytes = new Map<Language, number>();

  /** @param waiting Executions that wait for their turn, oldest first. */
  constructor(
    readonly residence: Residence,
    readonly checkpoints: Checkpoints,
    readonly record: SessionRecord,
    readonly scheduler: Scheduler,
    readonly waiting: () => readonly Execution[],
  ) {}

  get running(): Execution | undefined {
    return this.#running;
  }

  /** What the heaps took up when their last executions ended. */
  get heapBytes(): number {
    return this.#heapBytes.values().reduce((sum, bytes) => sum + bytes, 0);
  }

  /** Whether programs were left running, which its Worker alone has. */
  get leftPrograms(): boolean {
    return this.record.programs > 0 && this.#programsHome === this.residence.home;
  }

  /** All heaps were thrown away. */
  heapsGone(): void {
    this.#heapBytes.clear();
    this.record.programs = 0;
  }

  /** Runs one whose turn it is among the session's calls. Settles when it has ended. */
  async run(execution: Execution): Promise<void> {
    if (execution.phase === "ended") return; // cancelled while it waited
    const fuelBudget = this.#fuelFor(execution.request);
    if (fuelBudget !== null && fuelBudget <= 0) return execution.refuseFuel();
    using _slot = await this.scheduler.slot(this.residence.resident.principal);
    await this.residence.settle([], {
      send: (home) => this.#send(home, execution, fuelBudget),
      begun: () => this.#begun(execution, fuelBudget),
    });
    if (this.#running !== execution) return; // cancelled while it waited, or refused
    await execution.outcome;
    this.#running = undefined;
    // What was told of its end is not told again. Of what ended by itself it is, if the store does not get it.
    this.#untold = this.#ended?.id === execution.id ? execution.id : undefined;
    if (this.#untold === undefined) this.tellStore();
  }

  /** Has the store know what runs and waits: a server that takes over tells what of it was lost. */
  tellStore(): void {
    const first = this.#running?.id ?? this.#untold;
    this.checkpoints.runs([...first === undefined ? [] : [first], ...this.waiting().map(({ id }) => id)]);
  }

  /** The Worker has told of an end. @returns False if it is not that of the one that runs. */
  ended(message: OutcomeMessage): boolean {
    const running = this.#running;
    if (message.execution !== running?.number) return false;
    const { language } = running.request;
    this.checkpoints.change(message.execution);
    this.#ended = { id: running.id, change: message.execution };
    this.record.copied.delete(language);
    this.record.fuelConsumed += message.outcome.fuelConsumed;
    this.#heapBytes.set(language, message.outcome.memoryBytes);
    running.ended(message, {
      loss: this.checkpoints.takeLoss(),
      programsLost: this.#programsAre(message),
      memoryBytes: this.residence.resident.limits.memoryBytes,
    });
    return true;
  }

  /** @returns How many were lost meanwhile. */
  #programsAre({ programs, rolledBack, heapBack }: OutcomeMessage): number {
    const { home } = this.residence;
    // None can have come along.
    const isElsewhere = this.#programsHome !== home;
    const wentBack = rolledBack || heapBack;
    const lost = isElsewhere || wentBack ? this.record.programs - (isElsewhere ? 0 : programs) : 0;
    this.record.programs = programs;
    this.#programsHome = home;
    return Math.max(0, lost);
  }

  /** The state after a change is captured. */
  captured(change: number): void {
    if (this.#ended && this.#ended.change <= change) this.record.lastExecutionId = this.#ended.id;
  }

  #begun(execution: Execution, fuelBudget: number | null): void {
    const { home } = this.residence;
    if (!home) return;
    // Cancelled on its way: a new session begins anew rather than with what was never told of.
    if (execution.phase !== "queued") return this.residence.moveOut();
    this.#running = execution;
    this.record.executed++;
    execution.start({
      stop: (number, how) => home.executor.send(home.channel, { type: "stop", execution: number, how }),
      kill: () => {
        this.record.fuelConsumed += fuelBudget ?? 0; // what it used can't be known
        home.executor.kill(
          "unstoppable",
          "an execution in the same process could only be stopped by ending the process",
        );
        return this.checkpoints.fallback;
      },
    }, fuelBudget);
    this.tellStore();
  }

  /** @returns False if it is not to run any more. */
  #send(home: Home, execution: Execution, fuelBudget: number | null): boolean {
    if (execution.phase !== "queued") return false;
    try {
      this.#sendTo(home, execution, fuelBudget);
      return true;
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error;
      execution.refuseSize();
      return false;
    }
  }

  /** @throws {TooLarge} */
  #sendTo({ executor, channel }: Home, execution: Execution, fuelBudget: number | null): void {
    const { language, dialect, program = "code", code, onFailure } = execution.request;
    executor.send(channel, {
      type: "execute",
      execution: execution.number,
      language,
      ...(dialect && { dialect }),
      program,
      code,
      filename: `<execution ${this.record.executed + 1}>`,
      resultMaxBytes: this.residence.resident.limits.resultMaxBytes,
      fuelBudget,
      ...(this.record.copied.has(language) && { reseed: true }),
      onFailure,
      handler: this.#handlerCall(execution),
    });
  }

  #handlerCall({ id, request }: Execution): HandlerCall | null {
    if (!request.handler) return null;
    const { language, timeoutMs } = request;
    const { id: sessionId, limits } = this.residence.resident;
    return handlerCallOf(request.handler, {
      language,
      executionId: id,
      sessionId,
      memoryBytes: limits.memoryBytes,
      timeoutMs,
    });
  }

  /** Fuel that an execution may use: no more than is left to the session. */
  #fuelFor({ fuelBudget }: ExecutionRequest): number | null {
    const { sessionFuelBudget } = this.residence.resident.limits;
    const { fuelConsumed } = this.record;
    const left = sessionFuelBudget === null ? null : Math.max(0, sessionFuelBudget - fuelConsumed);
    return left === null || fuelBudget === null ? fuelBudget ?? left : Math.min(fuelBudget, left);
  }
}
