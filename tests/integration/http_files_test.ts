/** Files of sessions over HTTP: `/files/{session}/{path}`. */

import assert from "node:assert/strict";
import { eventually, inTime } from "../support/eventually.ts";
import { childrenOf, UNDER_TEST } from "../support/harness.ts";
import { HttpServer, refusal } from "../support/http_harness.ts";

const TOKENS = { alice: "alice-token-0123456789", bob: "bob-token-0123456789abc" };
const AUTH = { authorization: `Bearer ${TOKENS.alice}` };
const MB = 1_000_000;

/** What comes first of an answer: its status and headers, and a short body. */
async function answer(connection: Deno.TcpConn): Promise<string> {
  const buffer = new Uint8Array(4096);
  const read = await inTime("the request is answered", connection.read(buffer));
  connection.close();
  return new TextDecoder().decode(buffer.subarray(0, read ?? 0));
}

/** A body that is made as it is sent, and waits wherever it is told to. */
function body(pieces: Iterable<Uint8Array | Promise<unknown>>) {
  const all = pieces[Symbol.iterator]();
  let sent = 0;
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (;;) {
        const next = all.next();
        if (next.done) return controller.close();
        if (next.value instanceof Uint8Array) {
          sent += next.value.length;
          return controller.enqueue(next.value);
        }
        await next.value;
      }
    },
  }, { highWaterMark: 0 });
  return { stream, sent: () => sent };
}

function* zeros(bytes: number): Generator<Uint8Array> {
  const piece = new Uint8Array(100_000);
  for (let at = 0; at < bytes; at += piece.length) yield piece;
}

