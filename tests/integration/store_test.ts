/** Sessions that outlive their server. */

import assert from "node:assert/strict";
import { eventually } from "../support/eventually.ts";
import { type TestServer, UNDER_TEST } from "../support/harness.ts";
import { StoredServers } from "../support/stored_server.ts";

const CHANGES = "import itertools\nx = 41\ng = itertools.count()\nnext(g)\nopen('a.txt', 'w').write('kept')";

Deno.test(`[${UNDER_TEST}] what was answered is there after the server was killed: heaps, files, the shell's variables`, async () => {
  await using servers = await StoredServers.make();
  const before = await servers.start();
  const first = await before.call("execute_code", { code: CHANGES });
  assert.equal(first.structured["durable"], true);
  await before.javascript("let y = 5; function* count() { yield 1; yield 2 } const it = count(); it.next()");
  await before.run("shell", "V=7; f() { echo f$1; }; cd /tmp");
  await before.call("write_file", { path: "b.txt", content: "by a tool" });
  await servers.crash(before);

  const after = await servers.start();
  assert.deepEqual(
    (await after.sessions()).map(({ session_id, executions }) => [session_id, executions]),
    [["default", 3]],
  );
  const woken = await after.python("next(g), x, open('a.txt').read(), open('b.txt').read()");
  assert.deepEqual([woken.result, woken.notice, woken.session_created], [
    "(1, 41, 'kept', 'by a tool')",
    null,
    false,
  ]);
  assert.equal((await after.javascript("[y, it.next().value].join()")).result, "'5,2'");
  assert.equal((await after.run("shell", "echo $V; f 3; pwd")).stdout, "7\nf3\n/tmp\n");
});

Deno.test(`[${UNDER_TEST}] a client's own session is back in memory before its first call, others when they are asked for`, async () => {
  await using servers = await StoredServers.make();
  const before = await servers.start();
  await before.python("x = 1");
  await before.python("x = 2", { session_id: "other" });
  await servers.crash(before);

  const after = await servers.start();
  await eventually("the session is awake", async () => (await stateOf(after, "default")) === "live");
  assert.equal(await stateOf(after, "other"), "hibernated");
  const { result, session_created, notice } = await after.python("x");
  assert.deepEqual([result, session_created, notice], ["1", false, null]);
});

async function stateOf(server: TestServer, id: string): Promise<string | undefined> {
  return (await server.sessions()).find(({ session_id }) => session_id === id)?.state;
}

Deno.test(`[${UNDER_TEST}] what ran when the server was killed is told as lost by the next reply, once`, async () => {
  await using servers = await StoredServers.make();
  const before = await servers.start();
  await before.python("x = 1");
  const { reply } = await before.begin("python", "x = 2\nprint('up', flush=True)\nwhile True: pass");
  reply.catch(() => {});
  await servers.crash(before);
  const after = await servers.start();
  const woken = await after.python("x");
  assert.equal(woken.result, "1");
  assert.match(woken.notice ?? "", /was running when the server ended, .*: what it did is lost/);
  assert.equal((await after.python("x")).notice, null);
});

Deno.test(`[${UNDER_TEST}] a session's first run that the server's end cut off is told as lost, and what waited behind it`, async () => {
  await using servers = await StoredServers.make();
  const before = await servers.start();
  const fresh = { session_id: "fresh" };
  const { reply } = await before.begin("python", "x = 2\nprint('up', flush=True)\nwhile True: pass", fresh);
  reply.catch(() => {});
  const queue = async (code: string) =>
    (await before.call("execute_code", { ...fresh, code, background: true })).structured["execution_id"];
  const waited = await queue("x = 3");
  const cancelled = await queue("x = 4");
  await before.call("cancel_execution", { execution_id: cancelled });
  await eventually("the store knows what waits", async () => {
    const told = await underWay(servers.path, "fresh");
    return told.length === 2 && told[1] === waited;
  });
  await servers.crash(before);

  const after = await servers.start();
  assert.equal(await stateOf(after, "fresh"), "hibernated");
  const asked = await after.call("get_execution", { execution_id: waited });
  assert.match(
    asked.text,
    /of the session "fresh" was lost: it waited for its turn .*Nothing of it was done/,
  );
  const woken = await after.python("'x' in dir()", fresh);
  assert.deepEqual([woken.result, woken.state, woken.session_created], ["False", "rolled_back", false]);
  assert.match(
    woken.notice ?? "",
    new RegExp(
      `was running when the server ended, .* before it: empty\\. The execution ${waited} waited behind it`,
    ),
  );
  assert.equal((await after.python("1", fresh)).notice, null);
});

