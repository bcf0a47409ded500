/** Connections: none is kept for a client that is gone or takes nothing, and none is taken from one that reads. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { eventually } from "../support/eventually.ts";
import { serverCommand, UNDER_TEST } from "../support/harness.ts";
import { HttpServer, initialize } from "../support/http_harness.ts";
import { get, lengthOf, post, RawClient } from "../../src/selftest/raw_http.ts";

function test(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ignore: UNDER_TEST !== "source", fn });
}

/** How long anything here may take that should be done at once. */
const SOON_MS = 20_000;

const HEALTH = get("/health");
/** Its answer has some thousand bytes. */
const METRICS = get("/metrics");
/** More than client and server have room for between them. */
const UNREADABLE = 1500;

/** The status of one request on a connection of its own. */
async function status(server: HttpServer): Promise<number> {
  using client = await RawClient.connect(server, get("/health", "Connection: close"));
  return (await client.answer()).status;
}

/** A connection that has found a place. @throws If that takes too long. */
async function admitted(server: HttpServer): Promise<RawClient> {
  const until = performance.now() + SOON_MS;
  for (;;) {
    const client = await RawClient.connect(server, HEALTH);
    if ((await client.answer()).status === 200) return client;
    client[Symbol.dispose]();
    assert.ok(performance.now() < until, "there is still no place");
  }
}

/** Waits until there is a place for a connection. */
async function served(server: HttpServer): Promise<void> {
  (await admitted(server))[Symbol.dispose]();
}

/** Waits until a connection that does nothing has been closed for that. */
async function idleTime(server: HttpServer): Promise<void> {
  using client = await RawClient.connect(server);
  await client.rest();
}

test("clients that never read what they ask for lose their places, and get none back", async () => {
  await using server = await HttpServer.start({ maxConnections: 2, connectionIdleMs: 5000 });
  for (let round = 0; round < 2; round++) {
    const deaf = await Promise.all(Array.from({ length: 2 }, () => admitted(server)));
    const sending = deaf.map((client) => client.send(METRICS.repeat(UNREADABLE)).catch(() => {}));
    assert.equal(await status(server), 503);
    await served(server);
    for (const client of deaf) client[Symbol.dispose]();
    await Promise.all(sending);
  }
});

test("the place of a client that goes is free at once, whatever it has sent and not read", async () => {
  await using server = await HttpServer.start({ maxConnections: 2, connectionIdleMs: 3_600_000 });
  // The last is more than fits between client and server, in both directions.
  for (const left of ["", "GET / HT", HEALTH, METRICS.repeat(UNREADABLE), METRICS.repeat(200_000)]) {
    const gone = await Promise.all(Array.from({ length: 2 }, () => admitted(server)));
    const sending = gone.map((client) => client.send(left).catch(() => {}));
    for (const client of gone) await client.stuck();
    assert.equal(await status(server), 503);
    for (const client of gone) client[Symbol.dispose]();
    await Promise.all(sending);
    await served(server);
  }
});

test("a client that reads slowly gets all of it, however long that takes", async () => {
  const connectionIdleMs = 2000;
  await using server = await HttpServer.start({ connectionIdleMs });
  const count = 3000;
  using client = await RawClient.connect(server);
  const sending = client.send(METRICS.repeat(count - 1) + get("/metrics", "Connection: close"));
  const buffer = new Uint8Array(64 * 1024);
  let text = "";
  let answers = 0;
  const begun = performance.now();
  for (let read: number | null; (read = await client.connection.read(buffer)) !== null;) {
    text = text.slice(-20) + new TextDecoder().decode(buffer.subarray(0, read));
    answers += text.split("HTTP/1.1 200").length - 1;
    text = text.slice(text.lastIndexOf("HTTP/1.1 200") + 1);
    // By the clock, as a slow machine needs no pauses: the whole takes longer than one may be idle, each part far less.
    const due = begun + 2 * connectionIdleMs * answers / count;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
  }
  await sending;
  assert.equal(answers, count);
});

