/** What is a request and what is not: where two readers of HTTP could disagree, the server asks for no second opinion. */

import assert from "node:assert/strict";
import { UNDER_TEST } from "../support/harness.ts";
import { HttpServer, initialize } from "../support/http_harness.ts";
import { get, post, RawClient } from "../../src/selftest/raw_http.ts";

function test(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ignore: UNDER_TEST !== "source", fn });
}

const HEALTH = get("/health");
/** A body that is no JSON-RPC, so that its answer is short. */
const SEVEN = `7`;

test("what could be taken for two different requests is refused, and nothing behind it is answered", async () => {
  await using server = await HttpServer.start();
  const cases: [string, string, number][] = [
    [
      "a length and chunks",
      post(`0\r\n\r\n${HEALTH}`, "Content-Length: 4", "Transfer-Encoding: chunked"),
      400,
    ],
    [
      "chunks and a length",
      post(`0\r\n\r\n${HEALTH}`, "Transfer-Encoding: chunked", "Content-Length: 4"),
      400,
    ],
    ["two lengths", post(SEVEN, "Content-Length: 1", "content-length: 2"), 400],
    ["the same length twice", post(SEVEN, "Content-Length: 1", "Content-Length: 1"), 400],
    ["a list of lengths", post(SEVEN, "Content-Length: 1, 1"), 400],
    ["a signed length", post(SEVEN, "Content-Length: +1"), 400],
    ["a hexadecimal length", post(SEVEN, "Content-Length: 0x1"), 400],
    ["a length of nothing", post(SEVEN, "Content-Length:"), 400],
    ["a length in no-break spaces", post(SEVEN, "Content-Length: \xa01"), 400],
    ["an unknown coding", post("0\r\n\r\n", "Transfer-Encoding: xchunked"), 501],
    ["two codings", post("0\r\n\r\n", "Transfer-Encoding: gzip, chunked"), 501],
    ["chunked twice", post("0\r\n\r\n", "Transfer-Encoding: chunked", "Transfer-Encoding: chunked"), 400],
    ["chunks in HTTP/1.0", post("0\r\n\r\n", "Transfer-Encoding: chunked").replace("1.1", "1.0"), 400],
    ["a space before the colon", post(SEVEN, "Content-Length : 1"), 400],
    ["a header that goes on", get("/health", "X: a", " Content-Length: 5"), 400],
    ["a header without a name", get("/health", ": a"), 400],
    ["a header without a colon", get("/health", "X"), 400],
    ["lines that end in LF", "GET /health HTTP/1.1\nHost: localhost\n\n", 400],
    ["one line that ends in LF", `GET /health HTTP/1.1\r\nX: a\nContent-Length: 5\r\n\r\n`, 400],
    ["a CR inside of a header", get("/health", "X: a\rContent-Length: 5"), 400],
    ["a NUL inside of a header", get("/health", "X: a\0b"), 400],
    ["a GET with a body", get("/health", `Content-Length: ${HEALTH.length}`), 400],
    ["a HEAD with chunks", get("/health", "Transfer-Encoding: chunked").replace("GET", "HEAD"), 400],
    ["two hosts", get("/health", "Host: evil.example"), 400],
    ["two spaces", get("/health").replace(" ", "  "), 400],
    ["a target with a space", get("/health /x"), 400],
    ["no target", "GET HTTP/1.1\r\nHost: localhost\r\n\r\n", 400],
    ["HTTP/0.9", "GET /health\r\n\r\n", 400],
    ["HTTP/1.2", get("/health").replace("1.1", "1.2"), 505],
    ["HTTP/2 with prior knowledge", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0", 505],
    ["TLS", "\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03", 400],
  ];
  await Promise.all(cases.map(async ([what, request, status]) => {
    using client = await RawClient.connect(server, request + HEALTH);
    const answer = await client.answer();
    const body = answer.status === 200 ? undefined : JSON.parse(answer.body);
    assert.deepEqual([what, answer.status, body?.error.data.error_code], [what, status, "INVALID_REQUEST"]);
    assert.deepEqual([what, await client.rest()], [what, ""]); // and the connection is closed
  }));
  using served = await RawClient.connect(server, HEALTH);
  assert.equal((await served.answer()).status, 200);
});

test("where connections are not bounded, two lengths are refused as well", async () => {
  await using server = await HttpServer.start({ boundConnections: false });
  const request = post("0\r\n\r\n", "Content-Length: 5", "Transfer-Encoding: chunked", "Connection: close");
  using client = await RawClient.connect(server, request + HEALTH);
  assert.equal((await client.answer()).status, 400);
  assert.equal(await client.rest(), "");
});

test("a head that is too large is refused, whatever it consists of", async () => {
  await using server = await HttpServer.start({ maxUrlBytes: 1000, maxHeaderBytes: 2000 });
  const large = [
    get(`/${"x".repeat(200_000)}`),
    get("/health", `X: ${"x".repeat(200_000)}`),
    get("/health", ...Array<string>(50_000).fill("X: y")),
    `${"G".repeat(200_000)} / HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    "G".repeat(5000), // and no more
  ];
  for (const request of large) {
    using client = await RawClient.connect(server, request);
    const { status, body } = await client.answer();
    assert.deepEqual([status, JSON.parse(body).error.data.error_code], [431, "PAYLOAD_TOO_LARGE"]);
    assert.equal(await client.rest(), "");
  }
});

test("however requests are cut into pieces, and whatever was sent ahead, they are answered in their order", async () => {
  await using server = await HttpServer.start();
  const chunks = (text: string) =>
    [...text].map((character) => `01; a="b"\r\n${character}\r\n`).join("") + "0\r\n\r\n";
  const body = JSON.stringify(initialize());
  const requests = [
    get("/none/1"),
    post(body, `Content-Length: ${body.length}`, "Accept: application/json, text/event-stream"),
    `\r\n${
      get("/none/2", "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk")
    }`,
    post(chunks(body), "Transfer-Encoding: Chunked", "Accept: application/json, text/event-stream"),
    get("http://localhost/none/3"),
    post(SEVEN, "content-LENGTH:1  "),
    get("/none/4"),
    post("1\r\n7\r\n0\r\nx-trailer: y\r\n\r\n", "Transfer-Encoding: chunked", "Connection: close"),
  ];
  const text = requests.join("");
  for (const size of [text.length, 1000, 7, 1]) {
    using client = await RawClient.connect(server);
    const sending = (async () => {
      for (let at = 0; at < text.length; at += size) await client.send(text.slice(at, at + size));
    })();
    const said: string[] = [];
    for (const _ of requests) {
      const { status, body } = await client.answer();
      said.push(`${status} ${/protocolVersion|\/none\/\d/.exec(body)}`);
    }
    await sending;
    assert.deepEqual(said, [
      "404 /none/1",
      "200 protocolVersion",
      "404 /none/2",
      "200 protocolVersion",
      "404 /none/3",
      "400 null",
      "404 /none/4",
      "400 null",
    ]);
    assert.equal(await client.rest(), "");
  }
});

test("chunks that are not what they say end their connection", async () => {
  await using server = await HttpServer.start();
  const cases = {
    "a line that ends in LF": "2\n{}\n0\n\n",
    "a chunk longer than its size": "2\r\n{}}\r\n0\r\n\r\n",
    "an invalid size": "-2\r\n{}\r\n0\r\n\r\n",
    "a size with a prefix": "0x2\r\n{}\r\n0\r\n\r\n",
    "a size beyond all measure": "fffffffffffffffff\r\n{}\r\n0\r\n\r\n",
    "an endless extension": `2;${"x".repeat(100_000)}`,
    "an invalid trailer": "2\r\n{}\r\n0\r\nGET /health HTTP/1.1\r\n\r\n",
    "too many trailers": `2\r\n{}\r\n0\r\n${"x: y\r\n".repeat(10_000)}`,
  };
  await Promise.all(
    Object.entries(cases).map(async ([what, chunks]) => {
      using client = await RawClient.connect(server, post(chunks, "Transfer-Encoding: chunked") + HEALTH);
      const rest = await client.rest();
      assert.doesNotMatch(rest, /"status":"ok"/, what);
    }),
  );
});

test("who sends too much is still told why", async () => {
  await using server = await HttpServer.start({ maxBodyBytes: 1000 });
  const body = "x".repeat(1_000_000);
  for (const headers of [[`Content-Length: ${body.length}`], ["Transfer-Encoding: chunked"]]) {
    using client = await RawClient.connect(server);
    const sent = headers[0]!.startsWith("T") ? `${body.length.toString(16)}\r\n${body}\r\n` : body;
    const sending = client.send(post(sent, ...headers)).catch(() => {}); // closed before the end
    assert.equal((await client.answer()).status, 413);
    await sending;
  }
});
