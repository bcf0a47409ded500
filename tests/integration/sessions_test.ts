import assert from "node:assert/strict";
import { inFull } from "../../src/mcp/left_out.ts";
import { eventually, inTime } from "../support/eventually.ts";
import { type Reply, TestServer, UNDER_TEST } from "../support/harness.ts";
import { sharedServer } from "../support/shared.ts";

const FIXTURE = new URL("./fixtures/server.ts", import.meta.url);

const fixture = () => TestServer.start(FIXTURE);

/** A server with the tests' own short limits; only from source. */
const FROM_SOURCE = { ignore: UNDER_TEST !== "source" };

Deno.test(`[${UNDER_TEST}] variables of both languages live on from call to call, side by side`, async () => {
  const server = await sharedServer();
  const first = await server.python("x = 40\ndef f(n): return n + 2");
  assert.deepEqual([first.status, first.state, first.session_id, first.session_created], [
    "completed",
    "kept",
    "default",
    true,
  ]);
  await server.javascript(
    "let y = 5; const z = { a: 1 }; class C { v() { return y } } function g() { return y * 2 }",
  );
  assert.equal((await server.python("f(x)")).result, "42");
  assert.equal((await server.javascript("[y, z.a, new C().v(), g()].join()")).result, "'5,1,5,10'");
  assert.equal((await server.python("f(x)")).session_created, false);
});

Deno.test(`[${UNDER_TEST}] a reply has the documented shape`, async () => {
  const server = await sharedServer();
  const { structuredContent, content, isError } = await server.client.callTool({
    name: "execute_code",
    arguments: { code: "import sys\nprint('out')\nprint('err', file=sys.stderr)\n[1, 2]" },
  });
  assert.equal(isError, false);
  const { execution_id, execution_time_ms, fuel_consumed, memory_bytes, ...rest } =
    structuredContent as Record<
      string,
      unknown
    >;
  assert.match(execution_id as string, /^[0-9a-f-]{36}$/);
  for (const number of [execution_time_ms, fuel_consumed, memory_bytes]) assert.ok((number as number) > 0);
  const said = {
    status: "completed",
    success: true,
    exit_code: 0,
    stdout: "out\n",
    stderr: "err\n",
    result: "[1, 2]",
    session_id: "default",
    session_created: true,
    language: "python",
    state: "kept",
  };
  assert.deepEqual(rest, said);
  assert.deepEqual(inFull({ execution_id, ...said }), {
    execution_id,
    ...said,
    truncated: { stdout: false, stderr: false },
    return_value: null,
    files_changed: [],
    files_changed_truncated: false,
    artifacts: [],
    output_files: [],
    displays: [],
    displays_dropped: 0,
    error: null,
    durable: null,
    notice: null,
  });
  assert.deepEqual(content, [{ type: "text", text: "out\nstderr:\nerr\nresult: [1, 2]" }]);
});

Deno.test(`[${UNDER_TEST}] sessions don't see each other's variables or files`, async () => {
  const server = await sharedServer();
  await server.python("secret = 1; open('/app/f.txt', 'w').write('a')", { session_id: "a" });
  const other = await server.python("import os; ('secret' in globals(), os.listdir('/app'))", {
    session_id: "b",
  });
  assert.equal(other.result, "(False, [])");
});

Deno.test(`[${UNDER_TEST}] both languages see the same files`, async () => {
  const server = await sharedServer();
  await server.python("open('data.json', 'w').write('{\"n\": 7}')");
  assert.equal((await server.javascript("(await import('./data.json')).default.n")).result, "7");
});

Deno.test(`[${UNDER_TEST}] two sessions run at the same time`, async () => {
  const server = await sharedServer();
  const started = new Set<string>();
  const bothStarted = Promise.withResolvers<void>();
  const cancel = new AbortController();
  const loop = (id: string) =>
    server.python("print('up', flush=True)\nwhile True: pass", { session_id: id }, {
      signal: cancel.signal,
      onProgress: () => {
        started.add(id);
        if (started.size === 2) bothStarted.resolve();
      },
    }).catch(() => {});
  const calls = [loop("a"), loop("b")];
  await inTime("both print", bothStarted.promise);
  assert.equal((await server.python("1 + 1", { session_id: "c" })).result, "2");
  cancel.abort();
  await Promise.all(calls);
});

