/** Executions that nobody waits for. */

import assert from "node:assert/strict";
import { TestServer, UNDER_TEST } from "../support/harness.ts";
import { eventually } from "../support/eventually.ts";

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
