/** Requests as they go over the wire. */

const CLIENT = { name: "bench", version: "1.0.0" };
const REVISION = "2026-07-28";

const ENVELOPE = {
  "io.modelcontextprotocol/protocolVersion": REVISION,
  "io.modelcontextprotocol/clientInfo": CLIENT,
  "io.modelcontextprotocol/clientCapabilities": {},
};

export function post(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): string {
  const text = JSON.stringify(body);
  const all = {
    host: "127.0.0.1",
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "content-length": String(new TextEncoder().encode(text).length),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n${text}`;
}

/** A call on the stateless protocol. */
export function statelessCall(name: string, args: Readonly<Record<string, unknown>> = {}): string {
  const params = { name, arguments: args, _meta: ENVELOPE };
  return post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params }, {
    "mcp-protocol-version": REVISION,
    "mcp-method": "tools/call",
    "mcp-name": name,
  });
}

/** A call on an MCP session, which this opens. One call at a time can be under way with it: its id is always the same. */
export async function sessionCall(url: URL, name: string): Promise<string> {
  const version = "2025-11-25";
  const send = async (body: unknown, session: Record<string, string>) => {
    const accept = "application/json, text/event-stream";
    const headers = { "content-type": "application/json", accept, ...session };
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
    await response.text();
    return response.headers.get("mcp-session-id") ?? "";
  };
  const params = { protocolVersion: version, capabilities: {}, clientInfo: CLIENT };
  const id = await send({ jsonrpc: "2.0", id: 0, method: "initialize", params }, {});
  const session = { "mcp-session-id": id, "mcp-protocol-version": version };
  await send({ jsonrpc: "2.0", method: "notifications/initialized" }, session);
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {} } };
  return post("/mcp", call, session);
}
