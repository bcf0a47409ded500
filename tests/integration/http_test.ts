/** Both generations of the protocol over HTTP, through real clients. */

import assert from "node:assert/strict";
import { SSEClientTransport } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { eventually } from "../support/eventually.ts";
import { childrenOf, serverCommand, UNDER_TEST } from "../support/harness.ts";
import { HttpServer, initialize, refusal } from "../support/http_harness.ts";
import { sharedHttpServer } from "../support/shared.ts";

function test(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ignore: UNDER_TEST !== "source", fn });
}

const ALICE = "alice-0123456789abcdef";
const BOB = "bob-0123456789abcdef00";
const TOKENS = { auth: { tokens: { alice: ALICE, bob: BOB } } };

/** The messages in a response that is a stream of events. */
async function messages(response: Response): Promise<{ id?: unknown; result?: unknown; error?: unknown }[]> {
  const data = (await response.text()).split("\n").filter((line) => line.startsWith("data: {"));
  return data.map((line) => JSON.parse(line.slice("data: ".length)));
}

/** An MCP session opened by hand. */
async function open(server: HttpServer, version?: string): Promise<Record<string, string>> {
  const response = await server.post(initialize(version));
  await response.text();
  const headers = { "mcp-session-id": response.headers.get("mcp-session-id") ?? "" };
  await (await server.post({ jsonrpc: "2.0", method: "notifications/initialized" }, headers)).text();
  return headers;
}

const callTool = (id: string | number, code: string) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "execute_code", arguments: { code, language: "javascript" } },
});

Deno.test(`[${UNDER_TEST}] wasmbox serve --http serves clients with sessions and without, and SIGTERM ends it`, async () => {
  const { command, args } = serverCommand();
  await using server = await HttpServer.spawn({ command, args: [...args, "serve", "--http", "--port", "0"] });
  await using withSession = await server.connect();
  await withSession.javascript("globalThis.x = 20");
  const kept = await withSession.javascript("x + 1");
  assert.deepEqual([kept.result, kept.session_created], ["21", false]);
  await using stateless = await server.connect({ stateless: true });
  const first = await stateless.javascript("globalThis.y = 30");
  const second = await stateless.javascript("y + 1", { session_id: first.session_id });
  assert.deepEqual([first.session_created, second.result, second.session_created], [true, "31", false]);
  assert.equal((await stateless.javascript("typeof y")).result, "'undefined'");
  const { code, signal } = await server.end("SIGTERM");
  assert.deepEqual([code, signal], [0, null]);
});

Deno.test(`[${UNDER_TEST}] a second signal ends what runs and what waits, and leaves no process behind`, async () => {
  const { command, args } = serverCommand();
  await using server = await HttpServer.spawn({ command, args: [...args, "serve", "--http", "--port", "0"] });
  const session = await open(server);
  const waiting = await fetch(server.url, { headers: { ...session, accept: "text/event-stream" } });
  const running = await server.post(callTool(1, "for (;;);"), session);
  await using stateless = await server.connect({ stateless: true });
  const alsoRunning = stateless.javascript("for (;;);", { session_id: "s" }).catch(() => "ended");
  const alone = fetch(server.url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify(callTool(1, "for (;;);")),
  });
  await eventually("all calls have their sessions", () => stateless.sessionIds(), (ids) => ids.length === 3);
  const executors = childrenOf(server.child.pid);
  assert.ok(executors.length > 0);
  server.child.kill("SIGINT");
  assert.equal((await server.end("SIGTERM")).code, 0);
  const stopped = [running.text(), alone.then((response) => response.text())];
  for (const text of await Promise.all(stopped)) assert.match(text, /"status":"cancelled".*"state":"kept"/);
  await Promise.allSettled([waiting.text(), alsoRunning]);
  for (const pid of executors) assert.throws(() => Deno.kill(pid, "SIGCONT"), `${pid} is left`);
});

test("a client of the SDK's first line works as well", async () => {
  const server = await sharedHttpServer();
  const client = new OldClient({ name: "old", version: "1" });
  const transport = new OldTransport(server.url);
  // deno-lint-ignore no-explicit-any -- its types predate exactOptionalPropertyTypes
  await client.connect(transport as any);
  const called = await client.callTool({
    name: "execute_code",
    arguments: { code: "6 * 7", language: "javascript" },
  });
  assert.equal((called.structuredContent as { result: string }).result, "42");
  await transport.terminateSession();
  await client.close();
});

