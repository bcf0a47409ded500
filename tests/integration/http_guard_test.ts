/** Requests that are not served: each with its status, its error object, and the server unharmed. */

import assert from "node:assert/strict";
import type { HttpOptions } from "../../src/config/http_options.ts";
import { eventually, inTime } from "../support/eventually.ts";
import { UNDER_TEST } from "../support/harness.ts";
import { type HttpServer, initialize, refusal } from "../support/http_harness.ts";
import { sharedHttpServer } from "../support/shared.ts";

const PING = { jsonrpc: "2.0", id: 1, method: "ping" };

/** A server with these options that must still serve a client afterwards. */
function test(name: string, options: Partial<HttpOptions>, fn: (server: HttpServer) => Promise<void>): void {
  Deno.test({
    name,
    ignore: UNDER_TEST !== "source",
    fn: async () => {
      const server = await sharedHttpServer(options);
      await fn(server);
      await using client = await server.connect();
      assert.equal((await client.javascript("1 + 1")).result, "2");
    },
  });
}

/** Waits until the server closes a connection. */
async function closed(connection: Deno.TcpConn): Promise<void> {
  await inTime("the server closes the connection", Array.fromAsync(connection.readable));
}

/** The status line of a request sent as bytes. */
async function statusOf(server: HttpServer, request: string): Promise<string> {
  using connection = await server.raw(request);
  const buffer = new Uint8Array(4096);
  const read = await inTime("the request is answered", connection.read(buffer));
  return new TextDecoder().decode(buffer.subarray(0, read ?? 0)).split("\r\n")[0]!;
}

test(
  "a body that is too large is refused, declared or not, before it is parsed",
  { maxBodyBytes: 1000 },
  async (server) => {
    const large = JSON.stringify({ ...PING, params: { padding: "x".repeat(2000) } });
    const declared = await refusal(await server.post(large));
    assert.deepEqual([declared.status, declared.error], [413, "PAYLOAD_TOO_LARGE"]);
    const streamed = await fetch(server.url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: new Blob([large]).stream(),
    });
    assert.deepEqual(await refusal(streamed).then(({ status, error }) => [status, error]), [
      413,
      "PAYLOAD_TOO_LARGE",
    ]);
    const small = await fetch(server.url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: new Blob([JSON.stringify(initialize())]).stream(),
    });
    await small.text();
    assert.equal(small.status, 200);
  },
);

test("bodies that are no JSON-RPC are refused", {}, async (server) => {
  const cases: [string, string, Record<string, string>, number, number][] = [
    ["broken JSON", "{", {}, 400, -32700],
    ["nothing", "", {}, 400, -32700],
    ["not UTF-8", '"\ud800"', { "content-encoding": "gzip" }, 415, -32000],
    ["deep JSON", "[".repeat(100_000) + "]".repeat(100_000), {}, 400, -32600],
    ["deep JSON behind a string", `{"a":"\\"]]","b":${"[".repeat(200)}${"]".repeat(200)}}`, {}, 400, -32600],
    ["a number", "7", {}, 400, -32600],
    ["null", "null", {}, 400, -32600],
    ["a request without a session", JSON.stringify(PING), {}, 400, -32000],
    ["no type", JSON.stringify(initialize()), { "content-type": "" }, 415, -32000],
    ["plain text", JSON.stringify(initialize()), { "content-type": "text/plain" }, 415, -32000],
    [
      "a form",
      JSON.stringify(initialize()),
      { "content-type": "application/x-www-form-urlencoded" },
      415,
      -32000,
    ],
    ["no event stream accepted", JSON.stringify(initialize()), { accept: "application/json" }, 406, -32000],
    ["an unknown session", JSON.stringify(PING), { "mcp-session-id": "none" }, 404, -32001],
    ["a bad id", JSON.stringify({ ...initialize(), id: {} }), {}, 400, -32600],
  ];
  for (const [what, body, headers, status, code] of cases) {
    const got = await refusal(await server.post(body, headers));
    assert.deepEqual([what, got.status, got.code], [what, status, code]);
    assert.match(got.error ?? "", /^(INVALID_REQUEST|SESSION_NOT_FOUND)$/, what);
  }
  const version = { ...initialize(), params: { ...initialize().params, protocolVersion: 7 } };
  assert.equal((await refusal(await server.post(version))).status, 400);
});