Deno.test(`[${UNDER_TEST}] calls of one session run one after the other, in order`, async () => {
  const server = await sharedServer();
  await server.python("log = []");
  await Promise.all([1, 2, 3, 4, 5].map((n) => server.python(`log.append(${n})`)));
  assert.equal((await server.python("log")).result, "[1, 2, 3, 4, 5]");
});

Deno.test(`[${UNDER_TEST}] ten sessions at once keep their own variables`, async () => {
  const server = await sharedServer();
  const ids = Array.from({ length: 10 }, (_, i) => `s${i}`);
  await Promise.all(ids.map((id, i) => server.python(`mine = ${i} * 11`, { session_id: id })));
  const replies = await Promise.all(ids.map((id) => server.python("mine", { session_id: id })));
  assert.deepEqual(replies.map((reply) => reply.result), ids.map((_, i) => String(i * 11)));
});

Deno.test(`[${UNDER_TEST}] output arrives as progress while the program runs`, async () => {
  const server = await sharedServer();
  const seen: string[] = [];
  const cancel = new AbortController();
  const call = server.python(
    "import time\nfor i in range(3): print('tick', i)\ntime.sleep(1000)",
    {},
    {
      signal: cancel.signal,
      onProgress: (message) => {
        seen.push(message);
        if (seen.join("").includes("tick 2")) cancel.abort();
      },
    },
  );
  await assert.rejects(call);
  assert.equal(seen.join(""), "tick 0\ntick 1\ntick 2\n");
});

Deno.test(`[${UNDER_TEST}] cancelling the request stops the program and keeps the variables`, async () => {
  const server = await sharedServer();
  await server.python("kept = 'yes'");
  const cancel = new AbortController();
  const call = server.python("print('up')\nwhile True: pass", {}, {
    signal: cancel.signal,
    onProgress: () => cancel.abort(),
  });
  await assert.rejects(call);
  assert.equal((await server.python("kept")).result, "'yes'");
});

Deno.test(`[${UNDER_TEST}] cancel_execution stops what another call started, and what waits behind it`, async () => {
  const server = await sharedServer();
  const running = await server.begin("python", "print('up')\nwhile True: pass");
  const waiting = server.python("print('never')");
  const [session] = await server.sessions();
  assert.deepEqual(session?.running.map((execution) => execution.phase), ["running", "queued"]);
  const { structured } = await server.call("cancel_execution");
  const cancelled = structured["cancelled"] as { execution_id: string; phase: string }[];
  assert.deepEqual(cancelled.map((item) => item.phase), ["running", "queued"]);
  const replies: Reply[] = await Promise.all([running.reply, waiting]);
  assert.deepEqual(replies.map((reply) => [reply.status, reply.state, reply.isError]), [
    ["cancelled", "kept", true],
    ["cancelled", "kept", true],
  ]);
  assert.deepEqual(replies.map((reply) => reply.execution_id), cancelled.map((item) => item.execution_id));
  assert.deepEqual(((await server.call("cancel_execution")).structured["cancelled"] as unknown[]).length, 0);
});

Deno.test(`[${UNDER_TEST}] sessions are created, listed and destroyed`, async () => {
  const server = await sharedServer();
  const { structured } = await server.call("create_session", { language: "python" });
  const id = structured["session_id"] as string;
  assert.match(id, /^[A-Za-z0-9_-]{1,100}$/);
  const again = await server.call("create_session", { session_id: id });
  assert.equal((again.structured["error"] as { error_code: string }).error_code, "SESSION_EXISTS");
  await server.python("x = 1", { session_id: id });
  const sessions = await server.sessions();
  assert.deepEqual(sessions.map((session) => [session.session_id, session.executions]), [[id, 1]]);
  await server.call("destroy_session", { session_id: id });
  assert.deepEqual((await server.call("list_sessions")).structured["sessions"], []);
  const fresh = await server.python("'x' in globals()", { session_id: id });
  assert.deepEqual([fresh.result, fresh.session_created], ["False", true]);
});

Deno.test(`[${UNDER_TEST}] destroying a busy session stops what runs in it`, async () => {
  const server = await sharedServer();
  const running = await server.begin("python", "print('up')\nwhile True: pass", { session_id: "busy" });
  assert.equal((await server.call("destroy_session", { session_id: "busy" })).isError, false);
  assert.equal((await running.reply).status, "cancelled");
});