/** The head of a request for the stream of an MCP session of its own. */
async function streamOf(client: RawClient): Promise<string> {
  const body = JSON.stringify(initialize());
  const accept = "Accept: application/json, text/event-stream";
  await client.send(post(body, `Content-Length: ${body.length}`, accept));
  const { head } = await client.answer();
  return get("/mcp", /^mcp-session-id: .*$/im.exec(head)![0], "Accept: text/event-stream");
}

test("a stream that is silent for long is not cut", async () => {
  await using server = await HttpServer.start({ connectionIdleMs: 400 });
  using client = await RawClient.connect(server);
  const request = await streamOf(client);
  await client.send(request);
  await client.more();
  let over = false;
  const rest = client.rest().finally(() => over = true);
  for (let round = 0; round < 4; round++) await idleTime(server);
  assert.equal(over, false);
  using other = await RawClient.connect(server, request.replace("GET", "DELETE"));
  assert.equal((await other.answer()).status, 200);
  assert.match(await rest, /\r\n0\r\n\r\n$/); // its end, as the session's
});

test("a stream's client that has gone leaves its place, whatever it left unread or had sent ahead", async () => {
  await using server = await HttpServer.start({ maxConnections: 1, connectionIdleMs: 5000 });
  for (const ahead of ["", "x", HEALTH.repeat(10_000)]) {
    for (const reads of [true, false]) {
      const client = await admitted(server);
      await client.send(await streamOf(client));
      if (reads) await client.more();
      const sending = client.send(ahead).catch(() => {}); // as much as there is room for
      assert.equal(await status(server), 503);
      client[Symbol.dispose]();
      await served(server);
      await sending;
    }
  }
});

test("who hangs up while a call runs that was sent by itself leaves its place, and its share of requests", async () => {
  await using server = await HttpServer.start({ maxConnections: 3, maxConcurrentRequests: 2 });
  const lone = (name: string, args: object, ...headers: string[]) => {
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: args },
    });
    return post(body, lengthOf(body), ...headers);
  };
  const running = async () => {
    using client = await RawClient.connect(server, lone("list_sessions", {}, "Connection: close"));
    const { status, body } = await client.answer();
    return status === 200 ? body.includes('"phase":"running"') : undefined;
  };
  for (let round = 0; round < 3; round++) {
    const endless = { language: "javascript", code: "for (;;);", timeout: 60 };
    const client = await RawClient.connect(server, lone("execute_code", { ...endless, session_id: "s" }));
    await eventually("it runs", running);
    client[Symbol.dispose]();
    await eventually("it is stopped", running, (seen) => seen === false);
  }
});

test("of connections that come all at once no more are let in than there are places", async () => {
  await using server = await HttpServer.start({ maxConnections: 5 });
  const clients = await Promise.all(Array.from({ length: 100 }, () => RawClient.connect(server, HEALTH)));
  const all = await Promise.all(clients.map((client) => client.answer()));
  for (const client of clients) client[Symbol.dispose]();
  assert.equal(all.filter(({ status }) => status === 200).length, 5);
  assert.equal(all.filter(({ status }) => status === 503).length, 95);
  await served(server);
});

test("who leaves before being let in, as probes of a port do, holds nobody up", async () => {
  await using server = await HttpServer.start();
  const before = performance.now();
  await Promise.all(Array.from({ length: 400 }, async () => {
    const socket = connect(Number(server.url.port), "127.0.0.1");
    socket.on("error", () => {});
    await once(socket, "connect");
    socket.resetAndDestroy();
  }));
  assert.equal(await status(server), 200);
  assert.ok(performance.now() - before < SOON_MS, "each of them was waited for");
});

test("a flood of connections does not take the last file descriptor", async () => {
  const { command, args: [run = "", ...args] } = serverCommand();
  const serve = [run, "--allow-net", "--allow-write", ...args, "serve", "--http", "--port", "0"];
  const few = ["-c", 'ulimit -n 220; exec "$0" "$@"', command, ...serve];
  await using server = await HttpServer.spawn({ command: "/bin/sh", args: few });
  const flood = await Promise.all(Array.from({ length: 200 }, () => RawClient.connect(server, HEALTH)));
  await server.logged(/too few file descriptors/);
  for (const client of flood) client[Symbol.dispose]();
  await served(server);
});
