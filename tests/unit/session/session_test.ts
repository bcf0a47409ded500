/** A session through its public methods, with real executors: its queue, its budgets, its moves and its end. */

import assert from "node:assert/strict";
import { z } from "zod";
import { WasmboxError } from "../../../src/errors.ts";
import type { HostOperation } from "../../../src/host_calls/operations.ts";
import type { Execution } from "../../../src/session/execution.ts";
import type { Session } from "../../../src/session/session.ts";
import { eventually, inTime } from "../../support/eventually.ts";
import { begin, checkpointed, ENDLESS, outcomeOf, request, run, Sessions, told } from "./sessions.ts";

const MIB = 1 << 20;

function isError(code: string): (error: unknown) => boolean {
  return (error) => error instanceof WasmboxError && error.info.error_code === code;
}

Deno.test("what a session is asked is done one after the other, in order: programs, files, looks and resets", async () => {
  await using sessions = new Sessions();
  const session = await sessions.create();
  const done: string[] = [];
  const note = (what: string) => (value: unknown) => {
    done.push(what);
    return value;
  };
  const append = (text: string) =>
    outcomeOf(session.execute(request(`require('fs').appendFileSync('log', '${text}')`))).then(note(text));
  const calls = [
    append("a"),
    append("b"),
    session.files.read("log", 0, 10).then(({ bytes }) => note(`read ${new TextDecoder().decode(bytes)}`)(0)),
    append("c"),
    session.usage().then(({ files }) => note(`${files} file`)(0)),
    session.reset().then(({ files }) => note(`${files} files`)(0)),
    append("d"),
    session.files.stat("log").then(({ size }) => note(`${size} byte`)(0)),
  ];
  await inTime("all is done", Promise.all(calls));
  assert.deepEqual(done, ["a", "b", "read ab", "c", "1 file", "0 files", "d", "1 byte"]);
  assert.equal(session.executed, 4);
  assert.equal(session.busy, false);
});

Deno.test("executions that run or wait are listed, oldest first, and stopped one by one", async () => {
  await using sessions = new Sessions();
  const session = await sessions.create();
  const running = await begin(session);
  const waiting = [session.execute(request("2")), session.execute(request("3"))];
  assert.deepEqual(session.executions, [running, ...waiting]);
  assert.deepEqual(session.executions.map(({ phase }) => phase), ["running", "queued", "queued"]);
  assert.equal(session.busy, true);
  waiting[0]!.stop("cancelled");
  assert.equal((await outcomeOf(waiting[0]!)).status, "cancelled");
  assert.deepEqual(session.executions, [running, waiting[1]]);
  running.stop("cancelled");
  assert.deepEqual([(await outcomeOf(running)).status, (await outcomeOf(waiting[1]!)).result], [
    "cancelled",
    "3",
  ]);
  assert.equal(session.executed, 2, "the one that was stopped while it waited never ran");
});

Deno.test("a call beyond those that may wait is refused at once as SESSION_BUSY, and those that wait lose nothing", async () => {
  await using sessions = new Sessions({ maxQueuedCalls: 2 });
  const session = await sessions.create();
  const running = await begin(session);
  const waiting = [session.execute(request("'first'")), session.execute(request("'second'"))];
  assert.throws(() => session.execute(request("3")), isError("SESSION_BUSY"));
  assert.throws(() => session.usage(), isError("SESSION_BUSY"));
  await assert.rejects(session.files.stat("x"), isError("SESSION_BUSY"));
  assert.equal((await run(await sessions.create("other"), "'other'")).result, "'other'");
  running.stop("cancelled");
  const outcomes = await Promise.all([running, ...waiting].map(outcomeOf));
  assert.deepEqual(outcomes.map(({ status, result }) => result ?? status), [
    "cancelled",
    "'first'",
    "'second'",
  ]);
  assert.equal((await run(session, "4")).result, "4");
});

Deno.test("a refused call takes nothing: no place of its principal's, and no memory", async () => {
  await using sessions = new Sessions({
    maxQueuedCalls: 0,
    maxQueuedCallsPerClient: 1,
    maxConcurrentExecutionsPerClient: 1,
    totalMemoryBytes: 64 * MIB,
  });
  const session = await sessions.create();
  const running = await begin(session);
  for (let again = 0; again < 5; again++) {
    assert.throws(() => session.execute(request("1")), isError("SESSION_BUSY"));
    assert.throws(() => session.execute(request("1", { language: "python" })), isError("OUT_OF_MEMORY"));
  }
  running.stop("cancelled");
  await outcomeOf(running);
  assert.equal((await run(session, "1")).result, "1");
});

