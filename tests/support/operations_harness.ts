/** Calls of tools by hand, with a trace each, and what operators read: metrics, log lines, audit records. */

import { inFull } from "../../src/mcp/left_out.ts";
import type { HttpServer } from "./http_harness.ts";
import type { Reply } from "./harness.ts";

const VERSION = "2026-07-28";

/** A call that was answered. */
export interface Answered {
  readonly status: number;
  readonly traceId: string;
  /** The tool's structured content. */
  readonly reply: Reply;
  /** The code of the error, wherever in the answer it is. */
  readonly error: string | undefined;
}

/** Counts whatever it is told of. */
export class Tally {
  readonly counts = new Map<string, number>();

  add(key: string, by = 1): void {
    this.counts.set(key, (this.counts.get(key) ?? 0) + by);
  }

  sorted(): [string, number][] {
    return [...this.counts].sort(([a], [b]) => a < b ? -1 : 1);
  }
}

/** A caller that keeps account of its calls. */
export class Caller {
  readonly calls: (Answered & { readonly tool: string; readonly args: Record<string, unknown> })[] = [];
  #id = 0;

  /** @param statuses Of HTTP, by class, of all callers. */
  constructor(readonly server: HttpServer, readonly token: string, readonly statuses: Tally) {}

  async call(tool: string, args: Record<string, unknown>): Promise<Answered> {
    const traceId = crypto.randomUUID().replaceAll("-", "");
    const response = await this.server.post({
      jsonrpc: "2.0",
      id: ++this.#id,
      method: "tools/call",
      params: {
        name: tool,
        arguments: args,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": VERSION,
          "io.modelcontextprotocol/clientInfo": { name: "operations-test", version: "1" },
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    }, {
      authorization: `Bearer ${this.token}`,
      "mcp-protocol-version": VERSION,
      "mcp-method": "tools/call",
      "mcp-name": tool,
      traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
    });
    this.statuses.add(`${Math.floor(response.status / 100)}xx`);
    const body = await response.json();
    const reply = body.result && inFull(body.result.structuredContent);
    const error = body.error?.data?.error_code ?? reply?.error?.error_code;
    const answered = { status: response.status, traceId, reply, error };
    this.calls.push({ ...answered, tool, args });
    return answered;
  }

  /** Runs JavaScript. */
  async run(session: string, code: string, more: Record<string, unknown> = {}): Promise<Reply> {
    const args = { code, language: "javascript", session_id: session, ...more };
    return (await this.call("execute_code", args)).reply;
  }
}

/** Values by series: `name{label="value"}`. */
export async function readMetrics(server: HttpServer, token?: string): Promise<Map<string, number>> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(new URL("/metrics", server.url), { headers });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status}: ${text}`);
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(lines.map((line) => {
    const end = line.lastIndexOf(" ");
    return [line.slice(0, end), Number(line.slice(end + 1))];
  }));
}

/** The series of one metric, by their labels in braces. */
export function series(metrics: ReadonlyMap<string, number>, name: string): [string, number][] {
  const own = [...metrics].filter(([key]) => key === name || key.startsWith(`${name}{`));
  return own.map(([key, value]) => [key.slice(name.length), value] as [string, number])
    .sort(([a], [b]) => a < b ? -1 : 1);
}

export function jsonLines(text: string): Record<string, unknown>[] {
  return text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
}