/** What the store has as running and waiting. */
async function underWay(path: string, session: string): Promise<string[]> {
  for await (const { name } of Deno.readDir(`${path}/sessions`)) {
    const text = await Deno.readTextFile(`${path}/sessions/${name}/${session}/running`).catch(() => "");
    if (text !== "") return text.split("\n");
  }
  return [];
}

Deno.test(`[${UNDER_TEST}] a session that was made and never used outlives its server, with its limits`, async () => {
  await using servers = await StoredServers.make({ max_sessions_per_client: 3 });
  const before = await servers.start();
  await before.call("create_session", { session_id: "small", flavor: "small" });
  await before.python("x = 1", { session_id: "used" });
  await before.call("fork_session", { session_id: "small", new_session_id: "fork" });
  // Those that nobody uses give way to others, and come back.
  for (const session_id of ["a", "b", "c", "d"]) await before.call("create_session", { session_id });
  await servers.crash(before);

  const after = await servers.start();
  const listed = (await after.sessions()).map(({ session_id }) => session_id).sort();
  assert.deepEqual(listed, ["a", "b", "c", "d", "fork", "small", "used"]);
  for (const session_id of ["small", "fork"]) {
    const { status } = await after.python("len(bytearray(100_000_000))", { session_id });
    assert.equal(status, "out_of_memory", session_id);
  }
  const ordinary = await after.python("len(bytearray(100_000_000))", { session_id: "a" });
  assert.deepEqual([ordinary.result, ordinary.session_created], ["100000000", false]);
});

Deno.test(`[${UNDER_TEST}] a session that is destroyed is gone from the store, and one that is new is empty`, async () => {
  await using servers = await StoredServers.make();
  const before = await servers.start();
  await before.python("x = 1", { session_id: "a" });
  await before.python("x = 1", { session_id: "b" });
  await before.call("destroy_session", { session_id: "a" });
  await servers.stop(before);
  const after = await servers.start();
  assert.deepEqual((await after.sessions()).map(({ session_id }) => session_id), ["b"]);
  const again = await after.python("'x' in dir()", { session_id: "a" });
  assert.deepEqual([again.result, again.session_created], ["False", true]);
  assert.equal((await after.call("create_session", { session_id: "b" })).isError, true);
});

Deno.test(`[${UNDER_TEST}] checkpoints, undo and forks go on in another server`, async () => {
  await using servers = await StoredServers.make();
  const before = await servers.start();
  await before.python("x = 1");
  assert.equal((await before.call("checkpoint_session", { name: "one" })).isError, false);
  await before.python("x = 2");
  await before.python("x = 3");
  await servers.crash(before);
  const after = await servers.start();
  await after.call("restore_session", { undo: 1 });
  assert.equal((await after.python("x")).result, "2");
  await after.call("fork_session", { checkpoint: "one", new_session_id: "branch" });
  assert.equal((await after.python("x", { session_id: "branch" })).result, "1");
  await after.call("restore_session", { checkpoint: "one" });
  assert.equal((await after.python("x")).result, "1");
  const taken = await after.call("checkpoint_session", { name: "before-restore" });
  assert.match(taken.text, /would replace this checkpoint/);
  await after.call("restore_session", { checkpoint: "before-restore" });
  assert.equal((await after.python("x")).result, "2");
});