test("clients of every revision with sessions are answered in theirs, run code, and may end their session", async () => {
  const server = await sharedHttpServer();
  for (const version of ["2025-03-26", "2025-06-18", "2025-11-25"]) {
    const response = await server.post(initialize(version));
    const id = response.headers.get("mcp-session-id") ?? "";
    const [initialized] = await messages(response);
    assert.equal((initialized?.result as { protocolVersion: string }).protocolVersion, version);
    // From 2025-06-18 on clients send the revision with every request; before they knew no such header.
    const headers = {
      "mcp-session-id": id,
      ...version !== "2025-03-26" && { "mcp-protocol-version": version },
    };
    await (await server.post({ jsonrpc: "2.0", method: "notifications/initialized" }, headers)).text();
    for (const [code, result] of [["globalThis.n = 41", "41"], ["n + 1", "42"]] as const) {
      const [called] = await messages(await server.post(callTool(result, code), headers));
      const { structuredContent } = called?.result as { structuredContent: { result: string } };
      assert.deepEqual([version, structuredContent.result], [version, result]);
    }
    const ended = await fetch(server.url, { method: "DELETE", headers });
    await ended.text();
    assert.equal(ended.status, 200);
  }
  const unknown = { "mcp-protocol-version": "1999-01-01", ...await open(server) };
  assert.equal((await refusal(await server.post(callTool(1, "1"), unknown))).status, 400);
});

