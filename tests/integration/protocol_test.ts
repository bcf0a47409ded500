import assert from "node:assert/strict";
import { serverCommand, TestServer, UNDER_TEST } from "../support/harness.ts";

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};

/** A server spoken to in raw lines. */
class RawServer implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array<ArrayBufferLike>>;
  readonly #lines: AsyncIterator<string>;

  constructor() {
    const { command, args } = serverCommand();
    this.#child = new Deno.Command(command, { args, stdin: "piped", stdout: "piped", stderr: "inherit" })
      .spawn();
    this.#input = this.#child.stdin.getWriter();
    this.#lines = lines(this.#child.stdout);
  }

  async send(line: string | Uint8Array<ArrayBuffer>): Promise<void> {
    await this.#input.write(typeof line === "string" ? new TextEncoder().encode(line) : line);
    await this.#input.write(new TextEncoder().encode("\n"));
  }

  // deno-lint-ignore no-explicit-any -- what arrives is what the test is about
  async receive(): Promise<any> {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error("the server closed its stdout");
    return JSON.parse(value);
  }

  /** Closes stdin. @returns How the server ended. */
  async end(): Promise<Deno.CommandStatus> {
    await this.#input.close();
    while (!(await this.#lines.next()).done);
    return await this.#child.status;
  }

  signal(signal: Deno.Signal): Promise<Deno.CommandStatus> {
    this.#child.kill(signal);
    return this.#child.status;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#child.kill("SIGKILL");
    } catch {
      // ended already
    }
    await this.#input.close().catch(() => {});
    while (!(await this.#lines.next()).done);
    await this.#child.status;
  }
}

async function* lines(stream: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop() ?? "";
    yield* parts;
  }
}

Deno.test(`[${UNDER_TEST}] every tool is described for models: title, description, schemas, annotations`, async () => {
  await using server = await TestServer.start();
  const { tools } = await server.client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name), [
    "execute_code",
    "execute_command",
    "list_runtimes",
    "create_session",
    "list_sessions",
    "destroy_session",
    "reset_workspace",
    "get_workspace_info",
    "cancel_execution",
    "read_file",
    "write_file",
    "list_files",
    "delete_file",
    "move_file",
    "install_package",
    "list_packages",
  ]);
  for (const tool of tools) {
    assert.ok(tool.title && tool.description && tool.description.length > 40, tool.name);
    assert.equal(tool.inputSchema.type, "object");
    assert.equal(tool.outputSchema?.type, "object");
    assert.equal(typeof tool.annotations?.readOnlyHint, "boolean");
    assert.equal(typeof tool.annotations?.destructiveHint, "boolean");
  }
});

Deno.test(`[${UNDER_TEST}] lines that are not JSON-RPC are answered with an error, and the server goes on`, async () => {
  await using server = new RawServer();
  await server.send("{ not json");
  assert.deepEqual((await server.receive()).error.code, -32700);
  await server.send(new Uint8Array([0x22, 0xff, 0xfe, 0x22]));
  assert.deepEqual((await server.receive()).error.code, -32700);
  await server.send("[]");
  assert.deepEqual((await server.receive()).error.code, -32600);
  await server.send('{"id": 77, "method": 5}');
  const invalid = await server.receive();
  assert.deepEqual([invalid.id, invalid.error.code], [77, -32600]);
  await server.send("");
  await server.send(JSON.stringify(INITIALIZE));
  assert.equal((await server.receive()).result.serverInfo.name, "wasmbox");
});

Deno.test(`[${UNDER_TEST}] a line beyond the bound is refused without being kept`, async () => {
  await using server = new RawServer();
  const piece = new Uint8Array(1 << 20).fill(0x78);
  const line = new Uint8Array(17 << 20);
  for (let at = 0; at < line.length; at += piece.length) line.set(piece, at);
  await server.send(line);
  const refused = await server.receive();
  assert.equal(refused.error.code, -32600);
  assert.match(refused.error.message, /exceeds/);
  await server.send(JSON.stringify(INITIALIZE));
  assert.equal((await server.receive()).id, 1);
});

Deno.test(`[${UNDER_TEST}] an unknown tool is a JSON-RPC error that carries the error object`, async () => {
  await using server = new RawServer();
  await server.send(JSON.stringify(INITIALIZE));
  await server.receive();
  await server.send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
  await server.send(
    JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "no_such" } }),
  );
  const { error } = await server.receive();
  assert.equal(error.code, -32602);
  assert.equal(error.data.error_code, "UNKNOWN_TOOL");
  assert.ok(error.data.recovery_suggestions[0].includes("execute_code"));
});

