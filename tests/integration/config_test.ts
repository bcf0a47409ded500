/** The configuration, through the real program: files, environment, flags, `wasmbox config`, and SIGHUP. */

import assert from "node:assert/strict";
import { childrenOf, serverCommand, TestServer, UNDER_TEST } from "../support/harness.ts";
import { type HttpClient, HttpServer, initialize } from "../support/http_harness.ts";
import { fileURLToPath } from "node:url";

const { command, args } = serverCommand();
const encoder = new TextEncoder();
const ALICE = "token-of-alice-1234";
const BOB = "token-of-bob-123456";

function test(name: string, fn: () => Promise<void>, onlySource = false): void {
  if (onlySource) Deno.test({ name, ignore: UNDER_TEST !== "source", fn });
  else Deno.test(`[${UNDER_TEST}] ${name}`, fn);
}

/** A directory of configuration files. */
class Files implements Disposable {
  readonly directory = Deno.makeTempDirSync({ prefix: "wasmbox-config-" });

  constructor(files: Readonly<Record<string, string>>) {
    for (const [name, text] of Object.entries(files)) this.write(name, text);
  }

  write(name: string, text: string): void {
    Deno.writeTextFileSync(`${this.directory}/${name}`, text);
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.directory, { recursive: true });
  }
}

/** The program's own arguments. @param permissions That it needs from source, beside the usual ones. */
function program(permissions: readonly string[]): string[] {
  return args[0] === "run" ? ["run", ...permissions, ...args.slice(1)] : args;
}