Deno.test(`[${UNDER_TEST}] get_workspace_info tells what is used, and reset_workspace empties it`, async () => {
  const server = await sharedServer();
  await server.python("open('f.bin', 'wb').write(bytes(5000))");
  const info = (await server.call("get_workspace_info")).structured;
  assert.ok((info["bytes_used"] as number) >= 5000 && (info["bytes_used"] as number) < 10_000);
  assert.equal(info["files_used"], 1);
  assert.deepEqual((info["heaps"] as { language: string }[]).map((heap) => heap.language), ["python"]);
  await server.call("reset_workspace");
  const empty = (await server.call("get_workspace_info")).structured;
  assert.deepEqual([empty["bytes_used"], empty["files_used"], empty["heaps"]], [0, 0, []]);
  assert.equal((await server.python("import os; os.listdir('/app')")).result, "[]");
});

Deno.test({
  name: "a principal's sessions are capped, and destroying one makes room",
  ...FROM_SOURCE,
  async fn() {
    const server = await sharedServer(fixture);
    for (const id of ["a", "b", "c"]) await server.call("create_session", { session_id: id });
    const { isError, structured } = await server.call("create_session", { session_id: "d" });
    assert.equal(isError, true);
    assert.equal((structured["error"] as { error_code: string }).error_code, "TOO_MANY_SESSIONS");
    await server.call("destroy_session", { session_id: "a" });
    assert.equal((await server.call("create_session", { session_id: "d" })).isError, false);
  },
});

Deno.test({
  name: "calls beyond the queue's length are refused at once and lose nothing",
  ...FROM_SOURCE,
  async fn() {
    const server = await sharedServer(fixture);
    const running = await server.begin("python", "print('up')\nwhile True: pass");
    const queued = Array.from({ length: 6 }, () => server.python("1"));
    const settled = queued.map((call, i) => call.then((reply) => ({ i, code: reply.error?.error_code })));
    const refused = await Promise.race(settled);
    assert.deepEqual([refused.i >= 4, refused.code], [true, "SESSION_BUSY"]);
    await server.call("cancel_execution");
    await Promise.all([running.reply, ...queued]);
    assert.equal((await server.python("2")).result, "2");
  },
});

Deno.test({
  name: "a session that is not used ends by itself",
  ...FROM_SOURCE,
  async fn() {
    await using server = await TestServer.start(FIXTURE, { sessionIdleMs: 50 });
    await server.call("create_session", { session_id: "idle" });
    await eventually("the session has ended", () => server.sessions(), (left) => left.length === 0);
  },
});

Deno.test({
  name: "a guest's host call reaches the server, which knows whose it is",
  ...FROM_SOURCE,
  async fn() {
    const server = await sharedServer(fixture);
    const code = (value: string, name = "echo") =>
      `import json, _wasmbox\njson.loads(_wasmbox.host_call("${name}", json.dumps({"value": ${value}}).encode())[0])`;
    const answered = await server.python(code(`"x" * 200_000`) + `["value"] == "x" * 200_000`, {
      session_id: "s",
    });
    assert.equal(answered.result, "True", JSON.stringify(answered.error));
    const whose = await server.python(code("1"), { session_id: "s" });
    assert.equal(whose.result, "{'value': 1, 'principal': 'local', 'sessionId': 's'}");
    const unknown = await server.python(code("1", "no_such"), { session_id: "s" });
    assert.match(unknown.error?.message ?? "", /unknown host operation/);
    const flood = await server.python(
      `import _wasmbox\n_wasmbox.host_call("echo", b'{"value": 1}', b"x" * 300_000)`,
      { session_id: "s" },
    );
    assert.match(flood.error?.message ?? "", /beside the request exceed 262144 bytes/);
    assert.equal(flood.state, "kept");
    const fromJs = await server.javascript(
      `const { hostCall } = await import("wasmbox:host"); hostCall("echo", { value: [1] }).value[0]`,
    );
    assert.equal(fromJs.result, "1", JSON.stringify(fromJs.error));
  },
});