Deno.test(`[${UNDER_TEST}] the server ends by itself when the client closes stdin, even in the middle of a run`, async () => {
  await using server = new RawServer();
  await server.send(JSON.stringify(INITIALIZE));
  await server.receive();
  await server.send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
  const progress = { _meta: { progressToken: "p" }, name: "execute_code" };
  const loop = { code: "print('up', flush=True)\nwhile True: pass" };
  const call = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { ...progress, arguments: loop } };
  await server.send(JSON.stringify(call));
  const notification = await server.receive();
  assert.equal(notification.method, "notifications/progress");
  assert.match(notification.params._meta.execution_id, /^[0-9a-f-]{36}$/);
  assert.equal((await server.end()).code, 0);
});

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  Deno.test(`[${UNDER_TEST}] ${signal} ends the server cleanly`, async () => {
    await using server = new RawServer();
    await server.send(JSON.stringify(INITIALIZE));
    await server.receive();
    const status = await server.signal(signal);
    assert.equal(status.code, 0);
  });
}

Deno.test(`[${UNDER_TEST}] clients of every revision with sessions are answered in theirs, and run code`, async () => {
  for (const protocolVersion of ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]) {
    await using server = new RawServer();
    await server.send(JSON.stringify({ ...INITIALIZE, params: { ...INITIALIZE.params, protocolVersion } }));
    assert.equal((await server.receive()).result.protocolVersion, protocolVersion);
    await server.send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
    await server.send(JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list" }));
    const { result: { tools } } = await server.receive();
    assert.ok(tools.some((tool: { name: string }) => tool.name === "execute_code"), protocolVersion);
    const call = { name: "execute_code", arguments: { language: "javascript", code: "6 * 7" } };
    await server.send(JSON.stringify({ jsonrpc: "2.0", id: 3, method: "tools/call", params: call }));
    const { result } = await server.receive();
    // What older clients read is the text.
    assert.match(result.content[0].text, /42/, protocolVersion);
    assert.equal(result.structuredContent.status, "completed");
  }
});

Deno.test(`[${UNDER_TEST}] a client of an unknown revision is offered the last one with sessions`, async () => {
  await using server = new RawServer();
  const params = { ...INITIALIZE.params, protocolVersion: "2031-01-01" };
  await server.send(JSON.stringify({ ...INITIALIZE, params }));
  assert.equal((await server.receive()).result.protocolVersion, "2025-11-25");
});

Deno.test(`[${UNDER_TEST}] the stateless protocol of 2026-07-28 is served as well`, async () => {
  await using server = new RawServer();
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const call = { name: "execute_code", arguments: { language: "javascript", code: "6 * 7" }, _meta: meta };
  await server.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: call }));
  const reply = await server.receive();
  assert.equal(reply.result.structuredContent.result, "42");
});

Deno.test(`[${UNDER_TEST}] invalid arguments are tool results with the error object`, async () => {
  await using server = await TestServer.start();
  const bad: [Record<string, unknown>, RegExp][] = [
    [{ code: "1", language: "cobol" }, /language/],
    [{ code: "" }, /empty/],
    [{ code: "  \n " }, /empty/],
    [{}, /code/],
    [{ code: 5 }, /code/],
    [{ code: "1", nonsense: true }, /nonsense/],
    [{ code: "1", session_id: "" }, /session_id/],
    [{ code: "1", session_id: "../../etc" }, /session_id/],
    [{ code: "1", session_id: "x".repeat(101) }, /session_id/],
    [{ code: "1", timeout: -1 }, /timeout/],
    [{ code: "1", timeout: 1e9 }, /timeout/],
    [{ code: "'a\0b'" }, /NUL character at offset 2/],
    [{ code: "'\ud800'" }, /surrogate pair at offset 1/],
  ];
  for (const [args, message] of bad) {
    const { isError, structured, text } = await server.call("execute_code", args);
    assert.equal(isError, true);
    const error = structured["error"] as { error_code: string; message: string; category: string };
    assert.equal(error.error_code, "INVALID_ARGUMENTS");
    assert.match(error.message, message);
    assert.match(text, message);
  }
  const { structured } = await server.call("execute_code", { code: "#".repeat(1024 * 1024 + 1) });
  assert.equal((structured["error"] as { error_code: string }).error_code, "CODE_TOO_LARGE");
  assert.equal((await server.python("1 + 1")).result, "2");
});

Deno.test(`[${UNDER_TEST}] a session that does not exist is an error in every tool but those that create one`, async () => {
  await using server = await TestServer.start();
  for (const tool of ["destroy_session", "reset_workspace", "get_workspace_info", "cancel_execution"]) {
    const { isError, structured } = await server.call(tool, { session_id: "nowhere" });
    assert.equal(isError, true);
    assert.equal((structured["error"] as { error_code: string }).error_code, "SESSION_NOT_FOUND", tool);
  }
});
