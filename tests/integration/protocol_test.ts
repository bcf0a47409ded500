import assert from "node:assert/strict";
import { UNDER_TEST } from "../support/harness.ts";
import { INITIALIZE, RawServer } from "../support/raw_server.ts";
import { sharedServer } from "../support/shared.ts";

Deno.test(`[${UNDER_TEST}] every tool is described for models: title, description, parameters, annotations`, async () => {
  const server = await sharedServer();
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
    "get_execution",
    "cancel_execution",
    "read_file",
    "write_file",
    "edit_file",
    "list_files",
    "delete_file",
    "move_file",
    "install_package",
    "list_packages",
    "checkpoint_session",
    "list_checkpoints",
    "restore_session",
    "fork_session",
    "delete_checkpoint",
  ]);
  for (const tool of tools) {
    assert.ok(tool.title && tool.description && tool.description.length > 40, tool.name);
    assert.equal(tool.inputSchema.type, "object");
    assert.equal(typeof tool.annotations?.readOnlyHint, "boolean");
    assert.equal(
      typeof tool.annotations?.destructiveHint,
      tool.annotations?.readOnlyHint ? "undefined" : "boolean",
    );
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
  const server = await sharedServer();
  const bad: [Record<string, unknown>, RegExp][] = [
    [{ code: "1", language: "cobol" }, /language/],
    [{ code: "" }, /nothing to run/],
    [{ code: "  \n " }, /nothing to run/],
    [{}, /code/],
    [{ code: ["1"] }, /code/],
    [{ code: "1", sesion_id: "s" }, /sesion_id/],
    [{ nonsense: true }, /no parameter "nonsense"/],
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

Deno.test(`[${UNDER_TEST}] arguments that mean the same in another way are taken as that, and what is none is told`, async () => {
  const server = await sharedServer();
  const nulls = {
    session_id: null,
    timeout: null,
    background: null,
    branches: null,
    event: null,
    context: null,
  };
  const strict = await server.call("execute_code", { ...nulls, code: "6 * 7", language: "Python" });
  assert.deepEqual([strict.isError, strict.structured["result"]], [false, "42"]);
  const more = await server.call("execute_code", {
    code: "6 * 7",
    sessionId: "letters",
    toolCallId: "call_1",
  });
  assert.deepEqual([more.isError, more.structured["session_id"]], [false, "letters"]);
  assert.match(more.text, /^result: 42\n\[ignored: execute_code has no parameter "toolCallId"\]$/);
});

Deno.test(`[${UNDER_TEST}] a session that does not exist is an error in every tool but those that create one`, async () => {
  const server = await sharedServer();
  for (const tool of ["destroy_session", "reset_workspace", "get_workspace_info", "cancel_execution"]) {
    const { isError, structured } = await server.call(tool, { session_id: "nowhere" });
    assert.equal(isError, true);
    assert.equal((structured["error"] as { error_code: string }).error_code, "SESSION_NOT_FOUND", tool);
  }
});
