/** Who may run now: bounds on what runs and waits, and turns between principals. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { DEFAULT_LIMITS, type Limits } from "../../../src/config/limits.ts";
import { WasmboxError } from "../../../src/errors.ts";
import { Scheduler } from "../../../src/session/scheduler.ts";
import { runs } from "../../fuzz/runs.ts";

function schedulerWith(limits: Partial<Limits>): Scheduler {
  return new Scheduler({ ...DEFAULT_LIMITS, ...limits });
}

/** Lets what was resolved run on: a slot that is given is taken within a few turns of the queue of microtasks. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await null;
}

/** Asks for slots by name and keeps account of who got one, in order. */
class Applicants {
  /** Names, in the order in which they got their slots. */
  readonly got: string[] = [];
  readonly held: { readonly name: string; readonly slot: Disposable }[] = [];
  /** The requests that each name waits with, oldest first. */
  readonly waiting = new Map<string, symbol[]>();
  /** Names of those that got a slot before an older request of theirs. */
  readonly outOfOrder: string[] = [];

  constructor(readonly scheduler: Scheduler) {}

  ask(...names: string[]): void {
    for (const name of names) {
      const request = Symbol();
      const waiting = this.waiting.get(name) ?? [];
      this.waiting.set(name, waiting);
      waiting.push(request);
      void this.scheduler.slot(name).then((slot) => {
        if (waiting.shift() !== request) this.outOfOrder.push(name);
        this.got.push(name);
        this.held.push({ name, slot });
      });
    }
  }

  /** Gives a slot back, the oldest of that name if one is given. */
  async release(name?: string): Promise<void> {
    const at = name === undefined ? 0 : this.held.findIndex((held) => held.name === name);
    const [held] = this.held.splice(at, 1);
    held!.slot[Symbol.dispose]();
    await settle();
  }
}

Deno.test("as many run at once as allowed in all, and the next gets the slot that is given back", async () => {
  const applicants = new Applicants(schedulerWith({ maxConcurrentExecutions: 2 }));
  applicants.ask("a", "b", "c");
  await settle();
  assert.deepEqual(applicants.got, ["a", "b"]);
  await applicants.release();
  assert.deepEqual(applicants.got, ["a", "b", "c"]);
});

Deno.test("a principal at its own bound waits, and takes no slot from another one", async () => {
  const limits = { maxConcurrentExecutions: 3, maxConcurrentExecutionsPerClient: 1 };
  const applicants = new Applicants(schedulerWith(limits));
  applicants.ask("a", "a", "b");
  await settle();
  assert.deepEqual(applicants.got, ["a", "b"]);
  await applicants.release("b");
  assert.deepEqual(applicants.got, ["a", "b"], "a may not have a second one");
  await applicants.release("a");
  assert.deepEqual(applicants.got, ["a", "b", "a"]);
});

Deno.test("principals take turns, however many of one wait", async () => {
  const applicants = new Applicants(schedulerWith({ maxConcurrentExecutions: 1 }));
  applicants.ask("other", "a", "a", "a", "b", "b", "c");
  await settle();
  while (applicants.held.length > 0) await applicants.release();
  assert.deepEqual(applicants.got, ["other", "a", "b", "c", "a", "b", "a"]);
});

Deno.test("a slot that is given back twice counts once", async () => {
  const scheduler = schedulerWith({ maxConcurrentExecutions: 1 });
  const slot = await scheduler.slot("a");
  slot[Symbol.dispose]();
  slot[Symbol.dispose]();
  const applicants = new Applicants(scheduler);
  applicants.ask("a", "b");
  await settle();
  assert.deepEqual(applicants.got, ["a"]);
});

Deno.test("a principal may have so many calls that run or wait; more are refused, with a hint, until one ends", () => {
  const scheduler = schedulerWith({ maxConcurrentExecutionsPerClient: 1, maxQueuedCallsPerClient: 2 });
  const calls = [scheduler.admit("a"), scheduler.admit("a"), scheduler.admit("a")];
  assert.throws(() => scheduler.admit("a"), (error: unknown) => {
    assert.ok(error instanceof WasmboxError);
    const { error_code, retryable, context } = error.info;
    assert.deepEqual([error_code, retryable, context["retry_after_ms"]], ["SESSION_BUSY", true, 1000]);
    return true;
  });
  scheduler.admit("b");
  calls[0]![Symbol.dispose]();
  calls[0]![Symbol.dispose]();
  scheduler.admit("a");
  assert.throws(() => scheduler.admit("a"), WasmboxError, "a call that ends twice makes room for one");
});

const NAMES = ["a", "b", "c", "d"];

Deno.test("no bound is passed, no slot is left unused, and nobody who may run is passed over twice", async () => {
  const steps = fc.array(
    fc.oneof(
      { weight: 3, arbitrary: fc.record({ ask: fc.constantFrom(...NAMES) }) },
      { weight: 2, arbitrary: fc.record({ release: fc.nat() }) },
    ),
    { maxLength: 60 },
  );
  const bounds = fc.record({ all: fc.integer({ min: 1, max: 4 }), own: fc.integer({ min: 1, max: 3 }) });
  await fc.assert(
    fc.asyncProperty(bounds, steps, async ({ all, own }, steps) => {
      const limits = { maxConcurrentExecutions: all, maxConcurrentExecutionsPerClient: own };
      const applicants = new Applicants(schedulerWith(limits));
      /** How often others got a slot since a principal began to wait for one that it might have. */
      const passedBy = new Map(NAMES.map((name) => [name, new Map<string, number>()]));
      const running = (name: string) => applicants.held.filter((held) => held.name === name).length;
      const mayRun = (name: string) => (applicants.waiting.get(name) ?? []).length > 0 && running(name) < own;

      for (const step of steps) {
        const before = applicants.got.length;
        if ("ask" in step) {
          applicants.ask(step.ask);
          await settle();
        } else if (applicants.held.length > 0) {
          await applicants.release(applicants.held[step.release % applicants.held.length]!.name);
        }
        for (const got of applicants.got.slice(before)) {
          passedBy.get(got)!.clear();
          for (const other of NAMES.filter((name) => name !== got && mayRun(name))) {
            const times = (passedBy.get(other)!.get(got) ?? 0) + 1;
            passedBy.get(other)!.set(got, times);
            assert.ok(times < 2, `${got} got ${times} slots while ${other} waited`);
          }
        }
        for (const name of NAMES) {
          assert.ok(running(name) <= own, `${running(name)} of ${name} run`);
          if (!mayRun(name)) passedBy.get(name)!.clear();
        }
        assert.deepEqual(applicants.outOfOrder, [], "a principal's requests are served in their order");
        assert.ok(applicants.held.length <= all, `${applicants.held.length} run`);
        assert.ok(applicants.held.length === all || !NAMES.some(mayRun), "a slot is free and someone waits");
      }
      while (applicants.held.length > 0) await applicants.release();
      const asked = steps.filter((step) => "ask" in step).length;
      assert.equal(applicants.got.length, asked, "everyone got a slot in the end");
    }),
    runs(300),
  );
});
