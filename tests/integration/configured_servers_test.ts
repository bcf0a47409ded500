/** What a configuration makes of a server, and how one takes another configuration: SIGHUP. */

import assert from "node:assert/strict";
import { ConfigFiles } from "../support/config_files.ts";
import { serverCommand, TestServer, UNDER_TEST } from "../support/harness.ts";
import { type HttpClient, HttpServer, initialize } from "../support/http_harness.ts";

const { command, args } = serverCommand();
const encoder = new TextEncoder();
const ALICE = "token-of-alice-1234";
const BOB = "token-of-bob-123456";

function test(name: string, fn: () => Promise<void>, onlySource = false): void {
  if (onlySource) Deno.test({ name, ignore: UNDER_TEST !== "source", fn });
  else Deno.test(`[${UNDER_TEST}] ${name}`, fn);
}

/** Says SIGHUP, and waits for what the log says of it. */
async function reload(server: HttpServer): Promise<string> {
  const before = server.log().length;
  server.child.kill("SIGHUP");
  return await server.logged(/(reloaded; changed|nothing was changed)[^\n]*\n/, before);
}

async function statusOf(server: HttpServer, headers: Record<string, string>): Promise<number> {
  const response = await server.post(initialize(), headers);
  await response.body?.cancel();
  return response.status;
}

test("a file alone makes an HTTP server, with its path, proxies, limits and a log in JSON", async () => {
  using files = new ConfigFiles({
    "mcp.toml": [
      `[server]\ntransport = "http"`,
      `[transport_http]\nport = 0\npath = "/sandbox"\ntrusted_proxies = ["127.0.0.1"]\naddress_rate_limit_requests = 2`,
      `address_rate_limit_window_seconds = 600\ncors_origins = ["auto"]`,
      `[logging]\nformat = "json"`,
    ].join("\n"),
  });
  await using server = await HttpServer.spawn({
    command,
    args: [...args, "serve", "--config", files.directory],
  });
  assert.equal(server.url.pathname, "/sandbox");
  const lines = server.log().trim().split("\n").map((line) => JSON.parse(line));
  const { time, ...line } = lines.find(({ logger }) => logger === "wasmbox.http");
  assert.ok(Date.parse(time) > 0);
  assert.deepEqual(line, {
    level: "info",
    logger: "wasmbox.http",
    message: `listening on ${server.url}`,
    url: server.url.href,
  });
  const from = (address: string) => statusOf(server, { "x-forwarded-for": `6.6.6.6, ${address}` });
  assert.deepEqual([await from("1.1.1.1"), await from("1.1.1.1"), await from("1.1.1.1")], [200, 200, 429]);
  const other = await server.post(initialize(), {
    "x-forwarded-for": "2.2.2.2",
    origin: "http://localhost:3000",
  });
  await other.body?.cancel();
  assert.deepEqual(
    [other.status, other.headers.get("access-control-allow-origin")],
    [200, "http://localhost:3000"],
  );
});

test("variables alone make an HTTP server, and flags go before them", async () => {
  const env = {
    MCP_TRANSPORT: "sse",
    MCP_PORT: "1",
    MCP_ENABLE_CORS: "true",
    WASMBOX_AUTH_TOKENS: `alice=${ALICE}`,
  };
  await using server = await HttpServer.spawn({ command, args: [...args, "serve", "--port", "0"] }, env);
  const response = await server.post(initialize(), {
    authorization: `Bearer ${ALICE}`,
    origin: "https://any.example",
  });
  await response.body?.cancel();
  assert.deepEqual([response.status, response.headers.get("access-control-allow-origin")], [200, "*"]);
  const sse = await fetch(new URL("/sse", server.url), { headers: { authorization: `Bearer ${ALICE}` } });
  await sse.body?.cancel();
  assert.equal(sse.status, 200);
}, true);

test("SIGHUP changes tokens, rates, origins, the log and limits of new sessions; the rest waits, and is told", async () => {
  using files = new ConfigFiles({
    "mcp.toml": `[transport_http]\nport = 0\nauth_tokens_file = "tokens"\n`,
    "tokens": `alice=${ALICE}\nbob=${BOB}`,
    "policy.toml": "max_sessions_per_client = 1\ntimeout_seconds = 5",
  });
  await using server = await HttpServer.spawn({
    command,
    args: [...args, "serve", "--http", "--config", files.directory],
  });
  await using alice = await server.connect({ token: ALICE });
  assert.equal((await alice.javascript("globalThis.x = 1; x", { session_id: "a" })).result, "1");
  const tooMany = () => alice.call("create_session", { session_id: "b" });
  assert.equal((await tooMany()).isError, true);

  files.write("mcp.toml", `[transport_http]\nport = 1.5`);
  assert.match(await reload(server), /nothing was changed/);
  assert.match(server.log(), /mcp\.toml: transport_http\.port = 1\.5 is invalid: must be a whole number/);
  assert.equal(await statusOf(server, { authorization: `Bearer ${BOB}` }), 200);
  files.write("mcp.toml", `[transport_http]\nauth_token = "${BOB}-of-someone-else"`);
  Deno.chmodSync(`${files.directory}/mcp.toml`, 0o666);
  assert.match(
    await reload(server),
    /nothing was changed: \S+mcp\.toml: not read, because everyone can write/,
  );
  Deno.chmodSync(`${files.directory}/mcp.toml`, 0o644);

  const open = `[transport_http]\nauth_tokens_file = "tokens"\n`;
  files.write(
    "mcp.toml",
    `${open}port = 1\ncors_origins = ["https://app.example"]\nrate_limit_requests = 3\n` +
      `rate_limit_window_seconds = 600\n[server]\ndefault_flavor = "small"\n[logging]\nlevel = "debug"`,
  );
  files.write("tokens", `alice=${ALICE}`);
  files.write("policy.toml", "max_sessions_per_client = 2\ntimeout_seconds = 5");
  const said = await reload(server);
  for (
    const key of ["cors_origins", "rate_limit_requests", "logging.level", "max_sessions_per_client", "tokens"]
  ) {
    assert.ok(said.includes(key), `${key}: ${said}`);
  }
  assert.match(
    server.log(),
    /WARNING wasmbox\.config: transport_http\.port was changed, which takes effect only after a restart/,
  );
  assert.equal(await statusOf(server, { authorization: `Bearer ${BOB}` }), 401);
  assert.equal((await tooMany()).isError, false);
  assert.equal((await alice.javascript("x", { session_id: "a" })).result, "1");
  const page = await server.post(initialize(), {
    authorization: `Bearer ${ALICE}`,
    origin: "https://app.example",
  });
  await page.body?.cancel();
  assert.equal(page.headers.get("access-control-allow-origin"), "https://app.example");
  assert.equal(await statusOf(server, { authorization: `Bearer ${ALICE}` }), 429);
  for (const secret of [ALICE, BOB]) assert.ok(!server.log().includes(secret));
});

