/** `/sse` and `/messages`. */

import type { Origin } from "../../mcp/call_record.ts";
import type { SessionTable } from "../../session/table.ts";
import { logger } from "../../telemetry/log.ts";
import type { ServerFactory } from "../server_options.ts";
import { readJson } from "./body.ts";
import { authInfoOf } from "./endpoint.ts";
import { McpSessions } from "./mcp_sessions.ts";
import type { HttpOptions } from "../../config/http_options.ts";
import { sessionNotFound } from "./refusal.ts";
import { SseConnection } from "./sse_connection.ts";

const log = logger("http");

export const SSE_PATH = "/sse";
export const MESSAGES_PATH = "/messages";

export class SseEndpoints {
  readonly #connections: McpSessions<SseConnection>;

  constructor(createServer: ServerFactory, sandboxes: SessionTable, readonly options: HttpOptions) {
    this.#connections = new McpSessions(createServer, sandboxes, options);
  }

  /** @param done Resolves when the stream is over. @throws {Refusal} 503. */
  async open(principal: string, done: Promise<void>): Promise<Response> {
    const { id, server } = await this.#connections.admit(principal);
    const end = () =>
      void this.#connections.end(id).catch((error) => log.error("a stream could not be ended", { error }));
    const connection = new SseConnection(id, MESSAGES_PATH, end);
    this.#connections.add(principal, connection);
    this.#connections.use(principal, id, done);
    void done.then(end);
    await server.connect(connection);
    return new Response(connection.body, {
      headers: {
        "content-type": "text/event-stream",
        "cache-control": "no-cache",
        "x-accel-buffering": "no",
      },
    });
  }

  /** @throws {Refusal} 404, and those of {@link readJson}. */
  async receive(request: Request, principal: string, origin: Origin, done: Promise<void>): Promise<Response> {
    const id = new URL(request.url).searchParams.get("sessionId");
    if (id === null) throw sessionNotFound();
    const connection = this.#connections.use(principal, id, done);
    return connection.receive(await readJson(request, this.options), authInfoOf(principal, origin));
  }

  /** Ends the connections of those who may not call any more. */
  endOf(principals: ReadonlySet<string>): void {
    this.#connections.endOf(principals);
  }

  async close(): Promise<void> {
    await this.#connections.close();
  }
}