Deno.test("files over HTTP", { ignore: UNDER_TEST !== "source" }, async (t) => {
  await using server = await HttpServer.start(
    { auth: { tokens: TOKENS }, requestTimeoutMs: 10_000 }, // bodies wait for what is done meanwhile
    { workspaceBytes: 10 * MB },
  );
  await using alice = await server.connect({ token: TOKENS.alice });
  await alice.call("create_session", { session_id: "work" });
  const at = (path: string, session = "work") => new URL(`/files/${session}/${path}`, server.url);
  const put = (path: string, body: BodyInit, headers: Record<string, string> = {}) =>
    fetch(at(path), { method: "PUT", body, headers: { ...AUTH, ...headers } });
  const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
    fetch(at(path), { method, headers: { ...AUTH, ...headers } });
  const status = async (response: Response) => {
    await response.body?.cancel();
    return response.status;
  };
  const names = async (client = alice) => {
    const { structured } = await client.call("list_files", { session_id: "work", recursive: true });
    return (structured["entries"] as { path: string }[]).map((entry) => entry.path);
  };

  await t.step("go up, are seen by code, and come down, in whole and in parts", async () => {
    const bytes = crypto.getRandomValues(new Uint8Array(60_000));
    const large = new Uint8Array(3 * MB).map((_, index) => bytes[index % bytes.length]!);
    const made = await put("data/big.bin", large);
    assert.equal(made.status, 201);
    assert.deepEqual(await made.json(), {
      session_id: "work",
      path: "data/big.bin",
      uri: "workspace://work/data/big.bin",
      size: large.length,
      created: true,
    });
    const seen = await alice.call("execute_command", { session_id: "work", command: "wc -c < data/big.bin" });
    assert.match(String(seen.structured["stdout"]), /3000000/);
    const whole = await get("data/big.bin");
    assert.equal(whole.headers.get("content-length"), String(large.length));
    assert.deepEqual(new Uint8Array(await whole.arrayBuffer()), large);
    for (
      const [range, start, end] of [
        ["bytes=0-0", 0, 1],
        ["bytes=1000000-2000000", MB, 2 * MB + 1],
        ["bytes=2999990-", 2_999_990, 3 * MB],
        ["bytes=-5", 2_999_995, 3 * MB],
        ["bytes=2999999-9999999", 2_999_999, 3 * MB],
      ] as const
    ) {
      const part = await get("data/big.bin", { range });
      assert.equal(part.status, 206, range);
      assert.equal(part.headers.get("content-range"), `bytes ${start}-${end - 1}/${large.length}`);
      assert.deepEqual(new Uint8Array(await part.arrayBuffer()), large.slice(start, end));
    }
    const beyond = await get("data/big.bin", { range: "bytes=3000000-" });
    assert.equal(beyond.headers.get("content-range"), "bytes */3000000");
    assert.equal(await status(beyond), 416);
    assert.equal(await status(await get("data/big.bin", { range: "bytes=0-1,5-6" })), 200);
    const head = await get("data/big.bin", {}, "HEAD");
    assert.deepEqual([head.status, head.headers.get("content-length")], [200, "3000000"]);
    assert.equal(await status(await get("data/big.bin", {}, "DELETE")), 204);
    assert.equal(await status(await get("data/big.bin")), 404);
  });

  await t.step("have tags that change with their contents, and conditions are kept", async () => {
    const first = (await put("note.txt", "one")).headers.get("etag")!;
    assert.equal(await status(await get("note.txt", { "if-none-match": first })), 304);
    assert.equal(await status(await put("note.txt", "x", { "if-none-match": "*" })), 412);
    const second = (await put("note.txt", "two", { "if-match": first })).headers.get("etag")!;
    assert.notEqual(second, first);
    assert.equal(await status(await put("note.txt", "three", { "if-match": first })), 412);
    assert.equal(await (await get("note.txt", { "if-none-match": first })).text(), "two");
    assert.equal(await (await get("note.txt", { range: "bytes=0-0", "if-range": first })).text(), "two");
    assert.equal(await (await get("note.txt", { range: "bytes=0-0", "if-range": second })).text(), "t");
  });

  await t.step("never run as a page of this server", async () => {
    for (const name of ["x.html", "x.svg", "x.xml", "x", "x.js", "x.pdf"]) {
      await status(await put(name, "<script>alert(1)</script>"));
      const { headers, body } = await get(name);
      await body?.cancel();
      assert.match(headers.get("content-disposition") ?? "", /^attachment;/, name);
      assert.equal(headers.get("x-content-type-options"), "nosniff");
      assert.match(headers.get("content-security-policy") ?? "", /sandbox/);
    }
    await status(await put(encodeURIComponent('evil " name.png'), "png"));
    const { headers, body } = await get(encodeURIComponent('evil " name.png'));
    await body?.cancel();
    assert.equal(
      headers.get("content-disposition"),
      `inline; filename="evil _ name.png"; filename*=UTF-8''evil%20%22%20name.png`,
    );
  });

  await t.step("may have any name, and no path leads elsewhere", async () => {
    const odd = ["a b.txt", "ü€😀.txt", "100%.txt", "?#&+=.txt", "'(*)!.txt", "~$`|.txt", "..."];
    for (const name of odd) {
      const path = `odd/${encodeURIComponent(name)}`;
      assert.equal(await status(await put(path, name)), 201, name);
      assert.equal(await (await get(path)).text(), name);
    }
    assert.deepEqual(
      (await names()).filter((name) => name.startsWith("odd/")).sort(),
      odd.map((n) => `odd/${n}`).sort(),
    );
    const bad = [
      "%00",
      "a%00b",
      "%ff",
      "..%2fx",
      "..%2f..%2fetc%2fpasswd",
      "a%2f..%2fb",
      "a//b",
      "%2e%2e%2fx",
    ];
    for (const path of bad) {
      assert.equal((await refusal(await get(path))).error, "INVALID_PATH", path);
      assert.equal((await refusal(await put(path, "x"))).error, "INVALID_PATH", path);
    }
    for (
      const path of [
        "/files/work/../../etc/passwd",
        "/files/work/%2e%2e/%2e%2e/etc/passwd",
        "/files/",
        "/files/work",
        "/files/work/",
      ]
    ) {
      const connection = await server.raw(
        `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: ${AUTH.authorization}\r\nconnection: close\r\n\r\n`,
      );
      assert.match(await answer(connection), /^HTTP\/1.1 404 /, path);
    }
    assert.equal(await status(await get("odd")), 409);
    assert.equal(await status(await put("odd", "x")), 409);
    assert.equal(await status(await get("odd", {}, "DELETE")), 409);
    assert.equal(await status(await get("odd?recursive=true", {}, "DELETE")), 204);
    assert.equal(await status(await get("x", {}, "POST")), 405);
  });

  await t.step("of another principal, or of no session, are not there", async () => {
    for (const method of ["GET", "PUT", "DELETE"]) {
      const theirs = { authorization: `Bearer ${TOKENS.bob}` };
      const stranger = await fetch(at("note.txt"), { method, headers: theirs });
      const nowhere = await fetch(at("note.txt", "nowhere"), { method, headers: AUTH });
      const [one, other] = [await refusal(stranger), await refusal(nowhere)];
      assert.deepEqual([one.status, one.error], [404, "SESSION_NOT_FOUND"]);
      assert.deepEqual([other.status, other.error], [404, "SESSION_NOT_FOUND"]);
      assert.equal(await status(await fetch(at("note.txt"), { method })), 401);
      const page = await fetch(at("note.txt"), {
        method,
        headers: { ...AUTH, origin: "https://evil.example" },
      });
      assert.equal(await status(page), 403);
    }
    assert.equal(await (await get("note.txt")).text(), "two");
  });

  await t.step("of 100 MB are refused before they have arrived, and leave nothing", async () => {
    const before = await names();
    const declared = await server.raw(
      `PUT /files/work/huge HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: ${AUTH.authorization}\r\ncontent-length: 100000000\r\n\r\n`,
    );
    assert.match(await answer(declared), /^HTTP\/1.1 413 [^]*WORKSPACE_FULL/);
    const { stream, sent } = body(zeros(100 * MB));
    // The connection may end before the answer is read.
    const refused = (name: string, content: BodyInit) => put(name, content).then(status, () => 413);
    assert.equal(await refused("huge", stream), 413);
    assert.ok(sent() < 40 * MB, `${sent()} bytes were sent`);
    assert.equal(await refused("note.txt", new Uint8Array(11 * MB)), 413);
    assert.equal(await (await get("note.txt")).text(), "two");
    assert.deepEqual(await names(), before);
  });

  await t.step("whose sender goes away half-way, or is too slow, leave nothing", async () => {
    const gone = new AbortController();
    const half = body([...zeros(6 * MB), new Promise(() => {})]);
    const upload = fetch(at("half"), {
      method: "PUT",
      headers: AUTH,
      body: half.stream,
      signal: gone.signal,
    });
    await status(await get("note.txt"));
    gone.abort();
    await assert.rejects(upload);
    const whole = async () => await status(await put("whole", new Uint8Array(9 * MB)));
    assert.equal(await eventually("what was staged is forgotten", whole, (seen) => seen !== 413), 201);
    await status(await get("whole", {}, "DELETE"));
    await using hasty = await HttpServer.start({ auth: { tokens: TOKENS }, requestTimeoutMs: 1000 });
    await using client = await hasty.connect({ token: TOKENS.alice });
    await client.call("create_session", { session_id: "work" });
    const slow = await hasty.raw(
      `PUT /files/work/slow HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: ${AUTH.authorization}\r\ncontent-length: 100\r\n\r\nx`,
    );
    assert.match(await answer(slow), /^HTTP\/1.1 408 /);
    assert.deepEqual(await names(client), []);
    assert.ok(!(await names()).includes("half"));
  });

  await t.step("at the same time are each one of what was sent", async () => {
    const contents = [1, 2, 3, 4].map((value) => new Uint8Array(MB).fill(value));
    const statuses = await Promise.all(
      contents.map(async (bytes) => await status(await put("contested", bytes))),
    );
    assert.deepEqual(statuses.sort(), [200, 200, 200, 201]);
    const found = new Uint8Array(await (await get("contested")).arrayBuffer());
    assert.equal(found.length, MB);
    assert.ok(found.every((byte) => byte === found[0]));
  });

  await t.step("whose process is killed while they go up are there as a whole or not at all", async () => {
    await status(await put("kept", "kept"));
    const killed = Promise.withResolvers<void>();
    const upload = put("victim", body([...zeros(4 * MB), killed.promise, ...zeros(MB)]).stream);
    await status(await get("kept"));
    for (const pid of childrenOf(server.child.pid)) Deno.kill(pid, "SIGKILL");
    killed.resolve();
    const outcome = await status(await upload);
    assert.ok([201, 503].includes(outcome), String(outcome));
    const there = await get("victim", {}, "HEAD");
    assert.deepEqual(
      [there.status, there.headers.get("content-length")],
      outcome === 201 ? [200, String(5 * MB)] : [404, there.headers.get("content-length")],
    );
    assert.equal(await (await get("kept")).text(), "kept");
  });
});