test("SIGHUP that would open the server to everyone changes nothing", async () => {
  using files = new ConfigFiles({
    "mcp.toml": `[transport_http]\nhost = "0.0.0.0"\nport = 0\nauth_token = "${ALICE}"`,
  });
  await using server = await HttpServer.spawn({
    command,
    args: [...args, "serve", "--http", "--config", files.directory],
  });
  files.write("mcp.toml", `[transport_http]\nhost = "0.0.0.0"\nport = 0`);
  assert.match(await reload(server), /nothing was changed/);
  assert.equal(await statusOf(server, {}), 401);
}, true);

test("the memory of all heaps together is bounded, a smaller flavor takes less, and an ended session gives it back", async () => {
  using files = new ConfigFiles({
    "policy.toml": "memory_bytes = 134217728\ntotal_memory_bytes = 268435456",
  });
  const serve = { command, args: [...args, "serve", "--config", files.directory] };
  await using server = await TestServer.start(serve);
  const codeOf = ({ structured }: Awaited<ReturnType<TestServer["call"]>>) =>
    (structured["error"] as { error_code: string } | null)?.error_code;
  const js = (session_id: string, language = "javascript") =>
    server.call("execute_code", { code: "1", language, session_id });
  assert.equal(codeOf(await js("a")), undefined);
  assert.equal(codeOf(await js("a")), undefined, "a heap counts once");
  assert.equal(codeOf(await js("a", "python")), undefined);
  assert.equal(codeOf(await js("b")), "OUT_OF_MEMORY");
  await server.call("reset_workspace", { session_id: "a" });
  await server.call("create_session", { session_id: "s", flavor: "small" });
  assert.equal(codeOf(await js("s")), undefined, "64 MiB");
  assert.equal(codeOf(await js("b")), undefined, "128 MiB");
  assert.equal(codeOf(await js("c")), "OUT_OF_MEMORY");
  await server.call("destroy_session", { session_id: "b" });
  assert.equal(codeOf(await js("c")), undefined);
});

test(
  "a client without room gets that of the MCP session that nobody uses; who was there is told",
  async () => {
    const env = {
      WASMBOX_POLICY_MAX_SESSIONS_PER_CLIENT: "2",
      WASMBOX_SESSIONS_RECLAIM_AFTER_SECONDS: "0",
      WASMBOX_TRANSPORT_HTTP_PORT: "0",
    };
    await using server = await HttpServer.spawn({ command, args: [...args, "serve", "--http"] }, env);
    /** A client that holds no stream open: it may be gone. */
    const execute = async (id: string) => {
      const call = { name: "execute_code", arguments: { code: "1", language: "javascript" } };
      const response = await server.post({ jsonrpc: "2.0", id: 2, method: "tools/call", params: call }, {
        "mcp-session-id": id,
      });
      return { status: response.status, text: await response.text() };
    };
    const enter = async () => {
      const response = await server.post(initialize());
      await response.text();
      return response.headers.get("mcp-session-id")!;
    };
    const [first, second, third] = [await enter(), await enter(), await enter()];
    await using present: HttpClient = await server.connect();
    assert.equal((await execute(first)).status, 200);
    assert.equal((await present.javascript("globalThis.y = 2; y")).result, "2");
    assert.match((await execute(second)).text, /"success":true/);
    assert.equal(
      (await execute(first)).status,
      404,
      "it starts anew, instead of going on in an empty session",
    );
    assert.match((await execute(third)).text, /"success":true/);
    assert.equal((await execute(second)).status, 404);
    assert.equal((await present.javascript("y")).result, "2", "who holds a stream open stays");
  },
  true,
);

test("a message that is too long is refused at the configured length", async () => {
  const env = { WASMBOX_TRANSPORT_STDIO_MAX_MESSAGE_BYTES: "65536" };
  const child = new Deno.Command(command, { args, env, stdin: "piped", stdout: "piped", stderr: "null" })
    .spawn();
  const writer = child.stdin.getWriter();
  await writer.write(encoder.encode(`"${"x".repeat(65536)}"\n`));
  await writer.close();
  const { stdout } = await child.output();
  assert.match(new TextDecoder().decode(stdout), /the message exceeds 65536 bytes/);
}, true);
