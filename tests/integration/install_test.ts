/** `wasmbox install`, on copies of files as clients and their users write them. */

import assert from "node:assert/strict";
import { parse as parseJson } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { fileURLToPath } from "node:url";
import { CLIENT_NAMES } from "../../src/command_line/commands.ts";
import { UNDER_TEST } from "../support/harness.ts";
import { type Ended, runProgram } from "../support/program.ts";

const FIXTURES = new URL("fixtures/clients/", import.meta.url);

/** Where each client has its file below the user's directory, and the copy that stands for it. */
const FILES: Readonly<Record<typeof CLIENT_NAMES[number], readonly [path: string, fixture: string]>> = {
  "claude-desktop": [".config/Claude/claude_desktop_config.json", "claude_desktop_config.json"],
  "claude-code": [".claude.json", "claude.json"],
  cursor: [".cursor/mcp.json", "cursor.json"],
  vscode: [".config/Code/User/mcp.json", "vscode.json"],
  zed: [".config/zed/settings.json", "zed.json"],
  windsurf: [".codeium/windsurf/mcp_config.json", "windsurf.json"],
  codex: [".codex/config.toml", "codex.toml"],
  gemini: [".gemini/settings.json", "gemini.json"],
};
/** The key of all servers, where it is not the usual one. */
const SECTIONS: Readonly<Record<string, string>> = {
  vscode: "servers",
  zed: "context_servers",
  codex: "mcp_servers",
};

type Fields = Record<string, unknown>;

/** A user with the files of some clients. */
class Home implements Disposable {
  readonly directory = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "wasmbox-home-" }));

  constructor(clients: readonly (typeof CLIENT_NAMES[number])[] = []) {
    for (const client of clients) {
      const [path, fixture] = FILES[client];
      this.write(path, Deno.readFileSync(new URL(fixture, FIXTURES)));
    }
  }

  write(path: string, bytes: Uint8Array | string, mode = 0o640): void {
    Deno.mkdirSync(`${this.directory}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
    const contents = typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes;
    Deno.writeFileSync(`${this.directory}/${path}`, contents, { mode });
    Deno.chmodSync(`${this.directory}/${path}`, mode);
  }

  read(path: string): string {
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(
      Deno.readFileSync(`${this.directory}/${path}`),
    );
  }

  /** Names in a file's directory. */
  beside(path: string): string[] {
    const directory = `${this.directory}/${path}`.replace(/\/[^/]*$/, "");
    return [...Deno.readDirSync(directory)].map(({ name }) => name).sort();
  }

  install(...args: string[]): Promise<Ended> {
    const none = { XDG_CONFIG_HOME: "", CODEX_HOME: "", CLAUDE_CONFIG_DIR: "" };
    // Deno's own cache is not the user's here.
    const deno = Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`;
    return runProgram(["install", ...args], { env: { HOME: this.directory, DENO_DIR: deno, ...none } });
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.directory, { recursive: true });
  }
}

function test(name: string, fn: () => Promise<void>): void {
  Deno.test(`[${UNDER_TEST}] ${name}`, fn);
}

function parsed(client: string, text: string): Fields {
  return client === "codex"
    ? parseToml(text)
    : parseJson(text.replace(/^\uFEFF/, ""), [], { allowTrailingComma: true });
}

/** What a file says of wasmbox, and what it says besides. */
function partsOf(client: string, text: string): { entry: Fields | undefined; rest: Fields } {
  const { [SECTIONS[client] ?? "mcpServers"]: servers = {}, ...others } = parsed(client, text);
  const { wasmbox: entry, ...more } = servers as Fields;
  return { entry: entry as Fields | undefined, rest: { ...others, servers: more } };
}

/** The lines of a text that another one lacks. */
function linesLost(before: string, after: string): string[] {
  const left = new Set(after.split("\n"));
  return before.split("\n").filter((line) => !left.has(line));
}

