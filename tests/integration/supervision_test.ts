/** Executors that stop answering, eat memory, or are more than allowed; and who may run when. Only from source. */

import assert from "node:assert/strict";
import { eventually } from "../support/eventually.ts";
import { childrenOf, TestServer, UNDER_TEST } from "../support/harness.ts";

const FIXTURE = new URL("./fixtures/server.ts", import.meta.url);

function test(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ignore: UNDER_TEST !== "source", fn });
}

function executorsOf(server: TestServer): number[] {
  return childrenOf(server.transport.pid ?? 0);
}

/** Waits until so many executions run or wait. @returns What they do, sorted. */
async function phases(server: TestServer, count: number): Promise<string[]> {
  const look = async () =>
    (await server.sessions()).flatMap(({ running }) => running.map(({ phase }) => phase)).sort();
  return await eventually(`${count} executions run or wait`, look, (seen) => seen.length === count);
}

test("an executor that no longer answers is replaced, and the session goes on", async () => {
  await using server = await TestServer.start(FIXTURE, { executorWatchdogMs: 10_000 });
  await server.python("x = 1");
  await server.checkpointed();
  const [stuck] = executorsOf(server);
  Deno.kill(stuck!, "SIGSTOP");
  const hit = await server.python("x");
  assert.deepEqual([hit.status, hit.error?.retryable], ["crashed", true]);
  assert.match(hit.error?.message ?? "", /did not answer/);
  assert.equal((await server.python("'alive'")).result, "'alive'");
});

test("with isolation by session, what kills one session's process does not touch another's", async () => {
  await using server = await TestServer.start(FIXTURE, { isolation: "session" });
  await server.python("x = 'a'", { session_id: "a" });
  await server.python("x = 'b'", { session_id: "b" });
  const executors = executorsOf(server);
  assert.ok(executors.length >= 2);
  const running = await server.begin("python", "print('up')\nwhile True: pass", { session_id: "a" });
  Deno.kill(executors[0]!, "SIGKILL");
  Deno.kill(executors[1]!, "SIGSTOP"); // whichever is which: one of them is not the other
  Deno.kill(executors[1]!, "SIGCONT");
  await server.call("cancel_execution");
  await running.reply;
  assert.equal((await server.python("x", { session_id: "b" })).result, "'b'");
});

test("where sessions have processes of their own the next one's is started ahead", async () => {
  await using server = await TestServer.start(FIXTURE, { isolation: "session" });
  await server.python("x = 'a'", { session_id: "a" });
  const look = () => executorsOf(server);
  // One is of calls that name no session.
  const executors = await eventually("the next one is there", look, ({ length }) => length === 3);
  await server.python("x = 'b'", { session_id: "b" });
  await server.checkpointed();
  const running = await server.begin("python", "print('up')\nwhile True: pass", { session_id: "b" });
  Deno.kill(executors.at(-1)!, "SIGKILL");
  assert.equal((await running.reply).status, "crashed", "it was b's");
  assert.equal((await server.python("x", { session_id: "b" })).result, "'b'");
  await eventually("there is a next one again", look, ({ length }) => length === 4);
});

test("sessions beyond the processes allowed take turns and keep their state", async () => {
  await using server = await TestServer.start(FIXTURE, {
    isolation: "session",
    maxExecutors: 2,
    maxSessionsPerClient: 5,
  });
  const ids = ["a", "b", "c", "d"];
  for (const id of ids) {
    assert.equal((await server.python(`x = '${id}'`, { session_id: id })).status, "completed");
    await server.checkpointed();
  }
  assert.ok(executorsOf(server).length <= 3, "at most two, and one that is just ending");
  for (const id of ids) {
    const reply = await server.python("x", { session_id: id });
    assert.deepEqual([reply.result, reply.state, reply.notice], [`'${id}'`, "kept", null]);
    await server.checkpointed();
  }
});

test("no more executions run at once than allowed, and the others wait for their turn", async () => {
  await using server = await TestServer.start(FIXTURE, { maxConcurrentExecutions: 1 });
  const first = await server.begin("python", "print('up')\nwhile True: pass", { session_id: "a" });
  const second = server.python("'second'", { session_id: "b" });
  assert.deepEqual(await phases(server, 2), ["queued", "running"]);
  await server.call("cancel_execution", { session_id: "a" });
  assert.equal((await first.reply).status, "cancelled");
  assert.equal((await second).result, "'second'");
});

test("a client with too many calls is refused at once, with a hint when to try again", async () => {
  await using server = await TestServer.start(FIXTURE, {
    maxConcurrentExecutionsPerClient: 1,
    maxQueuedCallsPerClient: 2,
  });
  const running = await server.begin("python", "print('up')\nwhile True: pass", { session_id: "a" });
  const waiting = [server.python("1", { session_id: "a" }), server.python("1", { session_id: "b" })];
  await phases(server, 3);
  const { isError, structured } = await server.call("execute_code", { code: "1", session_id: "c" });
  const error = structured["error"] as {
    error_code: string;
    retryable: boolean;
    context: Record<string, unknown>;
  };
  assert.deepEqual([isError, error.error_code, error.retryable], [true, "SESSION_BUSY", true]);
  assert.equal(typeof error.context["retry_after_ms"], "number");
  await server.call("cancel_execution");
  await Promise.all([running.reply, ...waiting]);
  assert.equal((await server.python("2", { session_id: "c" })).result, "2");
});
