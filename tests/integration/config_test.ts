/** Where the configuration comes from, through the real program: files, environment, flags, and `wasmbox config`. */

import assert from "node:assert/strict";
import { ConfigFiles } from "../support/config_files.ts";
import { childrenOf, serverCommand, TestServer, UNDER_TEST } from "../support/harness.ts";
import { fileURLToPath } from "node:url";

const { command, args } = serverCommand();
const ALICE = "token-of-alice-1234";

function test(name: string, fn: () => Promise<void>, onlySource = false): void {
  if (onlySource) Deno.test({ name, ignore: UNDER_TEST !== "source", fn });
  else Deno.test(`[${UNDER_TEST}] ${name}`, fn);
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

test("wasmbox config tells what holds and where it comes from, also as JSON, and shows no secret", async () => {
  using files = new ConfigFiles({
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
  using files = new ConfigFiles({ "secret": "of the user" });
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
  using files = new ConfigFiles({});
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
    using elsewhere = new ConfigFiles({ "mcp.toml": "" });
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
  using files = new ConfigFiles({ "tokens": `alice=${ALICE}`, "keys.json": '{"keys":[]}' });
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
  using files = new ConfigFiles({});
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
    using files = new ConfigFiles({ "mcp.toml": "" });
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
  using files = new ConfigFiles({});
  const tried = mounted(files.directory, files.directory, ["true"]).output();
  return await tried.then(({ success }) => success, () => false);
}

Deno.test({
  name:
    `[${UNDER_TEST}] a ConfigMap of Kubernetes is read: links in a directory that is everyone's, mounted read-only`,
  ignore: !await canMount(),
  async fn() {
    using files = new ConfigFiles({});
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
  using files = new ConfigFiles({
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
  using files = new ConfigFiles({ "mcp.toml": `[transport_http]\nport = "x"\n[server]\nname = "y"` });
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