test("a body with brackets inside of strings is not deep", { maxBodyDepth: 5 }, async (server) => {
  const text = `${"[".repeat(50)}\\" {{{{{{{{`;
  const response = await server.post({ ...initialize(), id: text });
  await response.text();
  assert.equal(response.status, 200);
});

test("wrong methods and paths are refused", {}, async (server) => {
  for (const method of ["PUT", "PATCH", "HEAD"]) {
    const response = await fetch(server.url, { method });
    await response.body?.cancel();
    assert.deepEqual([method, response.status], [method, 405]);
    assert.match(response.headers.get("allow") ?? "", /POST/);
  }
  for (
    const path of [
      "/mcp/x",
      "/sse",
      "/messages",
      "/%2e%2e/etc/passwd",
      "/.well-known/oauth-protected-resource",
    ]
  ) {
    const got = await refusal(await fetch(new URL(path, server.url)));
    assert.deepEqual([path, got.status, got.error], [path, 404, "NOT_FOUND"]);
  }
  const unknown = await refusal(await fetch(server.url, { headers: { accept: "text/event-stream" } }));
  assert.equal(unknown.status, 400);
});

test(
  "long URLs and large headers are refused",
  { maxUrlBytes: 500, maxHeaderBytes: 2000 },
  async (server) => {
    const url = await refusal(await fetch(new URL(`/mcp?${"x".repeat(600)}`, server.url)));
    assert.deepEqual([url.status, url.error], [414, "PAYLOAD_TOO_LARGE"]);
    const headers = await refusal(await server.post(initialize(), { "x-padding": "x".repeat(2500) }));
    assert.deepEqual([headers.status, headers.error], [431, "PAYLOAD_TOO_LARGE"]);
    assert.match(
      await statusOf(server, `GET /mcp HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(200_000)}\r\n\r\n`),
      / 431 /,
    );
  },
);

