/** MCP clients that keep their servers in a file of their own: where that is, and what an entry looks like. */

import type { CLIENT_NAMES } from "../../command_line/commands.ts";
import type { Environment } from "../../config/environment.ts";

export type ClientName = typeof CLIENT_NAMES[number];

/** How a client is to start the server. */
export interface Invocation {
  readonly command: string;
  readonly args: readonly string[];
}

export interface Client {
  readonly title: string;
  readonly format: "json" | "json with comments" | "toml";
  /** The key of all servers in the file. */
  readonly section: string;
  /** Fields besides command and arguments. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Undefined where the environment does not say where that would be. */
  path(env: Environment, os: typeof Deno.build.os): string | undefined;
  /** What is to be done then. */
  readonly then: string;
}

const MCP_SERVERS = { section: "mcpServers", fields: {} } as const;

/** A path below the user's directory. */
function inHome(below: string): Client["path"] {
  return (env, os) => under(os === "windows" ? env["USERPROFILE"] ?? env["HOME"] : env["HOME"], below);
}

/** A path below where programs keep their settings: each system has a place of its own. */
function inSettings(below: string): Client["path"] {
  return (env, os) => {
    if (os === "windows") return under(env["APPDATA"], below);
    if (os === "darwin") return under(env["HOME"], `Library/Application Support/${below}`);
    return under(env["XDG_CONFIG_HOME"], below) ?? under(env["HOME"], `.config/${below}`);
  };
}

/** A path below what a variable names, or else below the user's directory. */
function inNamed(variable: string, below: string, otherwise: string): Client["path"] {
  return (env, os) => under(env[variable], below) ?? inHome(otherwise)(env, os);
}

function under(directory: string | undefined, below: string): string | undefined {
  return directory ? `${directory.replace(/[/\\]+$/, "")}/${below}` : undefined;
}

export const CLIENTS: Readonly<Record<ClientName, Client>> = {
  "claude-desktop": {
    title: "Claude Desktop",
    format: "json",
    ...MCP_SERVERS,
    path: inSettings("Claude/claude_desktop_config.json"),
    then: "Quit Claude Desktop and start it again.",
  },
  "claude-code": {
    title: "Claude Code",
    format: "json",
    section: "mcpServers",
    fields: { type: "stdio" },
    path: inNamed("CLAUDE_CONFIG_DIR", ".claude.json", ".claude.json"),
    then:
      "Start a new session of Claude Code; /mcp shows it. (One that is open may write its own file again: end it first.)",
  },
  cursor: {
    title: "Cursor",
    format: "json",
    ...MCP_SERVERS,
    path: inHome(".cursor/mcp.json"),
    then: "Cursor finds it by itself; Settings, Tools & MCP shows it.",
  },
  vscode: {
    title: "VS Code",
    format: "json with comments",
    section: "servers",
    fields: { type: "stdio" },
    path: inSettings("Code/User/mcp.json"),
    then: 'In VS Code, "MCP: List Servers" shows it and starts it.',
  },
  zed: {
    title: "Zed",
    format: "json with comments",
    section: "context_servers",
    fields: { source: "custom" },
    path: (env, os) =>
      os === "windows"
        ? inSettings("Zed/settings.json")(env, os)
        : inNamed("XDG_CONFIG_HOME", "zed/settings.json", ".config/zed/settings.json")(env, os),
    then: "Zed starts it by itself; the settings of its agent panel show it.",
  },
  windsurf: {
    title: "Windsurf",
    format: "json",
    ...MCP_SERVERS,
    path: inHome(".codeium/windsurf/mcp_config.json"),
    then: "In Windsurf's Cascade, refresh the MCP servers.",
  },
  codex: {
    title: "Codex",
    format: "toml",
    section: "mcp_servers",
    fields: {},
    path: inNamed("CODEX_HOME", "config.toml", ".codex/config.toml"),
    then: "Start Codex again; /mcp shows it.",
  },
  gemini: {
    title: "Gemini CLI",
    format: "json with comments",
    ...MCP_SERVERS,
    path: inHome(".gemini/settings.json"),
    then: "Start Gemini CLI again; /mcp shows it.",
  },
};
