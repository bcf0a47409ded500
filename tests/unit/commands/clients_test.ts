import assert from "node:assert/strict";
import { CLIENT_NAMES } from "../../../src/command_line/commands.ts";
import { CLIENTS } from "../../../src/commands/install/clients.ts";

const paths = (env: Record<string, string>, os: typeof Deno.build.os) =>
  Object.fromEntries(CLIENT_NAMES.map((name) => [name, CLIENTS[name].path(env, os)]));

Deno.test("each client's file is where its documents say, on each system", () => {
  assert.deepEqual(paths({ HOME: "/home/ana" }, "linux"), {
    "claude-desktop": "/home/ana/.config/Claude/claude_desktop_config.json",
    "claude-code": "/home/ana/.claude.json",
    cursor: "/home/ana/.cursor/mcp.json",
    vscode: "/home/ana/.config/Code/User/mcp.json",
    zed: "/home/ana/.config/zed/settings.json",
    windsurf: "/home/ana/.codeium/windsurf/mcp_config.json",
    codex: "/home/ana/.codex/config.toml",
    gemini: "/home/ana/.gemini/settings.json",
  });
  const mac = paths({ HOME: "/Users/ana" }, "darwin");
  assert.equal(
    mac["claude-desktop"],
    "/Users/ana/Library/Application Support/Claude/claude_desktop_config.json",
  );
  assert.equal(mac["vscode"], "/Users/ana/Library/Application Support/Code/User/mcp.json");
  assert.equal(mac["zed"], "/Users/ana/.config/zed/settings.json");
  const windows = paths(
    { USERPROFILE: "C:\\Users\\ana", APPDATA: "C:\\Users\\ana\\AppData\\Roaming\\" },
    "windows",
  );
  assert.equal(
    windows["claude-desktop"],
    "C:\\Users\\ana\\AppData\\Roaming/Claude/claude_desktop_config.json",
  );
  assert.equal(windows["zed"], "C:\\Users\\ana\\AppData\\Roaming/Zed/settings.json");
  assert.equal(windows["cursor"], "C:\\Users\\ana/.cursor/mcp.json");
});

Deno.test("variables that move a client's settings are heeded; without any there is no place", () => {
  const env = { HOME: "/h", XDG_CONFIG_HOME: "/x", CODEX_HOME: "/c", CLAUDE_CONFIG_DIR: "/d" };
  const { zed, vscode, codex, "claude-code": code } = paths(env, "linux");
  assert.deepEqual([zed, vscode, codex, code], [
    "/x/zed/settings.json",
    "/x/Code/User/mcp.json",
    "/c/config.toml",
    "/d/.claude.json",
  ]);
  assert.deepEqual(new Set(Object.values(paths({}, "linux"))), new Set([undefined]));
});