test(
  "requests under a foreign name are refused: a page can't rebind its name to this server",
  {},
  async (server) => {
    const ask = (host: string, target = "/none") =>
      statusOf(server, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    for (const host of ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80"]) {
      assert.match(await ask(host), / 403 /, host);
    }
    for (const host of ["", "evil.example@localhost", "localhost:x", "localhost/../mcp?", "a b", "[::1"]) {
      assert.match(await ask(host), / 400 /, host);
    }
    assert.match(await ask("localhost", "http://evil.example/mcp"), / 403 /);
    assert.match(await statusOf(server, "GET /mcp HTTP/1.1\r\n\r\n"), / 400 /);
    assert.match(
      await statusOf(server, "GET /mcp HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n"),
      / 400 /,
    );
    for (const host of ["localhost", "127.0.0.1:80", "[::1]:9"]) assert.match(await ask(host), / 404 /, host);
  },
);

test(
  "pages of other origins are refused, unless listed",
  { corsOrigins: ["https://app.example"] },
  async (server) => {
    for (
      const origin of [
        "https://evil.example",
        "null",
        "https://app.example.evil.example",
        "http://app.example",
      ]
    ) {
      const got = await refusal(await server.post(initialize(), { origin }));
      assert.deepEqual([origin, got.status, got.error], [origin, 403, "FORBIDDEN"]);
    }
    const preflight = await fetch(server.url, {
      method: "OPTIONS",
      headers: { origin: "https://app.example", "access-control-request-method": "POST" },
    });
    await preflight.body?.cancel();
    assert.equal(preflight.headers.get("access-control-allow-origin"), "https://app.example");
    assert.match(preflight.headers.get("access-control-allow-headers") ?? "", /Mcp-Session-Id/);
    const served = await server.post(initialize(), { origin: "https://app.example" });
    await served.text();
    assert.equal(served.headers.get("access-control-allow-origin"), "https://app.example");
    assert.match(served.headers.get("access-control-expose-headers") ?? "", /Mcp-Session-Id/);
    const local = await server.post(initialize(), { origin: "http://localhost:3000" });
    await local.text();
    assert.deepEqual([local.status, local.headers.get("access-control-allow-origin")], [200, null]);
  },
);

test(
  "who calls too often is told when to try again",
  { ratePerPrincipal: { requests: 5, perMs: 5000 } },
  async (server) => {
    const all = await Promise.all(Array.from({ length: 8 }, () => server.post(PING).then(refusal)));
    const limited = all.filter((got) => got.status === 429);
    assert.equal(limited.length, 3);
    assert.equal(limited[0]?.error, "RATE_LIMITED");
    assert.match(limited[0]?.retryAfter ?? "", /^[1-5]$/);
    await eventually(
      "its calls are served again",
      async () => (await refusal(await server.post(PING))).status,
      (status) => status !== 429,
    );
  },
);

test("requests beyond the bound of what is answered at once are refused for now", {
  maxConcurrentRequests: 2,
}, async (server) => {
  const session = await server.post(initialize());
  await session.text();
  const headers = { "mcp-session-id": session.headers.get("mcp-session-id")! };
  const streams = [new AbortController(), new AbortController()];
  const code = {
    name: "execute_code",
    arguments: { code: "for (;;);", language: "javascript", timeout: 60 },
  };
  for (const [index, { signal }] of streams.entries()) {
    await server.post({ jsonrpc: "2.0", id: index, method: "tools/call", params: code }, headers, signal);
  }
  const got = await refusal(await server.post(PING, headers));
  assert.deepEqual([got.status, got.error, got.retryAfter], [503, "SERVER_BUSY", "1"]);
  for (const stream of streams) stream.abort();
  const end = async () => {
    const response = await fetch(server.url, { method: "DELETE", headers });
    await response.body?.cancel();
    return response.status;
  };
  assert.equal(await eventually("there is room again", end, (status) => status !== 503), 200);
});

test("a body that does not arrive in time is refused", { requestTimeoutMs: 2000 }, async (server) => {
  const head =
    "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{";
  assert.match(await statusOf(server, head), / 408 /);
});

test("connections that send no whole request are closed", { connectionIdleMs: 300 }, async (server) => {
  const beginnings = [
    "",
    "POST",
    "POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
    "GET /none HTTP/1.1\r\nHost: localhost\r\n\r\n",
  ];
  await Promise.all(beginnings.map(async (beginning) => {
    using connection = await server.raw(beginning);
    await closed(connection);
  }));
});

test("a request that comes byte by byte is cut off, and others are served meanwhile", {
  connectionIdleMs: 500,
}, async (server) => {
  using connection = await server.raw("POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
  let cut = false;
  const dripping = (async () => {
    try {
      for (;; await server.post(PING).then(refusal)) await connection.write(new Uint8Array([0x78]));
    } catch {
      cut = true; // the server has closed it
    }
  })();
  await closed(connection);
  await inTime("the next byte is refused", dripping);
  assert.ok(cut);
});

test(
  "500 idle and slow connections don't keep others from being served",
  { maxConnectionsPerAddress: 502 },
  async (server) => {
    const slow = Array.from(
      { length: 500 },
      (_, index) => server.raw(index % 2 ? "" : "POST /mcp HTTP/1.1\r\nHost: loc"),
    );
    const connections = await Promise.all(slow);
    {
      await using client = await server.connect({ stateless: true });
      assert.equal((await client.javascript("'served'")).result, "'served'");
    }
    const more = await Promise.all(
      Array.from({ length: 3 }, () => statusOf(server, "GET /none HTTP/1.1\r\nHost: localhost\r\n\r\n")),
    );
    assert.ok(more.some((line) => / 503 /.test(line)), more.join());
    for (const connection of connections) connection.close();
    await eventually(
      "there is room again",
      () => statusOf(server, "GET /none HTTP/1.1\r\nHost: localhost\r\n\r\n"),
      (line) => !/ 503 /.test(line),
    );
  },
);
