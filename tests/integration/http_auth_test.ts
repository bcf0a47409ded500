/** Who may call: static tokens, JSON Web Tokens, and where the server refuses to listen. */

import assert from "node:assert/strict";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import type { HttpOptions } from "../../src/config/http_options.ts";
import { serverCommand, UNDER_TEST } from "../support/harness.ts";
import { HttpServer, initialize, refusal } from "../support/http_harness.ts";

function test(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ignore: UNDER_TEST !== "source", fn });
}

const ISSUER = "https://issuer.example";
const AUDIENCE = "https://wasmbox.example/mcp";
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** An issuer of tokens: its keys in a file. */
class Issuer implements Disposable {
  private constructor(readonly key: CryptoKey, readonly file: string) {}

  static async make(): Promise<Issuer> {
    const { publicKey, privateKey } = await generateKeyPair("ES256");
    const file = await Deno.makeTempFile();
    const key = { ...await exportJWK(publicKey), kid: "1", alg: "ES256" };
    const secret = { kty: "oct", kid: "secret", k: "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LTEyMzQ" };
    await Deno.writeTextFile(file, JSON.stringify({ keys: [key, secret] }));
    return new Issuer(privateKey, file);
  }

  async token(claims: Record<string, unknown> = {}, key: CryptoKey | Uint8Array = this.key, alg = "ES256") {
    const all = {
      iss: ISSUER,
      aud: AUDIENCE,
      sub: "alice",
      scope: "mcp other",
      exp: inSeconds(60),
      ...claims,
    };
    const kid = alg === "HS256" ? "secret" : "1";
    return await new SignJWT(all).setProtectedHeader({ alg, kid }).sign(key);
  }

  options(more: Partial<HttpOptions> = {}): Partial<HttpOptions> {
    const oauth = { issuer: ISSUER, audience: AUDIENCE, jwks: this.file, requiredScopes: ["mcp"] };
    return { auth: { oauth }, ...more };
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.file);
  }
}

function inSeconds(seconds: number): number {
  return Math.floor(Date.now() / 1000) + seconds;
}

Deno.test(`[${UNDER_TEST}] without authentication wasmbox does not listen where other machines can reach it`, async () => {
  const { command, args } = serverCommand();
  const serve = [...args, "serve", "--http", "--port", "0", "--host", "0.0.0.0"];
  await assert.rejects(HttpServer.spawn({ command, args: serve }), /refusing to listen on 0\.0\.0\.0/);
  await using told = await HttpServer.spawn({ command, args: [...serve, "--allow-unauthenticated"] });
  assert.equal((await told.end()).code, 0);
});

Deno.test(`[${UNDER_TEST}] tokens come from a file or the environment, and mistakes in them stop the start`, async () => {
  const { command, args } = serverCommand();
  const serve = [...args, "serve", "--http", "--port", "0"];
  const file = await Deno.makeTempFile();
  try {
    await Deno.writeTextFile(file, "# tokens\nalice = token-of-alice-1234\n\nbob=token-of-bob-123456\n");
    await using server = await HttpServer.spawn({ command, args: [...serve, "--token-file", file] });
    await using bob = await server.connect({ token: "token-of-bob-123456" });
    assert.equal((await bob.javascript("1")).result, "1");
    assert.equal((await server.post(initialize())).status, 401);
  } finally {
    await Deno.remove(file);
  }
  for (
    const bad of [
      "alice=short",
      "alice",
      "a=0123456789abcdef,a=0123456789abcdeg",
      "a=0123456789abcdef,b=0123456789abcdef",
    ]
  ) {
    const start = HttpServer.spawn({ command, args: serve }, { WASMBOX_AUTH_TOKENS: bad });
    await assert.rejects(
      start,
      (error: Error) => !error.message.includes("0123456789") && error.message.length > 0,
      bad,
    );
  }
});

