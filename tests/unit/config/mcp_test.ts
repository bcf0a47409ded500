import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { parse } from "smol-toml";
import { describe, effectiveValues } from "../../../src/config/describe.ts";
import { type Environment, variableFor } from "../../../src/config/environment.ts";
import { ConfigError } from "../../../src/config/error.ts";
import type { Flags } from "../../../src/config/flags.ts";
import { KEYS, loadConfiguration } from "../../../src/config/load.ts";
import { DEFAULT_HTTP_OPTIONS, MCP_DOCUMENT } from "../../../src/config/mcp.ts";
import { DEFAULT_HTTP, HTTP_KEYS } from "../../../src/config/mcp_schema.ts";
import { clientAddress, Networks } from "../../../src/config/networks.ts";
import { parseMcp, problemsOf } from "../../support/config_harness.ts";

const SHIPPED = await Deno.readTextFile(new URL("../../../config/mcp.toml", import.meta.url));
const UNCOMMENTED = SHIPPED.replaceAll(/^# ([a-z_]+ = )/gm, "$1");
const TOKEN = "0123456789abcdef";

const problems = (text: string) => problemsOf(parseMcp, text, "mcp.toml");

/** A directory with these files, as the only place where files are. */
async function load(files: Readonly<Record<string, string>>, env: Environment = {}, flags: Flags = {}) {
  const directory = await Deno.makeTempDir();
  try {
    for (const [name, text] of Object.entries({ "mcp.toml": "", ...files })) {
      await Deno.writeTextFile(`${directory}/${name}`, text);
    }
    const configuration = await loadConfiguration({ config: directory, ...flags }, env);
    const told = effectiveValues(configuration).map(({ path, value, origin }) =>
      [path, [value, origin.kind === "default" ? "default" : origin.name.replace(directory, ".")]] as const
    );
    return { ...configuration, values: Object.fromEntries(told) };
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

async function refused(files: Record<string, string>, env: Environment = {}, flags: Flags = {}) {
  const error = await load(files, env, flags).then(() => undefined, (error) => error);
  assert.ok(error instanceof ConfigError, String(error));
  return error.message.split("\n").map((line) => line.replace(/^\/\S*\//, ""));
}

Deno.test("the shipped mcp.toml has exactly the keys of the schema, and their defaults", () => {
  const names = [...MCP_DOCUMENT.keys.values()].map(({ name }) => name);
  const written = Object.entries(parse(UNCOMMENTED)).flatMap(([section, table]) =>
    Array.isArray(table) ? [section] : Object.keys(table as object).map((key) => `${section}.${key}`)
  );
  assert.deepEqual(written.sort(), names.filter((name) => name !== HTTP_KEYS.authTokens.name).sort());
  const { http, server, options, tools, log, audit } = parseMcp(SHIPPED, "mcp.toml");
  assert.deepEqual(http, DEFAULT_HTTP);
  assert.deepEqual(options, DEFAULT_HTTP_OPTIONS);
  const defaults = parseMcp("", "mcp.toml");
  assert.deepEqual([server, tools, log, audit], [
    defaults.server,
    defaults.tools,
    defaults.log,
    defaults.audit,
  ]);
});

Deno.test("what holds is told in the order in which the shipped files have the keys", async () => {
  const paths = (text: string, prefix: string) => {
    let table = "";
    return text.split("\n").flatMap((line) => {
      table = /^\[([a-z_.]+)\]/.exec(line)?.[1]?.concat(".") ?? table;
      const key = /^(?:# )?([a-z_]+) = /.exec(line)?.[1];
      return key === undefined ? [] : [prefix + table + key];
    });
  };
  const policy = await Deno.readTextFile(new URL("../../../config/policy.toml", import.meta.url));
  const expected = [...paths(SHIPPED, ""), ...paths(policy, "policy.")];
  const told = effectiveValues(await loadConfiguration({}, {})).map(({ path }) => path);
  assert.deepEqual(told.filter((path) => expected.includes(path)), expected);
  const tables = told.map((path) => path.slice(0, Math.max(0, path.lastIndexOf("."))));
  const changes = tables.filter((table, at) => table !== tables[at - 1]);
  assert.equal(changes.length, new Set(tables).size, "the keys of a table stand together");
});

Deno.test("what the shipped mcp.toml has commented out is allowed, and paths are relative to the file", () => {
  const { server, http, options } = parseMcp(UNCOMMENTED, "/etc/wasmbox/mcp.toml");
  assert.equal(server.defaultFlavor, "small");
  assert.equal(http.authTokensFile, "/etc/wasmbox/tokens.txt");
  assert.deepEqual(options.auth.tokens, { token: TOKEN });
  assert.equal(options.auth.oauth?.jwks, "https://issuer.example/jwks.json");
});

Deno.test("every option of the HTTP server is used by it, and can be set", async () => {
  const options = Object.keys(DEFAULT_HTTP_OPTIONS).concat("publicUrl");
  const keys = Object.keys(HTTP_KEYS).concat(
    "auth",
    "ratePerPrincipal",
    "ratePerAddress",
    "authFailuresPerAddress",
  );
  assert.deepEqual(options.filter((option) => !keys.includes(option)), []);
  let sources = await Deno.readTextFile(new URL("../../../src/config/mcp.ts", import.meta.url));
  sources = sources.slice(sources.indexOf("export function checkHttpOptions")); // the server's own checks
  const directory = new URL("../../../src/transport/http/", import.meta.url);
  for await (const { name, isFile } of Deno.readDir(directory)) {
    if (isFile) sources += await Deno.readTextFile(new URL(name, directory));
  }
  assert.deepEqual(options.filter((option) => !new RegExp(`\\b${option}\\b`).test(sources)), []);
});

Deno.test("what is wrong with mcp.toml is told by key, value and what is allowed, all at once", () => {
  assert.deepEqual(
    problems(
      `[transport_http]\nport = 70000\nprt = 1\nhost = "a b"\npath = "/sse"\n[logging]\nlevel = "loud"`,
    ),
    [
      "mcp.toml: transport_http.port = 70000 is invalid: must be a whole number from 0 to 65_535",
      "mcp.toml: transport_http.prt is not a known key; did you mean port?",
      `mcp.toml: transport_http.host = "a b" is invalid: must be an address or a host name to listen on`,
      `mcp.toml: transport_http.path = "/sse" is invalid: must be a path such as "/mcp", and not one of the server's own`,
      `mcp.toml: logging.level = "loud" is invalid: must be "debug", "info", "warning" or "error"`,
    ],
  );
  assert.match(
    problems("transport_http = 1")[0]!,
    /^mcp\.toml: transport_http = 1 is invalid: must be a table of host, /,
  );
  assert.match(
    problems(`[transport_http]\noauth_issuer = "https://i.example"`)[0]!,
    /needs both oauth_issuer and/,
  );
});

Deno.test("keys of the other systems are told by name, with what to write instead", () => {
  const [name, size, timeout, perClient, structured] = problems([
    `[server]\nname = "x"`,
    "[transport_http]\nmax_request_size_mb = 10",
    "[sessions]\ndefault_timeout_seconds = 600\nmax_sessions_per_client = 5",
    "[logging]\nstructured = true",
  ].join("\n"));
  assert.match(name!, /^mcp\.toml: server\.name is not a key here: /);
  assert.match(size!, /write max_request_bytes$/);
  assert.match(timeout!, /write session_idle_seconds in policy\.toml$/);
  assert.match(perClient!, /write max_sessions_per_client in policy\.toml$/);
  assert.match(structured!, /write format = "json"$/);
});

Deno.test("flags go before the environment, that before files, those before defaults; each says where it came from", async () => {
  const files = {
    "mcp.toml": `[transport_http]\nport = 1\nhost = "::1"\nsse = true\n[logging]\nlevel = "ERROR"`,
    "policy.toml": "max_sessions = 7\ncode_max_bytes = 5",
  };
  const env = {
    MCP_PORT: "2",
    WASMBOX_TRANSPORT_HTTP_HOST: "127.0.0.2",
    MCP_HOST: "127.0.0.3",
    WASMBOX_POLICY_MAX_SESSIONS: "8",
  };
  const { values, settings, files: read } = await load(files, env, { port: "3", http: true });
  assert.deepEqual(values["server.transport"], ["http", "--http"]);
  assert.deepEqual(values["transport_http.port"], [3, "--port"]);
  assert.deepEqual(values["transport_http.host"], ["127.0.0.2", "WASMBOX_TRANSPORT_HTTP_HOST"]);
  assert.deepEqual(values["transport_http.sse"], [true, "./mcp.toml"]);
  assert.deepEqual(values["transport_http.path"], ["/mcp", "default"]);
  assert.deepEqual(values["logging.level"], ["error", "./mcp.toml"]);
  assert.deepEqual(values["policy.max_sessions"], [8, "WASMBOX_POLICY_MAX_SESSIONS"]);
  assert.deepEqual(values["policy.code_max_bytes"], [5, "./policy.toml"]);
  assert.deepEqual([settings.http.port, settings.policy.limits.maxSessions], [3, 8]);
  assert.equal(settings.policy.limits.maxSessionsPerClient, 8, "a default gives way to a bound");
  assert.equal(read.length, 2);
  const { warnings } = await load({}, { MCP_PORT: "2" }, { host: "::1" });
  assert.deepEqual(warnings, ["--host has no effect when serving on stdin and stdout: add --http"]);
});

Deno.test("a bound of a stronger source lowers what a weaker one says; of the same source it contradicts", async () => {
  const policy = { "policy.toml": "memory_bytes = 134217728\nmax_sessions_per_client = 10" };
  const { limits } =
    (await load(policy, { MSB_MAX_TOTAL_MEMORY_MB: "64", MSB_MAX_SESSIONS: "3" })).settings.policy;
  assert.deepEqual([limits.memoryBytes, limits.totalMemoryBytes], [64 * 2 ** 20, 64 * 2 ** 20]);
  assert.deepEqual([limits.maxSessions, limits.maxSessionsPerClient], [3, 3]);
  assert.deepEqual(
    await refused({ "policy.toml": "memory_bytes = 134217728\ntotal_memory_bytes = 67108864" }),
    [
      "policy.toml: memory_bytes = 134217728 is invalid: must be at most total_memory_bytes = 67108864",
    ],
  );
});

Deno.test("every key has a variable, and text becomes the value that the file would have", async () => {
  const texts: Record<string, string> = {
    "policy.timeout_seconds": "1.5",
    "policy.env": `{ "A": "b" }`,
    "policy.flavors.small.workspace_files": "1_000",
    "transport_http.cors_credentials": "Yes",
    "transport_http.allowed_hosts": "a.example, b.example",
    "transport_http.trusted_proxies": `["10.0.0.0/8"]`,
    "transport_http.auth_tokens": `alice=${TOKEN},bob=${TOKEN}0`,
  };
  const env = Object.fromEntries(Object.entries(texts).map(([path, text]) => [variableFor(path), text]));
  const { values, settings } = await load({}, env);
  for (const path of Object.keys(texts)) assert.equal(values[path]?.[1], variableFor(path));
  assert.deepEqual(settings.policy.limits.env, { A: "b" });
  assert.equal(settings.policy.flavors.small.workspaceFiles, 1000);
  assert.deepEqual(settings.http.allowedHosts, ["a.example", "b.example"]);
  assert.deepEqual(Object.keys(settings.http.auth.tokens ?? {}), ["alice", "bob"]);
  assert.equal(new Set([...KEYS.keys()].map(variableFor)).size, KEYS.size, "no two keys share a variable");
});

Deno.test("the other systems' variables work, or say that they don't", async () => {
  const { settings, warnings, values } = await load({}, {
    MCP_TRANSPORT: "sse",
    MCP_SERVER_HOST: "localhost",
    MCP_SERVER_PORT: "8000",
    MCP_ENABLE_CORS: "true",
    MSB_SESSION_TIMEOUT: "600",
    MSB_MAX_SESSIONS: "50",
    MSB_DEFAULT_FLAVOR: "small",
    MSB_MAX_TOTAL_MEMORY_MB: "2048",
    MSB_SERVER_URL: "http://127.0.0.1:5555",
    MSB_API_KEY: "secret-key",
    MSB_SHARED_VOLUME_PATH: `["/usr:/b"]`,
    CONTROL_PLANE_URL: "http://127.0.0.1:8000",
    WASMBOX_SERVICE_HOST: "10.0.0.1",
    MCP_PORT: "",
  });
  const { http, server, policy } = settings;
  assert.deepEqual([server.transport, http.sse, http.hostname, http.port], ["http", true, "localhost", 8000]);
  assert.deepEqual([http.corsOrigins, server.defaultFlavor], [["auto"], "small"]);
  const { sessionIdleMs, maxSessions, maxSessionsPerClient, totalMemoryBytes } = policy.limits;
  assert.deepEqual([sessionIdleMs, maxSessions, maxSessionsPerClient, totalMemoryBytes], [
    600_000,
    50,
    50,
    2 ** 31,
  ]);
  assert.deepEqual(values["policy.max_sessions_per_client"], [50, "MSB_MAX_SESSIONS"]);
  assert.deepEqual(settings.volumes.volumes.map(({ host, name, writable }) => [host, name, writable]), [
    ["/usr", "b", false],
  ]);
  assert.deepEqual(warnings.map((warning) => warning.split(" ")[0]), [
    "MSB_SERVER_URL",
    "MSB_API_KEY",
    "CONTROL_PLANE_URL",
  ]);
  assert.ok(!warnings.join().includes("secret-key"));
});

Deno.test("bad variables and flags are told by name, value and what is allowed", async () => {
  const env = {
    MCP_PORT: "tcp://10.0.0.1:80",
    MCP_TRANSPORT: "udp",
    MCP_ENABLE_CORS: "maybe",
    MSB_MAX_TOTAL_MEMORY_MB: "1",
    WASMBOX_AUTH_TOKENS: `alice=${TOKEN},bob`,
    WASMBOX_TRANSPORT_HTTP_AUTH_TOKEN: "short!",
  };
  const told = await refused({}, env, { port: "-1", "log-level": "loud" });
  assert.deepEqual(told, [
    `environment: MCP_TRANSPORT = "udp" is invalid: must be "stdio", "http", "streamable-http" or "sse"`,
    `environment: MCP_PORT = "tcp://10.0.0.1:80" is invalid: must be a whole number from 0 to 65_535`,
    `environment: MCP_ENABLE_CORS = "maybe" is invalid: must be true or false`,
    `environment: MSB_MAX_TOTAL_MEMORY_MB = "1" is invalid: must be a whole number from 32 to 1_048_576`,
    "environment: WASMBOX_AUTH_TOKENS: its value: entry 2 is not of the form name=token",
    "environment: WASMBOX_TRANSPORT_HTTP_AUTH_TOKEN = (secret) is invalid: must be 16 to 512 characters of A-Z a-z 0-9 . _ ~ + / -",
    "command line: --port = -1 is invalid: must be a whole number from 0 to 65_535",
    `command line: --log-level = "loud" is invalid: must be "debug", "info", "warning" or "error"`,
  ]);
});

Deno.test("flags that contradict each other, and those of files that name none, are mistakes", async () => {
  assert.deepEqual(await refused({}, {}, { stdio: true, http: true }), [
    "command line: --stdio and --http contradict each other",
  ]);
  for (const flag of ["config", "policy"]) {
    assert.deepEqual(await refused({}, {}, { [flag]: "" }), [
      `command line: --${flag} = "" is invalid: must be a path`,
    ]);
  }
});

Deno.test("a secret is never shown, where it is right and where it is wrong", async () => {
  const secret = "token-that-nobody-may-see";
  const file =
    `[transport_http]\nauth_token = "${secret}"\n[transport_http.auth_tokens]\nalice = "${secret}-2"`;
  const loaded = await load({ "mcp.toml": file });
  assert.deepEqual(Object.keys(loaded.settings.http.auth.tokens ?? {}).sort(), ["alice", "token"]);
  const shown = describe(loaded) + JSON.stringify(effectiveValues(loaded));
  assert.ok(!shown.includes(secret));
  assert.match(shown, /transport_http\.auth_token = \(secret\)/);
  for (
    const wrong of [
      `auth_token = "${secret}é"`,
      `auth_tokens = { a = "${secret}é" }`,
      `auth_tokens = "${secret}"`,
    ]
  ) {
    const told = (await refused({ "mcp.toml": `[transport_http]\n${wrong}` })).join();
    assert.ok(told.includes("(secret)") && !told.includes(secret), told);
  }
  const twice = await refused({ "mcp.toml": file.replace("-2", "") });
  assert.ok(!twice.join().includes(secret));
});

Deno.test("a named file must be there, a named directory must have one", async () => {
  await assert.rejects(
    loadConfiguration({ config: "no/such/mcp.toml" }, {}),
    /^ConfigError: no\/such\/mcp\.toml: can't/,
  );
  await assert.rejects(loadConfiguration({}, { WASMBOX_CONFIG: "no/such" }), /can't be read/);
  const directory = (name: string) => fileURLToPath(new URL(`../../../${name}`, import.meta.url));
  await assert.rejects(
    loadConfiguration({ config: directory("tests") }, {}),
    /tests: contains neither mcp\.toml nor policy\.toml/,
  );
  const config = directory("config");
  const shipped = await loadConfiguration({}, { WASMBOX_CONFIG: `${config}/` });
  assert.deepEqual(shipped.files, [`${config}/mcp.toml`, `${config}/policy.toml`]);
});

Deno.test("an address is that of the last hop that no trusted proxy wrote itself", () => {
  const proxies = new Networks(["10.0.0.0/8", "::1", "2001:db8::/32"]);
  const of = (peer: string, header?: string) => clientAddress(peer, header, proxies);
  assert.equal(of("9.9.9.9", "1.2.3.4"), "9.9.9.9", "who is not trusted is not believed");
  assert.equal(of("10.0.0.1", "6.6.6.6, 1.2.3.4"), "1.2.3.4", "the client's own claims come first");
  assert.equal(of("::ffff:10.0.0.1", "1.2.3.4, 10.2.3.4, 2001:db8::1"), "1.2.3.4");
  assert.equal(of("::1", undefined), "::1");
  assert.equal(of("10.0.0.1", "1.2.3.4, nonsense"), "10.0.0.1");
  assert.equal(of("10.0.0.1", "10.0.0.2"), "10.0.0.2");
});
