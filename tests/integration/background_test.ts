/** Executions that nobody waits for. */

import assert from "node:assert/strict";
import { TestServer, UNDER_TEST } from "../support/harness.ts";
import { eventually } from "../support/eventually.ts";
import { StoredServers } from "../support/stored_server.ts";

function test(name: string, fn: (server: TestServer) => Promise<void>): void {
  Deno.test(`[${UNDER_TEST}] ${name}`, async () => {
    await using server = await TestServer.start();
    await fn(server);
  });
}

type Fields = Record<string, unknown>;

async function begin(server: TestServer, code: string, more: Fields = {}): Promise<Fields> {
  const { structured, isError } = await server.call("execute_code", { code, background: true, ...more });
  assert.equal(isError, false, JSON.stringify(structured));
  return structured;
}

const get = (server: TestServer, id: unknown, more: Fields = {}) =>
  server.call("get_execution", { execution_id: id, ...more });

test("it goes on by itself, its output can be followed, and its reply is had at the end", async (server) => {
  const begun = await begin(
    server,
    "import time\nprint('first', flush=True)\nwhile True: time.sleep(0.01)",
    { session_id: "work" },
  );
  assert.deepEqual([begun["session_created"], ["queued", "running"].includes(String(begun["status"]))], [
    true,
    true,
  ]);
  const { structured } = await eventually(
    "it prints",
    () => get(server, begun["execution_id"]),
    ({ structured }) => structured["stdout"] !== "",
  );
  assert.deepEqual([structured["status"], structured["stdout"], structured["success"]], [
    "running",
    "first\n",
    undefined,
  ]);
  const { structured: other } = await server.call("execute_code", { code: "1 + 1", session_id: "other" });
  assert.equal(other["result"], "2");
  await server.call("cancel_execution", { session_id: "work", execution_id: begun["execution_id"] });
  const ended = await get(server, begun["execution_id"], { wait: 30, session_id: "work" });
  assert.deepEqual([ended.isError, ended.structured["status"]], [true, "cancelled"]);
  assert.equal((await server.python("'kept'", { session_id: "work" })).result, "'kept'");
});

test("what it shows and changes comes with its reply, each time that it is asked for", async (server) => {
  const { execution_id: id } = await begin(
    server,
    "import pygal\nopen('a.txt', 'w').write('x')\npygal.Bar()",
  );
  for (let time = 0; time < 2; time++) {
    const result = await server.client.callTool({
      name: "get_execution",
      arguments: { execution_id: id, wait: 50 },
    });
    const { status, files_changed } = result.structuredContent as {
      status: string;
      files_changed: { path: string }[];
    };
    assert.deepEqual([status, files_changed.map(({ path }) => path)], ["completed", ["a.txt"]]);
    assert.ok(result.content.some(({ type }) => type === "image"));
  }
});

test("a command of the shell can be begun too, and long output is bounded while it runs", async (server) => {
  const { structured } = await server.call("execute_command", {
    command: "for ((i = 0; i < 5000; i++)); do echo line $i; done; while true; do :; done",
    background: true,
    timeout: 30,
  });
  const seen = await eventually(
    "all is printed",
    () => get(server, structured["execution_id"]),
    ({ structured }) => String(structured["stdout"]).endsWith("line 4999\n"),
  );
  assert.match(String(seen.structured["stdout"]), /^line 0\n[^]*\[… \d+ characters left out …\]/);
  assert.ok(seen.text.length < 9_000);
  await server.call("cancel_execution");
});

test("the last few that ended are kept, and none of another session's end or of none at all", async (server) => {
  const ids: unknown[] = [];
  for (let index = 0; index < 6; index++) {
    ids.push((await begin(server, `${index}`, { session_id: "many" }))["execution_id"]);
    await get(server, ids.at(-1), { wait: 30 });
  }
  const codes = await Promise.all(ids.map(async (id) => {
    const { structured } = await get(server, id);
    return structured["result"] ?? (structured["error"] as { error_code: string }).error_code;
  }));
  assert.deepEqual(codes, ["NOT_FOUND", "NOT_FOUND", "2", "3", "4", "5"]);
  await server.call("destroy_session", { session_id: "many" });
  const { structured } = await get(server, ids.at(-1));
  assert.equal((structured["error"] as { error_code: string }).error_code, "NOT_FOUND");
});

Deno.test(`[${UNDER_TEST}] a reply in the background outlives the server with what its run did, within bounds`, async () => {
  await using servers = await StoredServers.make();
  const before = await servers.start();
  const { execution_id: id } = await begin(
    before,
    "x = 1\nprint('a' * 10_000 + 'end')\nopen('a.txt', 'w').write('x')\nx + 41",
    { session_id: "work" },
  );
  assert.equal((await get(before, id, { wait: 50 })).structured["durable"], true);
  const failed = await begin(before, "1 / 0", { session_id: "work" });
  await get(before, failed["execution_id"], { wait: 50 });
  await servers.crash(before);

  const after = await servers.start();
  const { structured, text, isError } = await get(after, id);
  assert.deepEqual(
    [isError, structured["status"], structured["result"], structured["state"], structured["durable"]],
    [false, "completed", "42", "kept", true],
  );
  assert.deepEqual([structured["session_id"], structured["truncated"]], ["work", {
    stdout: true,
    stderr: false,
  }]);
  assert.match(String(structured["stdout"]), /^a+\n\[… \d+ characters left out …\]\na+end\n$/);
  assert.match(text, /a\.txt created/);
  const { structured: raised } = await get(after, failed["execution_id"], { session_id: "work" });
  assert.equal((raised["error"] as { type: string }).type, "ZeroDivisionError");
  assert.equal((await after.python("x", { session_id: "work" })).result, "1");
});

Deno.test(`[${UNDER_TEST}] what a client begins in its own session is found at once where a store keeps sessions, too`, async () => {
  await using servers = await StoredServers.make();
  const server = await servers.start();
  const { execution_id: id } = await begin(server, "print('up', flush=True)\nwhile True: pass");
  assert.match(String((await get(server, id)).structured["status"]), /^(queued|running)$/);
  const [session] = await server.sessions();
  assert.deepEqual(session?.running.map(({ execution_id }) => execution_id), [id]);
  assert.match((await server.call("cancel_execution")).text, new RegExp(`^Cancelled ${id}`));
  assert.equal((await get(server, id, { wait: 50 })).structured["status"], "cancelled");
});

Deno.test(`[${UNDER_TEST}] an execution in the background that the server's end cut off is told as lost, with its session`, async () => {
  await using servers = await StoredServers.make();
  const before = await servers.start();
  await before.python("x = 1", { session_id: "work" });
  const { execution_id: id } = await begin(
    before,
    "x = 2\nprint('up', flush=True)\nwhile True: pass",
    { session_id: "work" },
  );
  await eventually("it runs", () => get(before, id), ({ structured }) => structured["stdout"] === "up\n");
  await servers.crash(before);

  const after = await servers.start();
  for (const more of [{}, { session_id: "work" }]) {
    const { text, structured } = await get(after, id, more);
    assert.equal((structured["error"] as { error_code: string }).error_code, "EXECUTOR_LOST");
    assert.match(
      text,
      new RegExp(`${id} of the session "work" was lost: .* as it was before it.\\n- Run its code`),
    );
  }
  assert.equal((await after.python("x", { session_id: "work" })).result, "1");
  const { structured } = await get(after, "of nobody");
  assert.equal((structured["error"] as { error_code: string }).error_code, "NOT_FOUND");
});