async function run(
  more: readonly string[],
  env: Record<string, string> = {},
  cwd?: string,
  permissions: readonly string[] = [],
) {
  const output = await new Deno.Command(command, {
    args: [...program(permissions), ...more],
    env,
    stdin: "null",
    ...cwd !== undefined && { cwd },
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code: output.code, out: text(output.stdout), err: text(output.stderr) };
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

test("wasmbox config tells what holds and where it comes from, also as JSON, and shows no secret", async () => {
  using files = new Files({
    "mcp.toml": `[transport_http]\nauth_token = "${ALICE}"\nport = 9000`,
    "policy.toml": "max_sessions = 5",
  });
  const more = ["config", "--config", files.directory, "--host", "127.0.0.9"];
  const { code, out } = await run([...more, "--json"], { MCP_PORT: "9001", MSB_API_KEY: "x" });
  const { values, files: read, warnings } = JSON.parse(out);
  assert.equal(code, 0);
  assert.deepEqual(read, [`${files.directory}/mcp.toml`, `${files.directory}/policy.toml`]);
  assert.match(warnings[0], /^MSB_API_KEY has no effect/);
  const pick = (path: string) => [values[path].value, values[path].origin];
  assert.deepEqual(pick("transport_http.port"), [9001, { kind: "environment", name: "MCP_PORT" }]);
  assert.deepEqual(pick("transport_http.host"), ["127.0.0.9", { kind: "flag", name: "--host" }]);
  assert.deepEqual(pick("policy.max_sessions"), [5, {
    kind: "file",
    name: `${files.directory}/policy.toml`,
  }]);
  assert.deepEqual(pick("policy.timeout_seconds"), [30, { kind: "default" }]);
  const plain = await run(more);
  assert.match(plain.out, /^transport_http\.auth_token = \(secret\) +# \S+\/mcp\.toml$/m);
  assert.ok(!(plain.out + out).includes(ALICE));
});

test("the working directory configures nothing: what a stranger's repository has in ./config is not read", async () => {
  using files = new Files({ "secret": "of the user" });
  Deno.mkdirSync(`${files.directory}/repository/config`, { recursive: true });
  const { directory } = files;
  files.write(
    "repository/config/mcp.toml",
    `volumes = ["${directory}:/data/x:rw"]\n[audit]\npath = "${directory}/audited"`,
  );
  files.write("repository/config/policy.toml", "[packages]\nindex_url = 'https://evil.example/'");
  const cwd = `${directory}/repository`;
  const { out } = await run(["config", "--json"], {}, cwd);
  const { files: read, values } = JSON.parse(out);
  assert.deepEqual(read.filter((path: string) => !path.startsWith("/")), []);
  for (const path of ["volumes", "audit.path", "policy.packages.index_url"]) {
    assert.doesNotMatch(JSON.stringify(values[path]), /repository|config\//, path);
  }
  const started = { command, args: [...args, "serve", "--stdio"], cwd };
  await using server = await TestServer.start(started);
  const { error } = await server.python("open('/data/x/secret').read()");
  assert.equal(error?.type, "FileNotFoundError");
  assert.deepEqual([...Deno.readDirSync(directory)].map(({ name }) => name).sort(), ["repository", "secret"]);
});

test("a relative XDG_CONFIG_HOME is ignored: it would lead into the working directory", async () => {
  using files = new Files({});
  Deno.mkdirSync(`${files.directory}/here/wasmbox`, { recursive: true });
  files.write("here/wasmbox/mcp.toml", "mistake = 1");
  const { code, err } = await run(["config"], { XDG_CONFIG_HOME: "here" }, files.directory);
  assert.deepEqual([code, err], [0, ""]);
});

Deno.test({
  name: "deno task start and deno task wasmbox take the repository's configuration, wherever they are run",
  ignore: UNDER_TEST !== "source",
  async fn() {
    const path = (relative: string) => fileURLToPath(new URL(`../../${relative}`, import.meta.url));
    using elsewhere = new Files({ "mcp.toml": "" });
    const files = async (more: readonly string[] = [], env: Record<string, string> = {}) => {
      const output = await new Deno.Command(Deno.execPath(), {
        args: [
          "run",
          "--quiet",
          "--no-prompt",
          `--config=${path("deno.json")}`,
          ...["read", "write", "env", "run", "sys", "net"].map((name) => `--allow-${name}`),
          path("scripts/wasmbox.ts"),
          "config",
          "--json",
          ...more,
        ],
        cwd: elsewhere.directory,
        env,
      }).output();
      return JSON.parse(new TextDecoder().decode(output.stdout)).files;
    };
    assert.deepEqual(await files(), [path("config/mcp.toml"), path("config/policy.toml")]);
    assert.deepEqual(await files(["--config", "."]), ["./mcp.toml"]);
    assert.deepEqual(await files([], { WASMBOX_CONFIG: "mcp.toml" }), ["mcp.toml"]);
  },
});

test("a file that others can change is refused, also through a directory or a link on the way to it", async () => {
  using files = new Files({ "tokens": `alice=${ALICE}`, "keys.json": '{"keys":[]}' });
  const { directory } = files;
  Deno.mkdirSync(`${directory}/outer/inner`, { recursive: true });
  Deno.mkdirSync(`${directory}/links`);
  files.write("outer/inner/mcp.toml", "");
  files.write("named.toml", "");
  Deno.symlinkSync("../outer/inner/mcp.toml", `${directory}/links/mcp.toml`);
  const config = `${directory}/outer/inner/mcp.toml`;
  const link = `${directory}/links/mcp.toml`;
  const serve = ["serve", "--http", "--port", "0"];
  const cases: [path: string, mode: number, args: string[], named: string][] = [
    [config, 0o666, ["serve", "--config", config], config],
    [`${directory}/outer/inner`, 0o777, ["serve", "--config", config], config],
    [`${directory}/outer`, 0o703, ["serve", "--config", config], config],
    [`${directory}/links`, 0o777, ["serve", "--config", link], link],
    [`${directory}/named.toml`, 0o602, ["serve", "--policy", "named.toml"], "named.toml"],
    [`${directory}/tokens`, 0o622, [...serve, "--token-file", `${directory}/tokens`], `${directory}/tokens`],
  ];
  for (const [path, mode, args, named] of cases) {
    const before = Deno.lstatSync(path).mode! & 0o7777;
    Deno.chmodSync(path, mode);
    const { code, out, err } = await run(args, {}, directory);
    Deno.chmodSync(path, before);
    assert.deepEqual([code, out], [2, ""], err);
    assert.ok(err.startsWith(`${named}: not read, because everyone can write to `), err);
    assert.ok(err.includes(named === path || named === "named.toml" ? "(mode" : `${path} (mode`), err);
    assert.ok(err.includes(`(mode 0${mode.toString(8)})`) && err.includes('"chmod go-w"'), err);
  }
  const keys = `${directory}/keys.json`;
  Deno.chmodSync(keys, 0o666);
  const oauth = {
    WASMBOX_TRANSPORT_HTTP_OAUTH_ISSUER: "https://i.example",
    WASMBOX_TRANSPORT_HTTP_OAUTH_JWKS: keys,
  };
  const { code, err } = await run(serve, oauth, directory, ["--allow-net"]);
  assert.equal(code, 2);
  assert.match(err, /keys\.json: not read, because everyone can write to it \(mode 0666\)/);
});

test("a directory that is everyone's is fine if only the owner of a file can replace it, as in /tmp", async () => {
  using files = new Files({});
  Deno.mkdirSync(`${files.directory}/tmp`);
  files.write("tmp/policy.toml", "max_sessions = 7");
  Deno.chmodSync(`${files.directory}/tmp`, 0o1777);
  const { code, err } = await run(["config", "--config", `${files.directory}/tmp`]);
  assert.deepEqual([code, err], [0, ""]);
});

Deno.test({
  name: `[${UNDER_TEST}] another user's file is refused; a group that is the user's own may write`,
  ignore: Deno.build.os !== "linux" || Deno.uid() !== 0, // only root can give files away
  async fn() {
    using files = new Files({ "mcp.toml": "" });
    const path = `${files.directory}/mcp.toml`;
    Deno.chmodSync(path, 0o664);
    assert.equal((await run(["config", "--config", path])).code, 0);
    Deno.chownSync(path, 0, 12345);
    assert.match(
      (await run(["config", "--config", path])).err,
      /mcp\.toml: not read, because group 12345 can write to it/,
    );
    Deno.chmodSync(path, 0o644);
    Deno.chownSync(path, 12345, 12345);
    const { code, err } = await run(["config", "--config", path]);
    assert.equal(code, 2);
    assert.match(
      err,
      /mcp\.toml: not read, because user 12345 owns it \(mode 0644\).*; wasmbox runs as user 0\. .*chown/,
    );
  },
});

/** Runs a program for which `directory` is mounted read-only at `at`. */
function mounted(directory: string, at: string, argv: readonly string[]): Deno.Command {
  const script = 'mount --bind "$0" "$1" && mount -o remount,bind,ro "$1" && shift && exec "$@"';
  const args = ["--map-root-user", "--mount", "sh", "-c", script, directory, at, ...argv];
  return new Deno.Command("unshare", { args, stdin: "null" });
}

async function canMount(): Promise<boolean> {
  using files = new Files({});
  const tried = mounted(files.directory, files.directory, ["true"]).output();
  return await tried.then(({ success }) => success, () => false);
}

Deno.test({
  name:
    `[${UNDER_TEST}] a ConfigMap of Kubernetes is read: links in a directory that is everyone's, mounted read-only`,
  ignore: !await canMount(),
  async fn() {
    using files = new Files({});
    const { directory } = files;
    for (const name of ["volume", "volume/..2026", "mount"]) Deno.mkdirSync(`${directory}/${name}`);
    files.write("volume/..2026/policy.toml", "max_sessions = 7");
    Deno.symlinkSync("..2026", `${directory}/volume/..data`);
    Deno.symlinkSync("..data/policy.toml", `${directory}/volume/policy.toml`);
    Deno.chmodSync(`${directory}/volume`, 0o777);
    const config = (path: string) => [
      ...[command, ...program(["--allow-write"])],
      ...["config", "--json", "--policy", `${path}/policy.toml`],
    ];
    const read = await mounted(`${directory}/volume`, `${directory}/mount`, config(`${directory}/mount`))
      .output();
    const { values } = JSON.parse(new TextDecoder().decode(read.stdout));
    assert.equal(values["policy.max_sessions"].value, 7);
    const writable = config(`${directory}/volume`);
    const refused = await mounted(`${directory}/volume`, `${directory}/mount`, writable).output();
    assert.match(new TextDecoder().decode(refused.stderr), /everyone can write to \S+\/volume \(mode 0777\)/);
  },
});

test("a server whose working directory was removed still starts executors", async () => {
  const cwd = Deno.makeTempDirSync();
  const started = { command, args: [...args, "serve", "--stdio"], cwd };
  await using server = await TestServer.start(started);
  assert.equal((await server.javascript("1 + 1")).result, "2");
  Deno.removeSync(cwd);
  for (const pid of childrenOf(server.transport.pid!)) Deno.kill(pid, "SIGKILL");
  assert.equal((await server.javascript("2 + 2", { session_id: "another" })).result, "4");
});

test("an unknown variable of wasmbox stops the start, with what may have been meant; a service's address does not", async () => {
  const { code, err } = await run(["serve"], {
    WASMBOX_POLICY_TIMEOUT_SECNDS: "5",
    WASMBOX_PORT: "9000",
    WASMBOX_NOTHING_LIKE_IT: "1",
    WASMBOX_EMPTY: "",
  });
  assert.equal(code, 2);
  assert.deepEqual(err.trim().split("\n"), [
    "environment: WASMBOX_NOTHING_LIKE_IT is not a known variable; that of policy.timeout_seconds, for example, is " +
    "WASMBOX_POLICY_TIMEOUT_SECONDS",
    "environment: WASMBOX_POLICY_TIMEOUT_SECNDS is not a known variable; did you mean WASMBOX_POLICY_TIMEOUT_SECONDS?",
    "environment: WASMBOX_PORT is not a known variable; did you mean WASMBOX_TRANSPORT_HTTP_PORT?",
  ]);
  const linked = await run(["config"], {
    WASMBOX_PORT: "tcp://10.0.0.1:8080",
    WASMBOX_PORT_8080_TCP_ADDR: "10.0.0.1",
    WASMBOX_SERVICE_HOST: "10.0.0.1",
    WASMBOX_SERVICE_PORT_HTTP: "8080",
  });
  assert.deepEqual([linked.code, linked.err], [0, ""]);
});

test("a key in the wrong file is told where it belongs", async () => {
  using files = new Files({
    "mcp.toml": "timeout_seconds = 5\n[policy]\nmax_sessions = 1\n[packages]\nenabled = false",
    "policy.toml": "volumes = []\n[logging]\nlevel = 'debug'",
  });
  const { code, err } = await run(["config", "--config", files.directory]);
  const [mcp, policy] = [`${files.directory}/mcp.toml`, `${files.directory}/policy.toml`];
  assert.equal(code, 2);
  assert.deepEqual(err.trim().split("\n"), [
    `${mcp}: timeout_seconds is not a key here: it belongs in policy.toml`,
    `${mcp}: policy is not a table here: its keys belong in policy.toml`,
    `${mcp}: packages is not a table here: it belongs in policy.toml`,
    `${policy}: volumes is not a key here: it belongs in mcp.toml`,
    `${policy}: logging is not a table here: it belongs in mcp.toml`,
  ]);
});

test("mistakes stop wasmbox config and the start, with all that is wrong", async () => {
  using files = new Files({ "mcp.toml": `[transport_http]\nport = "x"\n[server]\nname = "y"` });
  const expected = [
    `${files.directory}/mcp.toml: transport_http.port = "x" is invalid: must be a whole number from 0 to 65_535`,
    `${files.directory}/mcp.toml: server.name is not a key here: clients are sent wasmbox's own name, version and instructions`,
    `environment: MCP_TRANSPORT = "udp" is invalid: must be "stdio", "http", "streamable-http" or "sse"`,
    "command line: --port = 99999 is invalid: must be a whole number from 0 to 65_535",
  ];
  for (const what of ["config", "serve"]) {
    const told = await run([what, "--config", `${files.directory}/mcp.toml`, "--port", "99999"], {
      MCP_TRANSPORT: "udp",
    });
    assert.deepEqual([told.code, told.out, told.err.trim().split("\n")], [2, "", expected]);
  }
});

test("a file alone makes an HTTP server, with its path, proxies, limits and a log in JSON", async () => {
  using files = new Files({
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
  using files = new Files({
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
  using files = new Files({
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
  using files = new Files({ "policy.toml": "memory_bytes = 134217728\ntotal_memory_bytes = 268435456" });
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
