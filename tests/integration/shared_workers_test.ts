/** Sessions that share a Worker. */

import assert from "node:assert/strict";
import { eventually } from "../support/eventually.ts";
import {
  childrenOf,
  killExecutors,
  ownMegabytes,
  processorTicks,
  procFile,
  serverCommand,
  TestServer,
  UNDER_TEST,
} from "../support/harness.ts";

const LINUX = Deno.build.os === "linux";
const ENDLESS = "i = 0\nwhile True: i += 1";

const executorOf = (server: TestServer) => childrenOf(server.transport.pid!)[0]!;

/** Runs for ever in a session until it is told to end. */
async function computing(server: TestServer, session_id: string, code = ENDLESS) {
  const controller = new AbortController();
  const started = Promise.withResolvers<void>();
  const ended = server.python(`print("begun", flush=True)\n${code}`, { session_id, timeout: 100 }, {
    signal: controller.signal,
    onProgress: () => started.resolve(),
  }).catch(() => {});
  await started.promise;
  return async () => {
    controller.abort();
    await ended;
  };
}

Deno.test(`[${UNDER_TEST}] a session whose neighbours compute is answered, with all that it had`, async () => {
  await using server = await TestServer.start();
  const sessions = ["one", "two", "three", "four"];
  for (const session_id of sessions) await server.python(`x = "${session_id}"`, { session_id });
  const endOne = await computing(server, "one");
  for (const session_id of sessions.slice(1)) {
    assert.equal((await server.python("x", { session_id })).result, `'${session_id}'`);
  }
  const endTwo = await computing(server, "two");
  assert.equal((await server.python("x", { session_id: "three" })).result, "'three'");
  assert.equal((await server.run("javascript", "1 + 1", { session_id: "new" })).result, "2");
  await Promise.all([endOne(), endTwo()]);
  for (const session_id of sessions) {
    assert.equal((await server.python("x", { session_id })).result, `'${session_id}'`);
  }
});

Deno.test({
  name: `[${UNDER_TEST}] Workers that come and go leave no open files behind`,
  ignore: !LINUX,
  async fn() {
    await using server = await TestServer.start();
    const openFiles = () => [...Deno.readDirSync(`/proc/${executorOf(server)}/fd`)].length;
    const churn = async (rounds: number) => {
      for (let round = 0; round < rounds; round++) {
        for (const session_id of ["a", "b"]) await server.python("1", { session_id });
        for (const session_id of ["a", "b"]) await server.call("destroy_session", { session_id });
      }
    };
    await churn(3);
    const before = openFiles();
    await churn(15);
    // A Worker that is being made has some.
    await eventually(`about ${before} open files, as before`, openFiles, (count) => count < before + 8);
  },
});

Deno.test(`[${UNDER_TEST}] neighbours that are called at once all have their answers, again and again`, async () => {
  await using server = await TestServer.start();
  const sessions = Array.from({ length: 6 }, (_, i) => `s${i}`);
  for (const session_id of sessions) await server.python("n = 0", { session_id });
  for (let round = 1; round <= 5; round++) {
    const code = `import time\nn += 1\ntime.sleep(0.03)\n(n, "${round}")`;
    const replies = await Promise.all(sessions.map((session_id) => server.python(code, { session_id })));
    assert.deepEqual(replies.map(({ result }) => result), sessions.map(() => `(${round}, '${round}')`));
  }
});

Deno.test(`[${UNDER_TEST}] what can't be checkpointed stays where it is, and waits for nobody else's program`, async () => {
  const policy = await Deno.makeTempFile({ prefix: "wasmbox-policy-", suffix: ".toml" });
  await Deno.writeTextFile(policy, `checkpoint_max_bytes = ${8 * 2 ** 20}`);
  const { command, args } = serverCommand();
  await using server = await TestServer.start({ command, args: [...args, "serve", "--policy", policy] });
  await server.python("x = 'neighbour'", { session_id: "neighbour" });
  await server.python("import os; x = os.urandom(20_000_000)", { session_id: "large" });
  const end = await computing(server, "neighbour");
  const length = () => server.python("len(x)", { session_id: "large" });
  assert.equal((await length()).result, "20000000");
  const checkpoints = (await server.sessions()).map(({ checkpoint }) => checkpoint);
  assert.deepEqual(checkpoints.toSorted(), ["current", "none"]);
  await end();
  assert.equal((await server.python("x", { session_id: "neighbour" })).result, "'neighbour'");
  assert.equal((await length()).result, "20000000");
  await Deno.remove(policy);
});

Deno.test(`[${UNDER_TEST}] a stop, a failure and a crash are one session's own`, async () => {
  await using server = await TestServer.start();
  const sessions = ["a", "b", "c", "d"];
  for (const session_id of sessions) await server.python(`x = "${session_id}"`, { session_id });
  const stopped = await server.python("while True: pass", { session_id: "a", timeout: 0.5 });
  assert.equal(stopped.status, "timeout");
  const full = await server.python("y = [0]\nwhile True: y += y", { session_id: "b", timeout: 60 });
  assert.notEqual(full.status, "completed");
  const deep = await server.run("javascript", "function f() { return f() + 1 } f()", { session_id: "c" });
  assert.equal(deep.status, "failed");
  for (const session_id of sessions) {
    assert.equal((await server.python("x", { session_id })).result, `'${session_id}'`);
  }
  await killExecutors(server);
  for (const session_id of sessions) {
    assert.equal((await server.python("x", { session_id })).result, `'${session_id}'`);
  }
});