test("a client that takes whatever it is sent is served as one that says what, with a slash after the path too", async () => {
  const server = await sharedHttpServer();
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${server.url}/`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "*/*", ...headers },
      body: JSON.stringify(body),
    });
  const begun = await post(initialize());
  assert.equal(begun.status, 200, await begun.text());
  const [called] = await messages(
    await post(callTool(2, "6 * 7"), { "mcp-session-id": begun.headers.get("mcp-session-id")! }),
  );
  assert.equal((called?.result as { structuredContent: { result: string } }).structuredContent.result, "42");

  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "curl", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" };
  const listed = await post({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta } }, headers);
  assert.equal(listed.status, 200);
  assert.match(await listed.text(), /execute_code/);
});

test("who asks at the wrong place is told the right one", async () => {
  const server = await sharedHttpServer();
  const response = await fetch(new URL("/", server.url), { method: "POST", body: "{}" });
  assert.equal(response.status, 404);
  assert.match(await response.text(), /MCP is spoken at \/mcp\./);
});

test("who cancels one request of a batch is answered the others", async () => {
  const server = await sharedHttpServer();
  const session = await open(server, "2025-03-26");
  const [slow, quick] = [callTool("slow", "for (;;);"), callTool("quick", "6 * 7")];
  const answers = await server.post([slow, quick], session);
  const cancelled = { method: "notifications/cancelled", params: { requestId: "slow" } };
  await server.post({ jsonrpc: "2.0", ...cancelled }, session);
  const quickly = (await messages(answers)).find(({ id }) => id === "quick");
  assert.match(JSON.stringify(quickly), /"result":"42"/);
});

test("every MCP session has a default session of its own, which DELETE ends", async () => {
  const server = await sharedHttpServer();
  await using one = await server.connect();
  await using two = await server.connect();
  await one.javascript("globalThis.x = 1");
  assert.equal((await two.javascript("typeof x")).result, "'undefined'");
  assert.equal((await two.sessionIds()).length, 2);
  const id = one.transport.sessionId!;
  await one.transport.terminateSession();
  assert.equal((await two.sessionIds()).length, 1);
  const after = await server.post(callTool(1, "1"), { "mcp-session-id": id });
  assert.deepEqual(await refusal(after).then(({ status, error }) => [status, error]), [
    404,
    "SESSION_NOT_FOUND",
  ]);
});

test("what replies say of the default session does not give its MCP session away", async () => {
  const server = await sharedHttpServer();
  await using client = await server.connect();
  const { session_id } = await client.javascript("1");
  assert.ok(!session_id.includes(client.transport.sessionId!));
});

test("principals with the same session names never meet, on either protocol", async () => {
  const server = await sharedHttpServer(TOKENS);
  for (const stateless of [false, true]) {
    await using alice = await server.connect({ token: ALICE, stateless });
    await using bob = await server.connect({ token: BOB, stateless });
    const name = { session_id: `work-${stateless}` };
    await alice.javascript("globalThis.secret = 'of alice'", name);
    const seen = await bob.javascript("typeof secret", name);
    assert.deepEqual([seen.result, seen.session_created], ["'undefined'", true]);
    await bob.call("destroy_session", name);
    assert.equal((await alice.javascript("secret", name)).result, "'of alice'");
    assert.deepEqual((await bob.sessionIds()).filter((id) => id === name.session_id), []);
  }
});

test("an execution in the background goes on when its client has gone, and is its principal's alone", async () => {
  const server = await sharedHttpServer(TOKENS);
  for (const stateless of [false, true]) {
    const name = { session_id: `behind-${stateless}` };
    let id: unknown;
    {
      await using alice = await server.connect({ token: ALICE, stateless });
      const code = "import time; time.sleep(0.3); 'of alice'";
      const { structured } = await alice.call("execute_code", { code, background: true, ...name });
      id = structured["execution_id"];
    }
    await using alice = await server.connect({ token: ALICE, stateless });
    await using bob = await server.connect({ token: BOB, stateless });
    await bob.javascript("1", name);
    for (const named of [{}, name]) {
      const { structured } = await bob.call("get_execution", { execution_id: id, ...named });
      assert.equal((structured["error"] as { error_code: string }).error_code, "NOT_FOUND");
    }
    const { structured } = await alice.call("get_execution", { execution_id: id, wait: 30 });
    assert.deepEqual([structured["result"], structured["session_id"]], ["'of alice'", name.session_id]);
    await alice.call("destroy_session", name);
    await bob.call("destroy_session", name);
  }
});

test("an MCP session belongs to the principal that made it", async () => {
  const server = await sharedHttpServer(TOKENS);
  await using alice = await server.connect({ token: ALICE });
  await alice.javascript("1");
  const id = { "mcp-session-id": alice.transport.sessionId! };
  const bob = { ...id, authorization: `Bearer ${BOB}` };
  for (const method of ["POST", "GET", "DELETE"]) {
    const response = await fetch(server.url, {
      method,
      headers: { ...bob, accept: "application/json, text/event-stream", "content-type": "application/json" },
      ...(method === "POST" && { body: JSON.stringify(callTool(9, "1")) }),
    });
    const { status, error } = await refusal(response);
    assert.deepEqual([method, status, error], [method, 404, "SESSION_NOT_FOUND"]);
  }
  assert.equal((await alice.javascript("'still here'")).result, "'still here'");
});

test("a file comes in one piece of JSON, which clients bound less than an event of a stream", async () => {
  const server = await sharedHttpServer();
  const session = await open(server);
  const path = "large.bin";
  const write = `require("fs").writeFileSync("${path}", Buffer.alloc(2 ** 20, 255))`;
  const session_id = "one-piece";
  const ask = (id: number, method: string, params: Record<string, unknown>, headers = session) =>
    server.post({ jsonrpc: "2.0", id, method, params }, headers);
  const code = { code: write, language: "javascript", session_id };
  await messages(await ask(2, "tools/call", { name: "execute_code", arguments: code }));
  const resource = { uri: `workspace://${session_id}/${path}` };
  const tool = { name: "read_file", arguments: { path, session_id, encoding: "base64", max_bytes: 2 ** 20 } };
  for (const [id, method, params] of [[3, "resources/read", resource], [4, "tools/call", tool]] as const) {
    const response = await ask(id, method, params);
    assert.equal(response.headers.get("content-type"), "application/json");
    assert.equal(response.headers.get("mcp-session-id"), session["mcp-session-id"]);
    assert.match(await response.text(), /\/{1398000}/);
  }
  const missing = await (await ask(5, "resources/read", { uri: "workspace://one-piece/none" })).json();
  assert.deepEqual([missing.id, missing.error.code], [5, -32602]);
});

test("cancelling a request stops the program and ends the request's stream", async () => {
  const server = await sharedHttpServer();
  const session = await open(server);
  const running = await server.post(callTool("long", "for (;;);"), session);
  const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "long" } };
  await (await server.post(cancel, session)).text();
  assert.deepEqual(await messages(running), []);
  const [answer] = await messages(await server.post(callTool("long", "1 + 1"), session));
  assert.match(JSON.stringify(answer), /"result":"2"/);
});