test("each client's file gets an entry that starts this program, keeps all else, and is undone byte for byte", async () => {
  for (const client of CLIENT_NAMES) {
    using home = new Home([client]);
    const [path] = FILES[client];
    const before = home.read(path);
    const { code, out, err } = await home.install("--client", client, "--", "--log-level", "debug");
    assert.deepEqual([code, err], [0, ""], client);
    const after = home.read(path);
    const { entry, rest } = partsOf(client, after);
    assert.deepEqual(rest, partsOf(client, before).rest, client);
    assert.match(String(entry?.["command"]), /^\//);
    assert.deepEqual((entry?.["args"] as string[]).slice(-3), ["serve", "--log-level", "debug"]);
    assert.equal(after.includes("\r\n"), before.includes("\r\n"));
    assert.equal(after.startsWith("\uFEFF"), before.startsWith("\uFEFF"));
    assert.match(
      out,
      /^(Added|Changed) "wasmbox" in .*\nWhat was there before: .*\.wasmbox-backup-\S+\n/,
      client,
    );
    assert.equal(Deno.statSync(`${home.directory}/${path}`).mode! & 0o777, 0o640);
    const backup = /before: (.*)/.exec(out)![1]!;
    assert.equal(home.read(backup.slice(home.directory.length + 1)), before);
    assert.equal(Deno.statSync(backup).mode! & 0o777, 0o640);
    const again = await home.install("--client", client, "--", "--log-level", "debug");
    assert.match(again.out, /has "wasmbox" already/);
    const undone = await home.install("--client", client, "--undo");
    assert.match(undone.out, /is what it was before/);
    assert.equal(home.read(path), before);
    assert.equal(home.beside(path).filter((name) => name.includes("wasmbox")).length, 0);
  }
});

test("no line of others is lost: comments, layout and order stay", async () => {
  const lost: Record<string, string[]> = {};
  for (const client of CLIENT_NAMES) {
    using home = new Home([client]);
    const [path] = FILES[client];
    const before = home.read(path);
    await home.install("--client", client);
    lost[client] = linesLost(before, home.read(path)).map((line) => line.trim());
  }
  const { windsurf, codex, ...others } = lost;
  assert.deepEqual(others, {
    "claude-desktop": [],
    "claude-code": ['"hasCompletedOnboarding": true'], // it has a comma now
    cursor: [],
    vscode: [],
    zed: [],
    gemini: ['"mcpServers": {},'],
  });
  assert.equal(windsurf?.length, 1); // all is one line
  assert.deepEqual(codex, ['command = "/old/place/wasmbox"', "args = [", '"serve",   # not needed', "]"]);
});

test("what a user has said of the server beside its command stays", async () => {
  using home = new Home(["windsurf", "codex"]);
  await home.install("--client", "windsurf");
  const { disabled, env } = partsOf("windsurf", home.read(FILES.windsurf[0])).entry ?? {};
  assert.deepEqual([disabled, env], [true, { WASMBOX_LOGGING_LEVEL: "debug" }]);
  await home.install("--client", "codex");
  const entry = partsOf("codex", home.read(FILES.codex[0])).entry as {
    tool_timeout_sec: number;
    env: Fields;
  };
  assert.deepEqual([entry.tool_timeout_sec, { ...entry.env }], [120, { WASMBOX_LOGGING_LEVEL: "debug" }]);
});

test("after others have changed the file, undo takes this entry out and leaves what they did", async () => {
  using home = new Home(["zed", "windsurf"]);
  for (const client of ["zed", "windsurf"] as const) {
    const [path] = FILES[client];
    const before = home.read(path);
    await home.install("--client", client);
    home.write(path, home.read(path).replace("{", '{"added_since": true,'));
    const { out } = await home.install("--client", client, "--undo");
    assert.match(out, client === "zed" ? /^Took out "wasmbox"/ : /^Put back the former "wasmbox"/);
    const { entry, rest } = partsOf(client, home.read(path));
    const former = partsOf(client, before);
    assert.deepEqual([entry, rest], [former.entry, { added_since: true, ...former.rest }]);
  }
});

test("where there was no file there is one for the user alone, and none after undo", async () => {
  using home = new Home();
  for (const client of CLIENT_NAMES) {
    const [path] = FILES[client];
    const { code, out } = await home.install("--client", client);
    assert.deepEqual([code, out.startsWith('Added "wasmbox"')], [0, true]);
    assert.equal(Deno.statSync(`${home.directory}/${path}`).mode! & 0o777, 0o600);
    assert.ok(partsOf(client, home.read(path)).entry, client);
    assert.match((await home.install("--client", client, "--undo")).out, /^Removed /);
    assert.deepEqual(home.beside(path).filter((name) => path.endsWith(name)), []);
    assert.match((await home.install("--client", client, "--undo")).out, /nothing to undo/);
  }
});

test("a dry run shows the change and makes none", async () => {
  using home = new Home(["vscode"]);
  const [path] = FILES.vscode;
  const before = home.read(path);
  const { code, out } = await home.install("--client", "vscode", "--dry-run");
  assert.equal(code, 0);
  assert.match(out, /^--- .*mcp\.json\tnow\n\+\+\+ .*\tthen\n@@ /);
  assert.match(out, /^\+\t\t"wasmbox": \{$/m);
  assert.equal(home.read(path), before);
  assert.deepEqual(home.beside(path), ["mcp.json"]);
});

const BROKEN: readonly (readonly [client: typeof CLIENT_NAMES[number], text: string, why: RegExp])[] = [
  ["claude-desktop", '{"mcpServers": {', /it is no valid JSON: \w+ in line 1/],
  ["claude-desktop", '{\n // note\n "mcpServers": {}}', /it is no valid JSON: \w+ in line 2/],
  ["cursor", "[]", /it is JSON, but no object/],
  ["vscode", '{"servers": []}', /its "servers" is no object/],
  ["gemini", '{"mcpServers": {}, "mcpServers": {}}', /more than once/],
  ["zed", '{"a": 1} trailing', /it is no valid JSON/],
  ["codex", "model = \n", /it is no valid TOML/],
  ["codex", 'mcp_servers = { wasmbox = { command = "x" } }\n', /can't be changed without changing more/],
  ["codex", 'mcp_servers.wasmbox.command = "x"\n', /can't be changed without changing more/],
  ["codex", 'note = """\n[mcp_servers.wasmbox]\n"""\n', /can't be changed without changing more/],
  ["windsurf", "\xff\xfe{\x00}\x00", /it is not UTF-8/],
];

test("a file that is not as its client would take it stays as it is, and what to write is told", async () => {
  for (const [client, text, why] of BROKEN) {
    using home = new Home();
    const [path] = FILES[client];
    const bytes = Uint8Array.from([...text].map((character) => character.charCodeAt(0)));
    home.write(path, bytes);
    const { code, out, err } = await home.install("--client", client);
    assert.deepEqual([code, out], [1, ""], text);
    assert.match(err, why);
    assert.match(err, /was left as it is: [^]*"wasmbox": \{[^]*"command"/);
    assert.deepEqual(Deno.readFileSync(`${home.directory}/${path}`), bytes);
    assert.deepEqual(home.beside(path).length, 1);
  }
});

test("a link to the file stays a link, and what it leads to changes", async () => {
  using home = new Home();
  home.write("dotfiles/mcp.json", '{"mcpServers": {}}\n', 0o600);
  Deno.mkdirSync(`${home.directory}/.cursor`);
  Deno.symlinkSync("../dotfiles/mcp.json", `${home.directory}/.cursor/mcp.json`);
  assert.equal((await home.install("--client", "cursor")).code, 0);
  assert.ok(Deno.lstatSync(`${home.directory}/.cursor/mcp.json`).isSymlink);
  assert.ok(partsOf("cursor", home.read("dotfiles/mcp.json")).entry);
});

test("without a client it lists those that are here, and which have it", async () => {
  using home = new Home(["zed", "codex"]);
  const { code, out } = await home.install();
  assert.equal(code, 0);
  assert.match(out, /^ {2}zed +is here +\/.*\/zed\/settings\.json$/m);
  assert.match(out, /^ {2}codex +has wasmbox /m);
  assert.match(out, /^ {2}cursor +not here /m);
});

test("another file and another name can be said, and what is written starts a server", async () => {
  using home = new Home();
  const file = `${home.directory}/project/.mcp.json`;
  await home.install("--client", "claude-code", "--file", file, "--name", "box");
  const { mcpServers } = JSON.parse(home.read("project/.mcp.json"));
  const { type, command, args } = mcpServers.box;
  assert.equal(type, "stdio");
  const server = new Deno.Command(command, { args, stdin: "piped", stdout: "piped", stderr: "null" }).spawn();
  const params = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  };
  const request = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  const writer = server.stdin.getWriter();
  await writer.write(new TextEncoder().encode(`${request}\n`));
  const reader = server.stdout.getReader();
  const { value } = await reader.read();
  assert.equal(JSON.parse(new TextDecoder().decode(value).split("\n")[0]!).result.serverInfo.name, "wasmbox");
  await writer.close();
  await reader.cancel();
  await server.status;
});

test("fixtures are what clients would take", () => {
  for (const client of CLIENT_NAMES) {
    const text = Deno.readTextFileSync(fileURLToPath(new URL(FILES[client][1], FIXTURES)));
    assert.equal(typeof parsed(client, text), "object", client);
  }
  return Promise.resolve();
});