Deno.test({
  name: "a host call that never answers ends with the execution's time-out, and the heap is kept",
  ...FROM_SOURCE,
  async fn() {
    const server = await sharedServer(fixture);
    await server.python("x = 1");
    const reply = await server.python(`import _wasmbox\n_wasmbox.host_call("never", b"{}")`, {
      timeout: 0.2,
    });
    assert.deepEqual([reply.status, reply.state], ["timeout", "kept"]);
    assert.equal((await server.python("x")).result, "1");
  },
});

Deno.test({
  name: "environment variables of the policy reach the guest, a home, and no others",
  ...FROM_SOURCE,
  async fn() {
    const server = await sharedServer(fixture);
    const reply = await server.python(
      "import os; (os.environ['GREETING'], not {'DENO_DIR', 'PWD', 'XDG_CACHE_HOME'}.isdisjoint(os.environ), os.path.expanduser('~'))",
    );
    assert.equal(reply.result, "('hello', False, '/app')");
  },
});

Deno.test(`[${UNDER_TEST}] a list of checkpoints counts the change of the call before, however soon it is asked for`, async () => {
  const server = await sharedServer();
  const at = { session_id: "counted" };
  for (let changes = 1; changes <= 3; changes++) {
    await server.python("import random\ndata = random.randbytes(2_000_000)", at);
    const { structured } = await server.call("list_checkpoints", at);
    assert.equal(structured["undoable"], changes);
  }
});

Deno.test(`[${UNDER_TEST}] calls that are sent together are done in the order in which they were sent`, async () => {
  const server = await sharedServer();
  for (const [round, session_id] of ["ordered", "ordered", "ordered-anew"].entries()) {
    const large = "x".repeat(700_000) + round;
    const edit = (old_text: string, new_text: string) =>
      server.call("edit_file", { session_id, path: "small", edits: [{ old_text, new_text }] });
    const [, whole, , ...edits] = await Promise.all([
      server.call("write_file", { session_id, path: "large", content: large }),
      server.python("len(open('large').read()), open('large').read()[-1]", { session_id }),
      server.call("write_file", { session_id, path: "small", content: "one two three" }),
      edit("one", "1"),
      edit("two", "2"),
      edit("three", "3"),
    ]);
    assert.equal(whole.result, `(700001, '${round}')`);
    for (const { isError, text } of edits) assert.equal(isError, false, text);
    const [, { result }] = await Promise.all([
      edit("1 2", "one"),
      server.python("open('small').read()", { session_id }),
    ]);
    assert.equal(result, "'one 3'");
  }
});

Deno.test(`[${UNDER_TEST}] of calls that were cancelled while they waited nothing is done`, async () => {
  const server = await sharedServer();
  const at = { session_id: "cancelled-waiting" };
  await server.call("write_file", { ...at, path: "kept", content: "as it was" });
  await server.call("checkpoint_session", { ...at, name: "kept" });
  const running = new AbortController();
  const { reply: program } = await server.begin("python", "print('begun')\nwhile True: pass", at, {
    signal: running.signal,
  });
  const waiting = new AbortController();
  const calls: [string, Record<string, unknown>][] = [
    ["write_file", { path: "kept", content: "x".repeat(600_000) }],
    ["edit_file", { path: "kept", edits: [{ old_text: "as", new_text: "not as" }] }],
    ["move_file", { from: "kept", to: "moved" }],
    ["delete_file", { path: "kept" }],
    ["checkpoint_session", { name: "late" }],
    ["delete_checkpoint", { checkpoint: "kept" }],
    ["restore_session", { checkpoint: "kept" }],
    ["fork_session", { new_session_id: "late" }],
    ["reset_workspace", {}],
  ];
  const cancelled = calls.map(([name, args]) =>
    server.call(name, { ...at, ...args }, { signal: waiting.signal })
  );
  const settled = Promise.allSettled([program, ...cancelled]);
  await server.call("list_sessions"); // so far the server has read
  waiting.abort();
  await server.call("list_sessions");
  running.abort();
  await settled;
  assert.equal(
    (await server.python("import os; os.listdir(), open('kept').read()", at)).result,
    "(['kept'], 'as it was')",
  );
  const { structured } = await server.call("list_checkpoints", at);
  assert.deepEqual(
    (structured["checkpoints"] as { checkpoint: string }[]).map(({ checkpoint }) => checkpoint),
    ["kept"],
  );
  const { text } = await server.call("list_sessions");
  assert.doesNotMatch(text, /\blate\b/);
});
