/** What runs in the background as MCP's tasks: for the earlier generation of the protocol, and for the later one. */

import assert from "node:assert/strict";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import * as z from "zod";
import { eventually } from "../support/eventually.ts";
import { serverCommand, UNDER_TEST } from "../support/harness.ts";
import { HttpServer } from "../support/http_harness.ts";

const EXTENSION = "io.modelcontextprotocol/tasks";
const TOKENS = { alice: "alice-token-0123456789", bob: "bob-token-0123456789" };
type Person = keyof typeof TOKENS;
const LOOP = "while True: pass";

function test(name: string, fn: (server: HttpServer) => Promise<void>): void {
  Deno.test(`[${UNDER_TEST}] ${name}`, async () => {
    const { command, args } = serverCommand();
    const tokens = Object.entries(TOKENS).map(([who, token]) => `${who}=${token}`).join(",");
    await using server = await HttpServer.spawn(
      { command, args: [...args, "serve", "--http", "--port", "0"] },
      { WASMBOX_AUTH_TOKENS: tokens },
    );
    await fn(server);
  });
}

const headersOf = (who: Person) => ({ authorization: `Bearer ${TOKENS[who]}` });

async function connectOld(server: HttpServer, who: Person = "alice") {
  const client = new OldClient({ name: "old", version: "1" });
  await client.connect(new OldTransport(server.url, { requestInit: { headers: headersOf(who) } }));
  await client.listTools();
  const { tasks } = client.experimental;
  return {
    tasks,
    client,
    /** Calls a tool as a task. @returns All that is heard of it. */
    follow: async (name: string, args: Record<string, unknown>, ttl = 60_000) => {
      const stream = tasks.callToolStream({ name, arguments: args }, undefined, { task: { ttl } });
      const heard = [];
      for await (const message of stream) heard.push(message);
      return heard;
    },
    /** Begins one. @returns Its id. */
    begin: async (args: Record<string, unknown>): Promise<string> => {
      for await (
        const message of tasks.callToolStream({ name: "execute_code", arguments: args }, undefined, {
          task: {},
        })
      ) {
        if (message.type === "taskCreated") return message.task.taskId;
        if (message.type === "error") throw message.error;
      }
      throw new Error("no task was made");
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

async function connectNew(
  server: HttpServer,
  who: Person = "alice",
  extensions: object = { [EXTENSION]: {} },
) {
  const capabilities = { extensions: extensions as Record<string, Record<string, never>> };
  const client = new Client({ name: "new", version: "1" }, {
    capabilities,
    versionNegotiation: { mode: { pin: "2026-07-28" } },
  });
  await client.connect(
    new StreamableHTTPClientTransport(server.url, { requestInit: { headers: headersOf(who) } }),
  );
  const request = (method: string, params: Record<string, unknown>) =>
    client.request({ method, params }, z.looseObject({}));
  return {
    client,
    request,
    get: (taskId: unknown) => request("tasks/get", { taskId }),
    /** Its client does not take the answer in yet: it is sent as it would be. */
    begin: async (args: Record<string, unknown>): Promise<Record<string, unknown>> => {
      const _meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "new", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": capabilities,
      };
      const params = { name: "execute_code", arguments: { background: true, ...args }, _meta };
      const response = await server.post({ jsonrpc: "2.0", id: 1, method: "tools/call", params }, {
        ...headersOf(who),
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "execute_code",
      });
      const text = await response.text();
      const message = JSON.parse(/^data: (\{.*)$/m.exec(text)?.[1] ?? text);
      return message.result ?? assert.fail(text);
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

type Listed = readonly { readonly taskId: string; readonly status: string }[];
const codeOf = (error: unknown) => (error as { code?: number }).code;

test("a client of the earlier generation has a call as a task, and its result in the end", async (server) => {
  await using alice = await connectOld(server);
  assert.deepEqual(alice.client.getServerCapabilities()?.tasks?.requests, { tools: { call: {} } });
  const heard = await alice.follow("execute_code", { code: "print('printed')\n6 * 7", session_id: "work" });
  const [created] = heard;
  assert.ok(created?.type === "taskCreated");
  assert.deepEqual([created.task.status, created.task.ttl], ["working", 60_000]);
  const last = heard.at(-1);
  assert.ok(last?.type === "result", JSON.stringify(last));
  const { structuredContent, content, _meta } = last.result as Record<string, unknown>;
  assert.equal((structuredContent as { result: string }).result, "42");
  assert.match(JSON.stringify(content), /printed/);
  assert.deepEqual(_meta, { "io.modelcontextprotocol/related-task": { taskId: created.task.taskId } });
  assert.equal((await alice.tasks.getTask(created.task.taskId)).status, "completed");
  const command = (await alice.follow("execute_command", { command: "echo $((6 * 7))" })).at(-1);
  assert.ok(command?.type === "result");
  const late = (await alice.follow("execute_code", { code: LOOP, timeout: 0.5 })).at(-1);
  assert.ok(late?.type === "error" || late?.type === "result");
  const tasks: Listed = (await alice.tasks.listTasks()).tasks;
  assert.deepEqual(tasks.map(({ status }) => status).sort(), ["completed", "completed", "failed"]);
});

test("a task is cancelled at once, and stays so", async (server) => {
  await using alice = await connectOld(server);
  const id = await alice.begin({ code: LOOP, session_id: "work" });
  assert.equal((await alice.tasks.cancelTask(id)).status, "cancelled");
  assert.equal((await alice.tasks.getTask(id)).status, "cancelled");
  await assert.rejects(alice.tasks.cancelTask(id), (error) => codeOf(error) === -32602);
  const after = await alice.client.callTool({
    name: "execute_code",
    arguments: { code: "2 - 1", session_id: "work" },
  });
  assert.equal((after.structuredContent as { result: string }).result, "1");
});

test("tasks are their principal's alone, of tools that can run on, and no more than there is room for", async (server) => {
  await using alice = await connectOld(server);
  await using bob = await connectOld(server, "bob");
  const id = await alice.begin({ code: LOOP, session_id: "loop" });
  await assert.rejects(bob.tasks.getTask(id), (error) => codeOf(error) === -32602);
  await assert.rejects(bob.tasks.cancelTask(id), (error) => codeOf(error) === -32602);
  assert.deepEqual((await bob.tasks.listTasks()).tasks, []);
  const own: Listed = (await alice.tasks.listTasks()).tasks;
  assert.deepEqual(own.map(({ taskId }) => taskId), [id]);
  await alice.tasks.cancelTask(id);
  await assert.rejects(
    alice.client.request(
      { method: "tools/call", params: { name: "list_sessions", arguments: {}, task: {} } },
      z.looseObject({}) as never,
    ),
    (error) => codeOf(error) === -32601,
  );
  await assert.rejects(alice.begin({ code: "" }), (error) => codeOf(error) === -32602);
  for (let count = 0; count < 8; count++) await alice.begin({ code: `${count}`, session_id: "many" });
  await assert.rejects(
    alice.begin({ code: "8", session_id: "many" }),
    (error) => (error as { data?: { error_code?: string } }).data?.error_code === "TOO_MANY_TASKS",
  );
  assert.ok(await alice.begin({ code: "8", session_id: "other" }));
});

test("a client of the later generation has what it begins in the background as a task", async (server) => {
  await using alice = await connectNew(server);
  assert.deepEqual(alice.client.getServerCapabilities()?.extensions?.[EXTENSION], {});
  const begun = await alice.begin({ code: "print('printed')\n6 * 7", session_id: "work" });
  const { resultType, taskId, ttlMs, structuredContent } = begun;
  assert.deepEqual([resultType, typeof ttlMs, structuredContent], ["task", "number", undefined]);
  const ended = await eventually("it ends", () => alice.get(taskId), ({ status }) => status === "completed");
  const result = ended["result"] as { structuredContent: { result: string }; isError: boolean };
  assert.deepEqual([result.structuredContent.result, result.isError], ["42", false]);
  const plain = await alice.client.callTool({ name: "execute_code", arguments: { code: "6 * 7" } });
  assert.equal((plain.structuredContent as { result: string }).result, "42");
  const late = await alice.begin({ code: LOOP, timeout: 0.5 });
  const failed = await eventually(
    "it ends",
    () => alice.get(late["taskId"]),
    ({ status }) => status === "completed",
  );
  assert.equal((failed["result"] as { isError: boolean }).isError, true);
  const stopped = await alice.begin({ code: LOOP });
  assert.deepEqual(Object.keys(await alice.request("tasks/cancel", { taskId: stopped["taskId"] })), [
    "_meta",
  ]);
  assert.equal((await alice.get(stopped["taskId"]))["status"], "cancelled");
  await alice.request("tasks/cancel", { taskId: stopped["taskId"] });
  await alice.request("tasks/update", { taskId: stopped["taskId"], inputResponses: {} });
  await using bob = await connectNew(server, "bob");
  await assert.rejects(bob.get(taskId), (error) => codeOf(error) === -32602);
});

test("who does not declare the extension has executions in the background as before, and no tasks", async (server) => {
  await using plain = await connectNew(server, "alice", {});
  const begun = await plain.begin({ code: "6 * 7", session_id: "work" });
  assert.equal(begun["resultType"], "complete");
  const { execution_id } = begun["structuredContent"] as { execution_id: string };
  await assert.rejects(plain.get(execution_id), (error) => codeOf(error) === -32021);
  const ended = await plain.client.callTool({
    name: "get_execution",
    arguments: { execution_id, session_id: "work", wait: 30 },
  });
  assert.equal((ended.structuredContent as { result: string }).result, "42");
});