Deno.test("closing a session stops what runs, cancels what waits, gives everything back and lets nothing in", async () => {
  await using sessions = new Sessions({ totalMemoryBytes: 64 * MIB });
  const session = await sessions.create();
  await run(session, "1");
  const running = await begin(session);
  const waiting = session.execute(request("2"));
  const looking = session.usage();
  const looked = assert.rejects(looking, isError("SESSION_CLOSED"));
  await inTime("the session ends", Promise.all([session.close(), session.close()]));
  const outcomes = await Promise.all([running, waiting].map(outcomeOf));
  assert.deepEqual(outcomes.map(({ status }) => status), ["cancelled", "cancelled"]);
  await inTime("the look is refused", looked);
  assert.throws(() => session.execute(request("3")), isError("SESSION_CLOSED"));
  assert.throws(() => session.usage(), isError("SESSION_CLOSED"));
  assert.deepEqual([session.executions, session.checkpoint], [[], "none"]);
  assert.equal(
    (await run(await sessions.create("other"), "'it has the memory'")).result,
    "'it has the memory'",
  );
});

Deno.test("what is asked of the files while the session ends is refused, however far it has come", async () => {
  await using sessions = new Sessions();
  for (let turns = 0; turns < 60; turns++) {
    const session = await sessions.create();
    await inTime("it is ready", session.open());
    const looked = assert.rejects(inTime("the look is refused", session.usage()), isError("SESSION_CLOSED"));
    for (let turn = 0; turn < turns; turn++) await null;
    await sessions.table.destroy(session.principal, session.id);
    await looked;
  }
});

Deno.test("a session that is closed while it starts is gone, and its process serves the next", async () => {
  await using sessions = new Sessions();
  const session = await sessions.create();
  const execution = session.execute(request("1"));
  const closed = session.close();
  assert.equal((await outcomeOf(execution)).status, "cancelled");
  await inTime("the session ends", closed);
  assert.equal((await run(await sessions.create("next"), "'next'")).result, "'next'");
  assert.equal(sessions.starts, 1);
});

Deno.test("a session that is closed while its Worker is made ready leaves its turn to the next, and its process lives on", async () => {
  await using sessions = new Sessions({ maxConcurrentExecutions: 1, executorStartMs: 30_000 });
  await run(await sessions.create("first"), "1");
  for (let turns = 0; turns < 40; turns += 4) {
    const session = await sessions.create(`closed after ${turns}`);
    const execution = session.execute(request("1"));
    for (let turn = 0; turn < turns; turn++) await null;
    await inTime("the session ends", sessions.table.destroy(session.principal, session.id));
    assert.equal((await outcomeOf(execution)).status, "cancelled");
    const next = await sessions.create(`next after ${turns}`);
    assert.equal((await run(next, "'next'")).result, "'next'");
    await sessions.table.destroy(next.principal, next.id);
  }
  assert.equal(sessions.starts, 1);
});

/** Waits until a session's first program is on its way to a process that is still starting. */
async function onItsWay(session: Session, code: string): Promise<Execution> {
  const execution = session.execute(request(code));
  await eventually("the session has a place", () => session.isAwake, (isAwake) => isAwake);
  assert.equal(execution.phase, "queued");
  return execution;
}

Deno.test("a first program that is cancelled on its way has done nothing, and the session goes on", async () => {
  await using sessions = new Sessions();
  const session = await sessions.create();
  const execution = await onItsWay(session, "globalThis.x = 1; require('fs').writeFileSync('f', '')");
  execution.stop("cancelled");
  assert.deepEqual(told(await outcomeOf(execution)), ["cancelled", "kept", null, null]);
  const next = await run(session, "[typeof x, require('fs').existsSync('f')]");
  assert.deepEqual(told(next), ["completed", "kept", "[ 'undefined', false ]", null]);
  assert.equal(session.executed, 1);
  assert.equal(sessions.starts, 1);
});

Deno.test("a first program whose process ends while it is on its way runs in the next one, once", async () => {
  await using sessions = new Sessions();
  const session = await sessions.create();
  const execution = await onItsWay(session, "globalThis.n = (globalThis.n ?? 0) + 1");
  sessions.crash();
  assert.deepEqual(told(await outcomeOf(execution)), ["completed", "kept", "1", null]);
  assert.equal(session.executed, 1);
  assert.equal(sessions.starts, 2);
});

Deno.test("a file that is asked for while its session's process ends is had from the next one", async () => {
  await using sessions = new Sessions();
  const session = await sessions.create();
  const files = session.files.stat("/workspace");
  await eventually("the session has a place", () => session.isAwake, (isAwake) => isAwake);
  sessions.crash();
  assert.equal((await inTime("it is answered", files)).type, "directory");
  assert.equal(sessions.starts, 2);
});

Deno.test("a server that is told to end takes nothing new, and what runs may end", async () => {
  await using sessions = new Sessions();
  const session = await sessions.create();
  const running = await begin(
    session,
    "console.log('up'); await new Promise((done) => setTimeout(done, 200)); 7",
  );
  const drained = sessions.table.drain();
  assert.throws(() => session.execute(request("1")), isError("SHUTTING_DOWN"));
  await inTime("what runs has ended", drained);
  assert.equal((await outcomeOf(running)).result, "7");
});

