/** A server on stdio as a process: what it reads at most, and how it ends. */

import assert from "node:assert/strict";
import { UNDER_TEST } from "../support/harness.ts";
import { INITIALIZE, RawServer } from "../support/raw_server.ts";

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
