/** Clients over HTTP find sessions again that they have never named. */

import assert from "node:assert/strict";
import { UNDER_TEST } from "../support/harness.ts";
import { HttpServer, refusal } from "../support/http_harness.ts";
import { StoredServers } from "../support/stored_server.ts";

const CALL = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "list_sessions", arguments: {} },
};

Deno.test(`[${UNDER_TEST}] a client whose connection a restart ended is told in which session its variables are`, async () => {
  await using servers = await StoredServers.make();
  const command = servers.command("--http", "--port", "0");
  let lost: string | undefined;
  let named: unknown;
  {
    await using before = await HttpServer.spawn(command);
    const client = await before.connect();
    const first = await client.call("execute_code", { code: "x = 41" });
    named = first.structured["session_id"];
    assert.match(
      first.text,
      new RegExp(`\\n\\[session "${named}": from other connections give it as session_id\\]$`),
    );
    const second = await client.call("execute_code", { code: "x" });
    assert.equal(second.text, "result: 41");
    lost = client.transport.sessionId;
    await before.end("SIGKILL");
    await client.client.close();
  }
  await using after = await HttpServer.spawn(command);
  await using stranger = await after.connect();
  const { text } = await stranger.call("execute_code", { code: "1" });
  assert.ok(!text.includes("earlier connection"), text);

  const refused = await refusal(await after.post(CALL, { "mcp-session-id": lost! }));
  assert.equal(refused.status, 404);
  await using again = await after.connect();
  const told = await again.call("execute_code", { code: "'x' in dir()" });
  assert.equal(told.structured["result"], "False");
  const expected = new RegExp(
    `This is a new session\\. .* is stored, .* give session_id "${named}" to go on there\\.`,
  );
  assert.match(told.text, expected);
  assert.match(String(told.structured["notice"]), expected);
  const found = await again.call("execute_code", { code: "x + 1", session_id: named });
  assert.equal(found.text, "result: 42");
});

Deno.test(`[${UNDER_TEST}] what a call of the stateless protocol has made is named in the text of its reply`, async () => {
  await using servers = await StoredServers.make();
  await using server = await HttpServer.spawn(servers.command("--http", "--port", "0"));
  await using client = await server.connect({ stateless: true });
  const { text, structured } = await client.call("execute_code", { code: "x = 6 * 7; x" });
  const id = structured["session_id"];
  assert.equal(text, `result: 42\n[new session: give session_id "${id}" to go on in it]`);
  assert.equal((await client.call("execute_code", { code: "x", session_id: id })).text, "result: 42");
  const made = await client.call("create_session");
  assert.equal(made.text, `Created the session "${made.structured["session_id"]}".`);
});
