/** What clients are told of this server, each in its own file and its own words. */

export interface Configuration {
  readonly title: string;
  /** Where it belongs. */
  readonly place: string;
  readonly text: string;
}

const json = (value: unknown) => JSON.stringify(value, null, 2);

/** @param needsToken Whether callers have to tell who they are; the token itself is never shown. */
export function clientConfigurations(url: string, needsToken: boolean): readonly Configuration[] {
  const bearer = "Bearer YOUR_TOKEN";
  const headers = needsToken ? { headers: { Authorization: bearer } } : {};
  const flag = needsToken ? ` --header "Authorization: ${bearer}"` : "";
  const servers = (entry: object) => json({ mcpServers: { wasmbox: { ...entry, ...headers } } });
  return [
    {
      title: "Claude Code",
      place: "A command",
      text: `claude mcp add --transport http wasmbox ${url}${flag}`,
    },
    {
      title: "Claude Desktop",
      place:
        "claude_desktop_config.json (Settings, Developer, Edit Config); it starts mcp-remote, which needs Node",
      text: json({
        mcpServers: {
          wasmbox: {
            command: "npx",
            args: ["-y", "mcp-remote", url, ...needsToken ? ["--header", `Authorization: ${bearer}`] : []],
          },
        },
      }),
    },
    { title: "Cursor", place: "~/.cursor/mcp.json", text: servers({ url }) },
    {
      title: "VS Code",
      place: ".vscode/mcp.json",
      text: json({ servers: { wasmbox: { type: "http", url, ...headers } } }),
    },
    {
      title: "Zed",
      place: "settings.json",
      text: json({ context_servers: { wasmbox: { url, ...headers } } }),
    },
    { title: "Windsurf", place: "~/.codeium/windsurf/mcp_config.json", text: servers({ serverUrl: url }) },
    {
      title: "Codex",
      place: needsToken
        ? "~/.codex/config.toml, with the token in the variable WASMBOX_TOKEN"
        : "~/.codex/config.toml",
      text: `[mcp_servers.wasmbox]\nurl = "${url}"\n${
        needsToken ? 'bearer_token_env_var = "WASMBOX_TOKEN"\n' : ""
      }`.trimEnd(),
    },
    { title: "Gemini CLI", place: "~/.gemini/settings.json", text: servers({ httpUrl: url }) },
  ];
}
