/** What the protocol has besides tools: prompts, completion, the client's log, progress as a heartbeat, caching. */

import assert from "node:assert/strict";
import { serverCommand, TestServer, UNDER_TEST } from "../support/harness.ts";
import { HttpServer } from "../support/http_harness.ts";

const { command, args } = serverCommand();
const IMPATIENT = { command: "env", args: ["WASMBOX_TOOLS_HEARTBEAT_SECONDS=0.1", command, ...args] };

Deno.test(`[${UNDER_TEST}] a client's features`, async (t) => {
  await using server = await TestServer.start(IMPATIENT);
  const { client } = server;

  await t.step("prompts are listed with their arguments, and say what was filled in", async () => {
    const { prompts } = await client.listPrompts();
    assert.deepEqual(prompts.map((prompt) => prompt.name), ["solve_with_code", "analyze_data", "debug_code"]);
    for (const prompt of prompts) assert.ok(prompt.title && prompt.description && prompt.arguments?.length);
    const textOf = async (name: string, args: Record<string, string>) => {
      const { messages } = await client.getPrompt({ name, arguments: args });
      assert.deepEqual(messages.map((message) => [message.role, message.content.type]), [["user", "text"]]);
      return (messages[0]!.content as { text: string }).text;
    };
    const solve = await textOf("solve_with_code", {
      task: "the 100th prime",
      language: "python",
      session_id: "s-1",
    });
    for (const part of ["the 100th prime", '"python"', '"s-1"', "execute_code"]) {
      assert.ok(solve.includes(part));
    }
    assert.match(await textOf("analyze_data", { path: "/app/data.csv" }), /\/app\/data\.csv[^]*overview/);
    assert.ok((await textOf("debug_code", { code: "```\nx" })).includes("\n````\n```\nx\n````\n"));
  });

  await t.step("an unknown prompt and a missing argument are errors that say what there is", async () => {
    const refused = async (name: string, args: Record<string, string>) => {
      const error = await client.getPrompt({ name, arguments: args }).then(
        () => assert.fail(),
        (error) => error,
      );
      return [error.code, error.data?.error_code, error.message];
    };
    const unknown = await refused("no_such", {});
    assert.deepEqual(unknown.slice(0, 2), [-32602, "INVALID_ARGUMENTS"]);
    assert.match((await refused("solve_with_code", { language: "python" }))[2], /needs task/);
  });

  await t.step("languages and the caller's sessions are completed", async () => {
    await server.call("create_session", { session_id: "beta" });
    await server.call("create_session", { session_id: "alpha" });
    await server.call("create_session", { session_id: "alpine" });
    const complete = async (name: string, value: string) => {
      const ref = { type: "ref/prompt" as const, name: "solve_with_code" };
      return (await client.complete({ ref, argument: { name, value } })).completion;
    };
    assert.deepEqual(await complete("session_id", "al"), {
      values: ["alpha", "alpine"],
      total: 2,
      hasMore: false,
    });
    assert.deepEqual((await complete("language", "")).values, ["javascript", "python", "shell"]);
    assert.deepEqual((await complete("language", "py")).values, ["python"]);
    for (const unknown of ["task", "__proto__", "constructor"]) {
      assert.deepEqual((await complete(unknown, "")).values, []);
    }
  });

  await t.step("the client's log hears what a session lost, unless it wants less", async () => {
    const heard: { level: string; data: Record<string, unknown> }[] = [];
    client.setNotificationHandler("notifications/message", ({ params }) => {
      heard.push({ level: params.level, data: params.data as Record<string, unknown> });
    });
    const LOSES = "import os; os._exit(3)";
    await server.python("1 + 1");
    await server.python("1 / 0", { on_failure: "rollback" });
    const { execution_id } = await server.python(LOSES);
    assert.deepEqual(heard.map(({ level, data }) => [level, data["execution_id"], data["state"]]), [
      ["warning", execution_id, "reset"],
    ]);
    assert.match(String(heard[0]?.data["message"]), /lost its variables/);
    await client.setLoggingLevel("error");
    await server.python(LOSES);
    assert.equal(heard.length, 1);
  });

  await t.step(
    "a silent call keeps a client waiting that would give up, and says how long it has run",
    async () => {
      const messages: string[] = [];
      const counts: number[] = [];
      const result = await client.callTool({
        name: "execute_code",
        arguments: { code: "import time; print('begun', flush=True); time.sleep(7); 'done'" },
      }, {
        timeout: 5000,
        resetTimeoutOnProgress: true,
        onprogress: ({ progress, message }) => {
          counts.push(progress);
          messages.push(message ?? "");
        },
      });
      assert.equal((result.structuredContent as { result: string }).result, "'done'");
      assert.equal(messages.filter((message) => message === "begun\n").length, 1);
      assert.ok(
        messages.filter((message) => /^running for \d+ s$/.test(message)).length >= 3,
        messages.join(),
      );
      assert.deepEqual(counts, counts.map((_, index) => index + 1));
    },
  );

  await t.step("tools are listed the same each time, each with hints that fit it", async () => {
    const first = await client.listTools();
    assert.equal(JSON.stringify(await client.listTools()), JSON.stringify(first));
    for (const { name, annotations } of first.tools) {
      const reads = /^(get|list|read)_/.test(name);
      assert.equal(annotations?.readOnlyHint, reads, name);
      const destroys = /^(destroy|delete|reset|write|edit|move|restore)_/.test(name);
      if (annotations?.destructiveHint) assert.ok(destroys, name);
      if (/^(destroy|delete|reset)_/.test(name)) assert.ok(annotations?.destructiveHint, name);
    }
  });

  await t.step("the instructions name only tools that there are", async () => {
    const { tools } = await client.listTools();
    const names = tools.map((tool) => tool.name);
    const instructions = client.getInstructions() ?? "";
    const named = instructions.match(
      /\b(execute|read|write|list|install|cancel|create|delete|move|reset|get)_[a-z]+\b/g,
    );
    assert.ok(named && named.length >= 3);
    for (const name of named) assert.ok(names.includes(name), name);
  });
});

Deno.test(`[${UNDER_TEST}] on the stateless protocol lists may be cached, and the log is asked for by each request`, async () => {
  await using server = await HttpServer.spawn({ command, args: [...args, "serve", "--http", "--port", "0"] });
  const ask = async (
    method: string,
    params: Record<string, unknown> = {},
    meta: Record<string, unknown> = {},
  ) => {
    const response = await server.post({
      jsonrpc: "2.0",
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
          "io.modelcontextprotocol/clientCapabilities": {},
          ...meta,
        },
      },
    }, {
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(typeof params["name"] === "string" && { "mcp-name": params["name"] }),
    });
    return await response.text();
  };
  for (const method of ["tools/list", "prompts/list", "server/discover"]) {
    const { result } = JSON.parse(await ask(method));
    assert.deepEqual([result.ttlMs, result.cacheScope], [300_000, "public"], method);
  }
  const loses = { name: "execute_code", arguments: { code: "import os; os._exit(3)" } };
  const asked = await ask("tools/call", loses, { "io.modelcontextprotocol/logLevel": "warning" });
  assert.match(asked, /notifications\/message[^]*"level":"warning"[^]*"state":"reset"/);
  assert.doesNotMatch(await ask("tools/call", loses), /notifications\/message/);
});
