/** The ladder by which an execution is stopped, and what it tells of itself. The tests sit where the executor would. */

import assert from "node:assert/strict";
import { DEFAULT_LIMITS, type Limits } from "../../../src/config/limits.ts";
import type { OutcomeMessage } from "../../../src/executor/wire/from_executor.ts";
import { Execution, type ExecutionRequest, type Seat } from "../../../src/session/execution.ts";
import type { State } from "../../../src/session/outcome.ts";
import type { TelemetryEvent } from "../../../src/telemetry/events.ts";
import { inTime } from "../../support/eventually.ts";

const REQUEST: ExecutionRequest = {
  language: "javascript",
  code: "1",
  timeoutMs: 60_000,
  fuelBudget: null,
  onFailure: "keep",
};

/** Long enough to be seen in between, short enough to be waited for. */
const GRACE = { interruptGraceMs: 30, abortGraceMs: 30 };

function executionWith(limits: Partial<Limits> = {}, request: Partial<ExecutionRequest> = {}): Execution {
  return new Execution({ ...REQUEST, ...request }, { ...DEFAULT_LIMITS, ...limits });
}

/** A seat that does nothing but write down what it is told. */
class Told implements Seat {
  readonly told: string[] = [];
  /** Settles when it is told to kill. */
  readonly killed = Promise.withResolvers<void>();

  constructor(readonly execution: Execution, readonly fallback: State = "rolled_back") {}

  stop(execution: number, how: "interrupt" | "abort"): void {
    this.told.push(execution === this.execution.number ? how : `${how} of another execution`);
  }

  kill(): State {
    this.told.push("kill");
    this.killed.resolve();
    return this.fallback;
  }
}

function message(execution: Execution, outcome: OutcomeMessage["outcome"]): OutcomeMessage {
  return {
    type: "outcome",
    execution: execution.number,
    outcome,
    rolledBack: false,
    programs: 0,
    dropped: { stdout: 0, stderr: 0 },
    changed: { files: [], truncated: false },
    displays: { entries: [], dropped: 0 },
    installed: [],
  };
}

const COMPLETED = {
  status: "completed",
  heap: "kept",
  result: "1",
  fuelConsumed: 5,
  memoryBytes: 6,
} as const;
const STOPPED = { status: "stopped", heap: "kept", fuelConsumed: 5, memoryBytes: 6 } as const;

Deno.test("who does not answer to a stop is interrupted, then aborted, then killed, each once", async () => {
  const execution = executionWith(GRACE);
  const seat = new Told(execution);
  execution.start(seat, null);
  assert.equal(execution.stop("cancelled"), true);
  assert.deepEqual(seat.told, ["interrupt"]);
  assert.equal(execution.stop("timeout"), false, "it is being stopped already");
  await inTime("it is killed", seat.killed.promise);
  assert.deepEqual(seat.told, ["interrupt", "abort", "kill"]);
  const { status, state, exitCode, error } = await execution.outcome;
  assert.deepEqual([status, state, exitCode, error?.error_code], [
    "cancelled",
    "rolled_back",
    130,
    "EXECUTION_CANCELLED",
  ]);
});

Deno.test("who is killed says what became of the session's state", async () => {
  for (const [state, says] of [["rolled_back", /as they were before/], ["reset", /are lost/]] as const) {
    const execution = executionWith(GRACE, { timeoutMs: 1 });
    execution.start(new Told(execution, state), null);
    const outcome = await inTime("it is killed", execution.outcome);
    assert.deepEqual([outcome.status, outcome.state, outcome.exitCode], ["timeout", state, 124]);
    assert.match(outcome.error?.message ?? "", says);
  }
});

Deno.test("the clock of the time-out starts with the turn, and each grace period with its stop", async () => {
  const execution = executionWith({ interruptGraceMs: 80, abortGraceMs: 120 }, { timeoutMs: 60 });
  const started = performance.now();
  execution.start(new Told(execution), null);
  await inTime("it is killed", execution.outcome);
  const ms = performance.now() - started;
  assert.ok(ms >= 60 + 80 + 120 - 5, `${ms} ms`);
});

Deno.test("who answers to the interrupt is neither aborted nor killed", async () => {
  const execution = executionWith(GRACE);
  const seat = new Told(execution);
  execution.start(seat, null);
  execution.stop("timeout");
  execution.ended(message(execution, STOPPED), { loss: undefined, programsLost: 0, memoryBytes: 0 });
  assert.equal((await execution.outcome).status, "timeout");
  await new Promise((resolve) => setTimeout(resolve, GRACE.interruptGraceMs + GRACE.abortGraceMs + 20));
  assert.deepEqual(seat.told, ["interrupt"]);
});

