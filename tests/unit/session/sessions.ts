/** Sessions of a real table, with real executors from source, whose tests see and harm the processes. */

import { DEFAULT_LIMITS, type Limits } from "../../../src/config/limits.ts";
import type { ExecutorProcess } from "../../../src/executor/server/executor_process.ts";
import type { HostOperation } from "../../../src/host_calls/operations.ts";
import type { Execution, ExecutionRequest } from "../../../src/session/execution.ts";
import type { Outcome } from "../../../src/session/outcome.ts";
import type { Session } from "../../../src/session/session.ts";
import { SessionTable } from "../../../src/session/table.ts";
import type { TelemetryEvent } from "../../../src/telemetry/events.ts";
import { eventually, inTime } from "../../support/eventually.ts";

const PRINCIPAL = "someone";

const LIMITS: Limits = { ...DEFAULT_LIMITS, memoryBytes: 64 << 20 };

/** A program that runs until it is stopped. */
export const ENDLESS = "console.log('up'); for (;;);";

export class Sessions implements AsyncDisposable {
  readonly table: SessionTable;
  readonly events: TelemetryEvent[] = [];
  /** Told of each event as it happens. */
  onEvent: (event: TelemetryEvent) => void = () => {};

  constructor(limits: Partial<Limits> = {}, operations: readonly HostOperation[] = []) {
    this.table = new SessionTable({
      limits: { ...LIMITS, ...limits },
      operations,
      observe: (event) => {
        this.events.push(event);
        this.onEvent(event);
      },
    });
  }

  async create(id = "s"): Promise<Session> {
    return await this.table.create(PRINCIPAL, id);
  }

  /** Pids of the executors that live. */
  get executors(): number[] {
    const ended = this.events.flatMap((event) => event.type === "executor_ended" ? [event.pid] : []);
    return this.events.flatMap((event) => event.type === "executor_started" ? [event.pid] : [])
      .filter((pid) => !ended.includes(pid));
  }

  /** How many executors were started. */
  get starts(): number {
    return this.events.filter(({ type }) => type === "executor_started").length;
  }

  /** Kills the executors as a crash would. */
  crash(): void {
    for (const pid of this.executors) {
      try {
        Deno.kill(pid, "SIGKILL");
      } catch {
        // It has ended, and the server does not know yet.
      }
    }
  }

  /** The process in which a session of this server is, or would be. */
  executor(id = "s"): Promise<ExecutorProcess> {
    return this.table.host.pool.acquire(PRINCIPAL, id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await inTime("all executors end", this.table[Symbol.asyncDispose]());
  }
}

export function request(code: string, more: Partial<ExecutionRequest> = {}): ExecutionRequest {
  return { language: "javascript", code, timeoutMs: 60_000, fuelBudget: null, onFailure: "keep", ...more };
}

/** Runs a program to its end. */
export async function run(
  session: Session,
  code: string,
  more: Partial<ExecutionRequest> = {},
): Promise<Outcome> {
  return await outcomeOf(session.execute(request(code, more)));
}

export async function outcomeOf(execution: Execution): Promise<Outcome> {
  return await inTime("the execution ends", execution.outcome);
}

/** Starts a program that does not end by itself, and waits until it runs. */
export async function begin(session: Session, code = ENDLESS, more: Partial<ExecutionRequest> = {}) {
  const up = Promise.withResolvers<unknown>();
  const execution = session.execute(request(code, { ...more, onOutput: up.resolve }));
  await inTime("the program prints", Promise.race([up.promise, execution.outcome]));
  return execution;
}

/** Waits until losing the executor would lose nothing. */
export async function checkpointed(session: Session): Promise<void> {
  await eventually("the session has a checkpoint", () => session.checkpoint, (state) => state === "current");
}

/** What a session says of how an execution went. */
export function told({ status, state, result, notice }: Outcome): unknown[] {
  return [status, state, result, notice];
}
