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

const INITIALIZED = { jsonrpc: "2.0", method: "notifications/initialized" };
const call = (id: number, code: string, more: object = {}) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "execute_code", arguments: { code }, ...more },
});

Deno.test(`[${UNDER_TEST}] who pipes requests in and ends reads every answer`, async () => {
  await using server = new RawServer();
  const requests = [
    INITIALIZE,
    INITIALIZED,
    call(2, "import time; time.sleep(0.3); 6 * 7"),
    call(3, "'x' * 5"),
  ];
  for (const request of requests.slice(0, -1)) await server.send(JSON.stringify(request));
  await server.sendUnended(JSON.stringify(requests.at(-1)));
  const ended = server.endInput();
  const answers = new Map<number, { result: { structuredContent: { result: string } } }>();
  while (answers.size < 3) {
    const answer = await server.receive();
    answers.set(answer.id, answer);
  }
  await ended;
  assert.equal(answers.get(2)?.result.structuredContent.result, "42");
  assert.equal(answers.get(3)?.result.structuredContent.result, "'xxxxx'");
  assert.equal((await server.ended()).code, 0);
});

Deno.test(`[${UNDER_TEST}] after stdin has ended a cancelled run is not waited for`, async () => {
  await using server = new RawServer();
  const progress = { _meta: { progressToken: "p" } };
  const loop = call(2, "print('up', flush=True)\nwhile True: pass", progress);
  for (const request of [INITIALIZE, INITIALIZED, loop]) await server.send(JSON.stringify(request));
  assert.equal((await server.receive()).id, 1);
  const notification = await server.receive();
  assert.equal(notification.method, "notifications/progress");
  assert.match(notification.params._meta.execution_id, /^[0-9a-f-]{36}$/);
  await server.send(
    JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } }),
  );
  assert.equal((await server.end()).code, 0);
});

Deno.test(`[${UNDER_TEST}] after stdin has ended a run goes on for as long as a drain may take`, async () => {
  await using server = new RawServer({ WASMBOX_SERVER_DRAIN_SECONDS: "0.5" });
  const loop = call(2, "while True: pass");
  for (const request of [INITIALIZE, INITIALIZED, loop]) await server.send(JSON.stringify(request));
  assert.equal((await server.receive()).id, 1);
  assert.equal((await server.end()).code, 0);
});

Deno.test(`[${UNDER_TEST}] a server whose answers nobody takes any more ends, though its stdin is open`, async () => {
  await using server = new RawServer();
  for (const request of [INITIALIZE, INITIALIZED]) await server.send(JSON.stringify(request));
  assert.equal((await server.receive()).id, 1);
  await server.endOutput();
  // Of what is written first some runtimes are told only with the next.
  for (const id of [2, 3]) await server.send(JSON.stringify(call(id, "1")));
  assert.equal((await server.ended()).code, 0);
});

Deno.test(`[${UNDER_TEST}] a signal ends a server whose stdin has ended, whatever runs`, async () => {
  await using server = new RawServer();
  const progress = { _meta: { progressToken: "p" } };
  const loop = call(2, "print('up', flush=True)\nwhile True: pass", progress);
  for (const request of [INITIALIZE, INITIALIZED, loop]) await server.send(JSON.stringify(request));
  assert.equal((await server.receive()).id, 1);
  await server.receive();
  await server.endInput();
  assert.equal((await server.signal("SIGTERM")).code, 0);
});

Deno.test(`[${UNDER_TEST}] a second signal stops what runs, and its caller is told what became of it`, async () => {
  await using server = new RawServer();
  const progress = { _meta: { progressToken: "p" } };
  const loop = call(2, "print('up', flush=True)\nwhile True: pass", progress);
  for (const request of [INITIALIZE, INITIALIZED, loop]) await server.send(JSON.stringify(request));
  assert.equal((await server.receive()).id, 1);
  await server.receive();
  const first = server.signal("SIGTERM");
  const second = server.signal("SIGINT");
  const { status, state } = (await server.receive()).result.structuredContent;
  assert.deepEqual([status, state], ["cancelled", "kept"]);
  assert.deepEqual([(await first).code, (await second).code], [0, 0]);
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