test("a wrong token is refused with a challenge, and guessing is bounded", async () => {
  const tokens = { alice: "token-of-alice-1234" };
  await using server = await HttpServer.start({
    auth: { tokens },
    authFailuresPerAddress: { requests: 6, perMs: 60_000 },
  });
  const none = await refusal(await server.post(initialize()));
  assert.deepEqual([none.status, none.error, none.challenge], [
    401,
    "UNAUTHORIZED",
    'Bearer realm="wasmbox"',
  ]);
  for (
    const header of [
      "Basic YTpi",
      "Bearer",
      "Bearer a b",
      "Bearer token-of-alice-123",
      "Bearer token-of-alice-12345",
    ]
  ) {
    const got = await refusal(await server.post(initialize(), { authorization: header }));
    assert.deepEqual([header, got.status], [header, 401]);
    assert.match(got.challenge ?? "", /error="invalid_/);
  }
  const query = await fetch(new URL("?access_token=token-of-alice-1234", server.url), { method: "POST" });
  assert.equal((await refusal(query)).status, 401);
  const right = await server.post(initialize(), bearer("token-of-alice-1234"));
  await right.text();
  assert.equal(right.status, 200);
  await refusal(await server.post(initialize(), bearer("wrong-wrong-wrong-wrong")));
  const waiting = await refusal(await server.post(initialize(), bearer("token-of-alice-1234")));
  assert.deepEqual([waiting.status, waiting.error], [429, "RATE_LIMITED"]);
  assert.ok(Number(waiting.retryAfter) > 0);
});

test("a token of the issuer is accepted, and its subject is a principal", async () => {
  using issuer = await Issuer.make();
  await using server = await HttpServer.start(issuer.options());
  await using alice = await server.connect({ token: await issuer.token() });
  await using again = await server.connect({ token: await issuer.token({ scope: undefined, scp: ["mcp"] }) });
  await using bob = await server.connect({ token: await issuer.token({ sub: "bob" }) });
  await alice.javascript("globalThis.x = 1", { session_id: "s" });
  assert.equal((await again.javascript("x", { session_id: "s" })).result, "1");
  assert.equal((await bob.javascript("typeof x", { session_id: "s" })).result, "'undefined'");
});

test("tokens that are expired, for others, of others, or signed otherwise are refused", async () => {
  using issuer = await Issuer.make();
  const other = await generateKeyPair("ES256");
  const secret = new TextEncoder().encode("secret-secret-secret-secret-1234");
  const none = [{ alg: "none" }, {
    iss: ISSUER,
    aud: AUDIENCE,
    sub: "alice",
    scope: "mcp",
    exp: inSeconds(60),
  }, ""]
    .map((part) => part && btoa(JSON.stringify(part)).replaceAll("=", "")).join(".");
  await using server = await HttpServer.start({ ...issuer.options(), authFailuresPerAddress: null });
  const bad = {
    expired: await issuer.token({ exp: inSeconds(-120) }),
    "without an end": await issuer.token({ exp: undefined }),
    "not yet valid": await issuer.token({ nbf: inSeconds(600) }),
    "for another audience": await issuer.token({ aud: "https://other.example" }),
    "of another issuer": await issuer.token({ iss: "https://evil.example" }),
    "without a subject": await issuer.token({ sub: undefined }),
    "signed by another key": await issuer.token({}, other.privateKey),
    "signed with a secret": await issuer.token({}, secret, "HS256"),
    unsigned: none,
    "cut off": (await issuer.token()).slice(0, -10),
    "no token at all": "abc",
  };
  for (const [what, token] of Object.entries(bad)) {
    const got = await refusal(await server.post(initialize(), bearer(token)));
    assert.deepEqual([what, got.status, got.error], [what, 401, "UNAUTHORIZED"]);
    assert.match(got.challenge ?? "", /error="invalid_(token|request)".*resource_metadata="http/);
  }
  const scope = await refusal(
    await server.post(initialize(), bearer(await issuer.token({ scope: "other" }))),
  );
  assert.deepEqual([scope.status, scope.error], [403, "FORBIDDEN"]);
  assert.match(scope.challenge ?? "", /error="insufficient_scope".*scope="mcp"/);
});

test("a client finds out where tokens come from", async () => {
  using issuer = await Issuer.make();
  await using server = await HttpServer.start(issuer.options());
  const challenge = (await refusal(await server.post(initialize()))).challenge ?? "";
  const told = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? "";
  for (const url of [told, new URL("/.well-known/oauth-protected-resource", server.url)]) {
    const metadata = await (await fetch(url)).json();
    assert.deepEqual(
      [metadata.resource, metadata.authorization_servers, metadata.scopes_supported],
      [server.url.href, [ISSUER], ["mcp"]],
    );
  }
});

test("keys come from a URL too; while they can't be had, nobody is told that a token is wrong", async () => {
  using issuer = await Issuer.make();
  let up = false;
  const keys = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => up ? new Response(Deno.readTextFileSync(issuer.file)) : new Response("down", { status: 500 }),
  );
  const jwks = `http://127.0.0.1:${keys.addr.port}/jwks`;
  await using server = await HttpServer.start({
    auth: { oauth: { issuer: ISSUER, audience: AUDIENCE, jwks } },
  });
  const headers = bearer(await issuer.token());
  const down = await refusal(await server.post(initialize(), headers));
  assert.deepEqual([down.status, down.error, down.challenge], [503, "SERVER_BUSY", null]);
  up = true;
  const served = await server.post(initialize(), headers);
  await served.text();
  assert.equal(served.status, 200);
  await keys.shutdown();
});

test("options that would let any web page run code are refused", async () => {
  await assert.rejects(HttpServer.start({ corsOrigins: ["*"] }), /without authentication/);
  const auth = { tokens: { alice: "token-of-alice-1234" } };
  await assert.rejects(HttpServer.start({ auth, corsOrigins: ["*"], corsCredentials: true }), /credentials/);
  await using server = await HttpServer.start({ auth, corsOrigins: ["*"] });
  const response = await server.post(initialize(), {
    ...bearer("token-of-alice-1234"),
    origin: "https://a.example",
  });
  await response.text();
  assert.deepEqual(
    ["origin", "credentials"].map((name) => response.headers.get(`access-control-allow-${name}`)),
    ["*", null],
  );
});
