/** What serves the page, without a browser: who gets it, under which policy, and whose requests are refused. */

import assert from "node:assert/strict";
import { UNDER_TEST } from "../support/harness.ts";
import { type HttpServer, initialize, refusal } from "../support/http_harness.ts";
import { sharedHttpServer } from "../support/shared.ts";

const BROWSER = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };
const TOKENS = { tokens: { alice: "alice-token-0123456789" } };

function sourceTest(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ignore: UNDER_TEST !== "source", fn });
}

/** The status of a request whose Host is not the server's address, as `fetch` sends none. */
async function statusOf(server: HttpServer, head: string, body = ""): Promise<number> {
  const headers = `${head}\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`;
  using connection = await server.raw(headers + body);
  const buffer = new Uint8Array(4096);
  const answer = new TextDecoder().decode(buffer.subarray(0, await connection.read(buffer) ?? 0));
  return Number(/^HTTP\/1.1 (\d+)/.exec(answer)?.[1]);
}

/** An initialize of a page. */
async function initializes(server: HttpServer, host: string, origin: string, more = ""): Promise<number> {
  const head =
    `POST /mcp HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\nContent-Type: application/json\r\n` +
    `Accept: application/json, text/event-stream${more}`;
  return await statusOf(server, head, JSON.stringify(initialize()));
}

async function text(server: HttpServer, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(new URL(path, server.url), { headers });
  return { status: response.status, headers: response.headers, body: await response.text() };
}

sourceTest(
  "a browser that asks for / gets the page, a program the facts, and both tell nothing of anyone",
  async () => {
    const server = await sharedHttpServer({ auth: TOKENS });
    const page = await text(server, "/", BROWSER);
    assert.equal(page.status, 200);
    assert.match(page.headers.get("content-type")!, /^text\/html/);
    assert.match(page.headers.get("vary")!, /accept/);
    const facts = JSON.parse((await text(server, "/")).body);
    assert.deepEqual([facts.server, facts.endpoint], ["wasmbox", "/mcp"]);
    const script = await text(server, "/page/page.js");
    const again = await text(server, "/page/page.js", { "if-none-match": script.headers.get("etag")! });
    assert.deepEqual([script.status, again.status, again.body], [200, 304, ""]);
    assert.equal(
      (await text(server, "/page/page.css", { "accept-encoding": "identity" })).body.slice(0, 5),
      ":root",
    );
    for (
      const path of ["/page/none.js", "/page/", "/page/page.js.gz", "/page/..%2fmcp.toml", "/page/__proto__"]
    ) {
      assert.equal((await text(server, path)).status, 404, path);
    }
  },
);

sourceTest(
  "the page's policy lets in no script but its own file, and the display's none at all unless it is asked to",
  async () => {
    const server = await sharedHttpServer();
    const first = await text(server, "/", BROWSER);
    const policy = first.headers.get("content-security-policy")!;
    for (
      const said of [
        "default-src 'none'",
        "script-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'none'",
      ]
    ) {
      assert.ok(policy.split("; ").includes(said), said);
    }
    assert.doesNotMatch(policy, /unsafe/);
    const nonce = /nonce-([^']+)'/.exec(policy)![1]!;
    assert.ok(first.body.includes(`nonce="${nonce}"`));
    assert.ok(!(await text(server, "/", BROWSER)).headers.get("content-security-policy")!.includes(nonce));
    assert.doesNotMatch(first.body, /<script(?![^>]*\ssrc=)|\son\w+=/);

    const still = (await text(server, "/page/display.html")).headers.get("content-security-policy")!;
    assert.match(still, /^sandbox allow-scripts; default-src 'none'; script-src 'sha256-[\w+/=]+';/);
    assert.doesNotMatch(still, /connect-src|allow-same-origin/);
  },
);

sourceTest("without the key there is no page, and nothing of it", async () => {
  const server = await sharedHttpServer({ page: false });
  assert.match((await text(server, "/", BROWSER)).headers.get("content-type")!, /^application\/json/);
  assert.equal((await text(server, "/page/page.js")).status, 404);
});

sourceTest(
  "a page of another origin, a rebound name, or a form can't use the endpoint by way of the page",
  async () => {
    const open = await sharedHttpServer();
    const { port } = open.url;
    const asks = async (headers: Record<string, string>) =>
      await refusal(await open.post(initialize(), headers));
    for (
      const origin of [
        "https://evil.example",
        "null",
        "http://localhost.evil.example",
        `http://evil.example:${port}`,
      ]
    ) {
      assert.deepEqual((await asks({ origin })).status, 403, origin);
    }
    assert.equal(await initializes(open, `evil.example:${port}`, `http://evil.example:${port}`), 403);
    assert.equal(await statusOf(open, "GET / HTTP/1.1\r\nHost: evil.example\r\nAccept: text/html"), 403);
    assert.equal(await initializes(open, `localhost:${port}`, `http://localhost:${port}`), 200);
    for (
      const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]
    ) {
      const { status } = await asks({ "content-type": type });
      assert.ok(status === 415 || status === 400, `${type}: ${status}`);
    }
    const preflight = await fetch(open.url, {
      method: "OPTIONS",
      headers: { origin: "http://localhost:1", "access-control-request-method": "POST" },
    });
    await preflight.body?.cancel();
    assert.equal(preflight.headers.get("access-control-allow-origin"), null);
  },
);

sourceTest(
  "the page may call under any name that the server answers to, with the token and not without",
  async () => {
    const server = await sharedHttpServer({ auth: TOKENS, publicUrl: "https://wasmbox.example/mcp" });
    const [host, origin] = ["wasmbox.example", "https://wasmbox.example"];
    const token = `\r\nAuthorization: Bearer ${TOKENS.tokens.alice}`;
    assert.equal(await initializes(server, host, origin, token), 200);
    assert.equal(await initializes(server, host, origin), 401);
    // A proxy may have its own idea of Host; the browser's Origin is what people see.
    assert.equal(await initializes(server, "localhost", origin, token), 200);
    assert.equal(await initializes(server, host, "https://evil.example", token), 403);
    const without = await sharedHttpServer({
      auth: TOKENS,
      publicUrl: "https://wasmbox.example/mcp",
      page: false,
    });
    assert.equal(await initializes(without, host, origin, token), 403);
  },
);