Deno.test({
  name: `[${UNDER_TEST}] idle sessions share a Worker, and what they held is free once they are gone`,
  ignore: !LINUX || Deno.env.get("TEST_CHECKPOINTS") === "1", // which starts executors of its own
  async fn() {
    await using server = await TestServer.start();
    const held = () => ownMegabytes(executorOf(server));
    const threads = () => Number(/Threads:\s+(\d+)/.exec(procFile(`${executorOf(server)}/status`))?.[1]);
    /** A new session in the Worker of the others: those that come while it is being captured may not wait for it. */
    const join = async (session_id: string) => {
      await server.python("x = 1", { session_id });
      await server.checkpointed();
    };
    for (const session_id of ["first", "second"]) await join(session_id);
    const [before, threadsBefore] = [held(), threads()];
    const sessions = Array.from({ length: 6 }, (_, i) => `s${i}`);
    for (const session_id of sessions) await join(session_id);
    // Deno itself has some that come and go.
    await eventually(`hardly more than ${threadsBefore} threads`, threads, (now) => now <= threadsBefore + 2);
    // A Worker that is ready for what comes next is among it.
    assert.ok(held() < before + 150, `${before} MB grew to ${held()} MB`);

    await server.python("y = bytearray(b'x' * 60_000_000)", { session_id: "s0", timeout: 60 });
    await server.checkpointed();
    const full = held();
    const end = await computing(server, "first");
    await server.call("destroy_session", { session_id: "s0" });
    // Of what a neighbour held nothing stays while a program goes on in the same Worker.
    await eventually("its memory is free", held, (megabytes) => megabytes < full - 50);
    await end();
  },
});

Deno.test(`[${UNDER_TEST}] a session that is ended while it is being captured takes no neighbour with it`, async () => {
  await using server = await TestServer.start();
  await server.python("x = 1", { session_id: "neighbour" });
  await server.checkpointed();
  for (let round = 0; round < 10; round++) {
    const session_id = `round${round}`;
    await server.python("import os; y = os.urandom(5_000_000)", { session_id });
    await server.call("destroy_session", { session_id });
  }
  const [neighbour] = await server.sessions();
  assert.equal(neighbour!.state, "live", "it has lost its Worker");
  assert.equal((await server.python("x", { session_id: "neighbour" })).result, "1");
});

Deno.test(`[${UNDER_TEST}] dozens that compute at once each get a Worker, and nobody takes the process for dead`, async () => {
  const COUNT = 64;
  const file = await Deno.makeTempFile({ suffix: ".toml" });
  const limits = ["max_sessions", "max_sessions_per_client", "max_concurrent_executions"]
    .concat("max_concurrent_executions_per_client", "max_queued_calls_per_client");
  await Deno.writeTextFile(
    file,
    [...limits.map((key) => `${key} = 100`), "executor_watchdog_seconds = 5"].join("\n"),
  );
  const { command, args } = serverCommand();
  await using server = await TestServer.start({ command, args: [...args, "serve", "--policy", file] });
  await Deno.remove(file);
  const sessions = Array.from({ length: COUNT }, (_, i) => `s${i}`);
  for (const session_id of sessions) await server.python("import time", { session_id });
  const code = "end = time.monotonic() + 8\nn = 0\nwhile time.monotonic() < end: n += 1\nn > 0";
  const replies = await Promise.all(
    sessions.map((session_id) => server.python(code, { session_id, timeout: 300 })),
  );
  assert.deepEqual(replies.map(({ result }) => result), sessions.map(() => "True"));
});

Deno.test(`[${UNDER_TEST}] where there are many sessions V8 still optimises what is called often`, async () => {
  const most = Object.fromEntries(
    ["MAX_SESSIONS", "MAX_SESSIONS_PER_CLIENT"].map((name) => [`WASMBOX_POLICY_${name}`, "20"]),
  );
  await using server = await TestServer.start(serverCommand(), {}, {
    ...most,
    WASMBOX_POLICY_WARM_UP: "false",
  });
  for (let i = 0; i < 12; i++) await server.javascript("1 + 1", { session_id: `s${i}` });
  const ticks: number[] = [];
  for (let i = 0; i < 6; i++) {
    const before = processorTicks(executorOf(server));
    const code = "require('crypto').createHash('sha256').update(Buffer.alloc(2e6)).digest('hex').length";
    assert.equal((await server.javascript(code, { session_id: "hashes" })).result, "64");
    ticks.push(processorTicks(executorOf(server)) - before);
  }
  // As V8 interprets it, it takes more than a second of a processor each time, and a fortieth of that once it is compiled.
  assert.ok(Math.min(...ticks) < 40, `${ticks} ticks of 10 ms`);
});