Deno.test("what ended by itself just before its stop arrived has completed", async () => {
  const execution = executionWith(GRACE);
  execution.start(new Told(execution), null);
  execution.stop("cancelled");
  execution.ended(message(execution, COMPLETED), { loss: undefined, programsLost: 0, memoryBytes: 0 });
  const { status, result, error } = await execution.outcome;
  assert.deepEqual([status, result, error], ["completed", "1", null]);
});

Deno.test("what is stopped before its turn never starts", async () => {
  const execution = executionWith();
  assert.equal(execution.phase, "queued");
  assert.equal(execution.stop("cancelled"), true);
  const { status, state, executionTimeMs, error } = await execution.outcome;
  assert.deepEqual([execution.phase, status, state, executionTimeMs], ["ended", "cancelled", "kept", 0]);
  assert.match(error?.message ?? "", /had not started/);
  assert.equal(execution.stop("timeout"), false);
});

Deno.test("nothing that comes after its end changes an outcome", async () => {
  const execution = executionWith(GRACE);
  const seat = new Told(execution);
  execution.start(seat, null);
  execution.ended(message(execution, COMPLETED), { loss: undefined, programsLost: 0, memoryBytes: 0 });
  execution.lost("its process ended", "reset");
  execution.ended(message(execution, STOPPED), {
    loss: { state: "reset", notice: "late" },
    programsLost: 0,
    memoryBytes: 0,
  });
  execution.refuseFuel();
  assert.equal(execution.stop("cancelled"), false);
  const { status, state, notice } = await execution.outcome;
  assert.deepEqual([execution.phase, status, state, notice], ["ended", "completed", "kept", null]);
  assert.deepEqual(seat.told, []);
});

Deno.test("what the session lost before is told with the next outcome, whose state is the worse of the two", async () => {
  const lost = { state: "rolled_back", notice: "What the last call did was lost." } as const;
  const completed = executionWith();
  completed.start(new Told(completed), null);
  completed.ended(message(completed, COMPLETED), { loss: lost, programsLost: 0, memoryBytes: 0 });
  const first = await completed.outcome;
  assert.deepEqual([first.status, first.state, first.notice], ["completed", "rolled_back", lost.notice]);

  const crashed = executionWith();
  crashed.start(new Told(crashed), null);
  const reason = {
    status: "crashed",
    heap: "discarded",
    reason: "x",
    fuelConsumed: 0,
    memoryBytes: 0,
  } as const;
  crashed.ended(message(crashed, reason), { loss: lost, programsLost: 0, memoryBytes: 0 });
  const second = await crashed.outcome;
  assert.deepEqual([second.status, second.state, second.notice], ["crashed", "reset", lost.notice]);
});

Deno.test("output up to the end is in the outcome, and was heard as it came", async () => {
  const heard: string[] = [];
  const onOutput = (stream: string, text: string, id: string) => {
    heard.push(`${stream} of ${id === execution.id ? "it" : id}: ${text}`);
  };
  const execution = executionWith({ stdoutMaxBytes: 4 }, { onOutput });
  execution.start(new Told(execution), null);
  const bytes = new TextEncoder().encode("héhé");
  execution.output("stdout", bytes.subarray(0, 2));
  execution.output("stdout", bytes.subarray(2));
  execution.output("stderr", new TextEncoder().encode("err"));
  execution.lost("its process ended", "rolled_back");
  const { stdout, stderr, status } = await execution.outcome;
  assert.deepEqual([status, stdout, stderr], ["crashed", "h\n[… 3 bytes left out …]\né", "err"]);
  assert.deepEqual(heard, ["stdout of it: h", "stdout of it: éh", "stderr of it: err"]);
});

Deno.test("observers hear of its turn and its end, once each, also if its turn never came", async () => {
  const events: string[] = [];
  const observe = (event: TelemetryEvent) => {
    if (event.type === "execution_ended") events.push(`ended ${event.status}, started ${event.started}`);
    else events.push(event.type);
  };
  const ran = new Execution(REQUEST, DEFAULT_LIMITS, observe);
  ran.queued();
  ran.start(new Told(ran), 7);
  ran.ended(message(ran, COMPLETED), { loss: undefined, programsLost: 0, memoryBytes: 0 });
  ran.lost("late", "reset");
  assert.equal((await ran.outcome).fuelBudget, 7);
  const refused = new Execution(REQUEST, DEFAULT_LIMITS, observe);
  refused.queued();
  refused.refuseFuel();
  assert.equal((await refused.outcome).fuelBudget, 0);
  assert.deepEqual(events, [
    "execution_queued",
    "execution_started",
    "ended completed, started true",
    "execution_queued",
    "ended out_of_fuel, started false",
  ]);
});