Deno.test("an execution has the fuel it asks for, or what is left to its session, whichever is less", async () => {
  const sessionFuelBudget = 2_000_000;
  await using sessions = new Sessions({ sessionFuelBudget });
  const session = await sessions.create();
  const small = await run(session, "for (;;);", { fuelBudget: 1_000_000 });
  assert.deepEqual([small.status, small.state, small.fuelBudget], ["out_of_fuel", "kept", 1_000_000]);
  assert.equal(session.fuelConsumed, small.fuelConsumed);
  const left = sessionFuelBudget - session.fuelConsumed;
  const most = await run(session, "globalThis.kept = 1", { fuelBudget: 1_500_000 });
  assert.equal(most.fuelBudget, Math.min(left, 1_500_000));
  const rest = await run(session, "for (;;);");
  assert.deepEqual([rest.status, rest.fuelBudget], ["out_of_fuel", left - most.fuelConsumed]);
  assert.ok(session.fuelConsumed >= sessionFuelBudget);
  const executed = session.executed;
  const refused = await run(session, "kept");
  assert.deepEqual([refused.status, refused.state, refused.fuelBudget, refused.fuelConsumed], [
    "out_of_fuel",
    "kept",
    0,
    0,
  ]);
  assert.match(refused.error?.message ?? "", /had not started/);
  assert.equal(session.executed, executed);
  assert.equal((await session.usage()).files, 0, "what costs no fuel is still served");
});

Deno.test("an execution that is killed has used all the fuel it was given, as nobody can know how much it was", async () => {
  await using sessions = new Sessions({
    sessionFuelBudget: 100_000_000,
    interruptGraceMs: 100,
    abortGraceMs: 100,
  });
  const session = await sessions.create();
  const before = session.fuelConsumed;
  const waits = "console.log('up'); await new Promise((done) => setTimeout(done, 60_000));";
  const execution = await begin(session, waits, { timeoutMs: 600_000, fuelBudget: 50_000_000 });
  for (const pid of sessions.executors) Deno.kill(pid, "SIGSTOP"); // a process that hears nothing any more
  execution.stop("timeout");
  assert.equal((await outcomeOf(execution)).status, "timeout");
  assert.ok(session.fuelConsumed - before >= 50_000_000, `${session.fuelConsumed} after ${before}`);
});

Deno.test("a session that uses the shell later keeps its variables, files and open files", async () => {
  await using sessions = new Sessions();
  const session = await sessions.create();
  await run(session, "x = [1]; f = open('log', 'w'); n = f.write('a')", { language: "python" });
  await run(session, "globalThis.y = { n: 1 }");
  const shell = await run(session, "v=kept; cat log; echo there", { language: "shell" });
  assert.deepEqual([shell.stdout, shell.state, shell.notice], ["there\n", "kept", null]);
  const python = await run(session, "x.append(2); n = f.write('b'); f.close(); x", { language: "python" });
  assert.deepEqual(told(python), ["completed", "kept", "[1, 2]", null]);
  assert.equal((await run(session, "++y.n")).result, "2");
  assert.equal((await run(session, "echo $v; cat log", { language: "shell" })).stdout, "kept\nab");
  assert.equal(sessions.starts, 1, "all in one process");
});

Deno.test("a session that was made ready for a language runs it at once", async () => {
  await using sessions = new Sessions();
  const session = await sessions.create();
  await inTime("it is ready", session.open(["javascript"]));
  assert.deepEqual((await session.usage()).heaps.map(({ language }) => language), ["javascript"]);
  assert.deepEqual(told(await run(session, "1 + 1")), ["completed", "kept", "2", null]);
});

Deno.test("a session whose end comes in the middle of a host call ends it, and the server's side of it", async () => {
  const asked = Promise.withResolvers<AbortSignal>();
  const never: HostOperation<object> = {
    protocol: {
      name: "never",
      request: z.object({}),
      answer: z.unknown(),
      maxRequestBytes: 100,
      maxReplyBytes: 100,
      maxConcurrent: 1,
    },
    timeoutMs: 60_000,
    handle: (_, { signal }) => {
      asked.resolve(signal);
      return new Promise(() => {});
    },
  };
  await using sessions = new Sessions({}, [never as HostOperation]);
  const session = await sessions.create();
  const execution = session.execute(request(`require("wasmbox:host").hostCall("never", {})`));
  const signal = await inTime("the server is asked", asked.promise);
  await inTime("the session ends", session.close());
  assert.equal((await outcomeOf(execution)).status, "cancelled");
  assert.equal(signal.aborted, true);
});

Deno.test("what a session is told of other sessions' ends is nothing: a neighbour in its process runs on", async () => {
  await using sessions = new Sessions();
  const [one, two] = [await sessions.create("one"), await sessions.create("two")];
  await run(two, "globalThis.x = 2");
  await checkpointed(two);
  const running = await begin(one, ENDLESS);
  await inTime("it ends", one.close());
  assert.equal((await outcomeOf(running)).status, "cancelled");
  assert.deepEqual(told(await run(two, "x")), ["completed", "kept", "2", null]);
  assert.equal(sessions.starts, 1);
});