test("a stateless request whose client goes away is stopped", async () => {
  const server = await sharedHttpServer();
  await using client = await server.connect({ stateless: true });
  const controller = new AbortController();
  const running = client.javascript("for (;;);", { session_id: "s" }, controller.signal);
  await eventually("the call has its session", () => client.sessionIds(), (ids) => ids.includes("s"));
  controller.abort();
  await assert.rejects(running);
  assert.equal((await client.javascript("1 + 1", { session_id: "s" })).result, "2");
});

test("a second request with an id that is under way is refused, and the first goes on", async () => {
  const server = await sharedHttpServer();
  const session = await open(server);
  const running = await server.post(callTool(7, "for (;;);"), session);
  const again = await refusal(await server.post(callTool(7, "'second'"), session));
  assert.deepEqual([again.status, again.code, again.error], [400, -32600, "INVALID_REQUEST"]);
  const cancel = { ...callTool(8, ""), params: { name: "cancel_execution", arguments: {} } };
  await (await server.post(cancel, session)).text();
  const [first] = await messages(running);
  assert.match(JSON.stringify([first?.id, first?.result]), /^\[7,.*"status":"cancelled"/);
});

test("batches are refused from 2025-06-18 on, and served before", async () => {
  const server = await sharedHttpServer();
  const batch = [{ jsonrpc: "2.0", id: 1, method: "ping" }, { jsonrpc: "2.0", id: 2, method: "ping" }];
  for (const version of ["2025-06-18", "2025-11-25"]) {
    const { status, code } = await refusal(await server.post(batch, await open(server, version)));
    assert.deepEqual([version, status, code], [version, 400, -32600]);
  }
  const answers = await messages(await server.post(batch, await open(server, "2025-03-26")));
  assert.deepEqual(answers.map((answer) => answer.id), [1, 2]);
});

test("an MCP session that nobody uses is forgotten, with its default session", async () => {
  await using server = await HttpServer.start({ mcpSessionIdleMs: 200 });
  // By hand: Deno's fetch may leave the connection of a stream open that is cancelled as it begins.
  await (await server.post(callTool(1, "1"), await open(server))).text();
  await using other = await server.connect({ stateless: true });
  await eventually("its session has ended", () => other.sessionIds(), (ids) => ids.length === 0);
});

test("a principal with too many MCP sessions loses the one it has not used for longest; others keep theirs", async () => {
  await using server = await HttpServer.start({
    ...TOKENS,
    maxMcpSessions: 3,
    maxMcpSessionsPerPrincipal: 2,
  });
  const opened = async (token: string) => {
    const response = await server.post(initialize(), { authorization: `Bearer ${token}` });
    await response.text();
    return {
      "mcp-session-id": response.headers.get("mcp-session-id") ?? "",
      authorization: `Bearer ${token}`,
    };
  };
  const ping = async (session: Record<string, string>) => {
    const response = await server.post({ jsonrpc: "2.0", id: 1, method: "ping" }, session);
    await response.text();
    return response.status;
  };
  const bobs = await opened(BOB);
  const [first, second, third] = [await opened(ALICE), await opened(ALICE), await opened(ALICE)];
  assert.deepEqual([await ping(first), await ping(second), await ping(third)], [404, 200, 200]);
  assert.equal(await ping(bobs), 200);
});

test("the transport of 2024-11-05 is there when asked for, and only then", async () => {
  const plain = await sharedHttpServer();
  assert.equal((await refusal(await fetch(new URL("/sse", plain.url)))).status, 404);
  await using server = await HttpServer.start({ sse: true });
  const client = new Client({ name: "sse", version: "1" });
  await client.connect(new SSEClientTransport(new URL("/sse", server.url)));
  const old = new Client({ name: "sse", version: "1" }, { supportedProtocolVersions: ["2024-11-05"] });
  await old.connect(new SSEClientTransport(new URL("/sse", server.url)));
  assert.equal(old.getNegotiatedProtocolVersion(), "2024-11-05");
  assert.ok((await old.listTools()).tools.length > 0);
  await old.close();
  const called = await client.callTool({
    name: "execute_code",
    arguments: { code: "'sse'", language: "javascript" },
  });
  assert.equal((called.structuredContent as { result: string }).result, "'sse'");
  const lost = await fetch(new URL("/messages?sessionId=none", server.url), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
  assert.equal((await refusal(lost)).status, 404);
  await client.close();
  await using after = await server.connect({ stateless: true });
  await eventually("the client's sessions have ended", () => after.sessionIds(), (ids) => ids.length === 0);
});
