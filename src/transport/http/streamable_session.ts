/** One MCP session over Streamable HTTP, protocol 2025-03-26 to 2025-11-25. */

import {
  type AuthInfo,
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  McpServer,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { McpSession } from "./mcp_sessions.ts";
import type { SessionEvents } from "./resumable_events.ts";
import { JSON_RPC, Refusal, type RequestId } from "./refusal.ts";

/** Revisions whose clients may send several messages in one request (2025-03-26, Transports). */
const WITH_BATCHES = ["2025-03-26", "2024-11-05"];

export class StreamableSession implements McpSession {
  readonly #transport: WebStandardStreamableHTTPServerTransport;
  readonly #waiting = new Set<RequestId>();
  /** Of requests that came in a batch, all of it: they have one stream. */
  readonly #batches = new Map<RequestId, readonly RequestId[]>();
  /** Of requests that are answered in one piece: takes what is sent first, undefined if that is not the answer. */
  readonly #first = new Map<RequestId, (message: JSONRPCMessage | undefined) => void>();

  private constructor(
    readonly id: string,
    readonly server: Server | McpServer,
    readonly events: SessionEvents | undefined,
    ended: () => Promise<void>,
  ) {
    this.#transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: ended,
      ...events && { eventStore: events },
    });
  }

  /**
   * @param events What the client may ask for again.
   * @param ended Called when the client has ended the session.
   */
  static async open(
    id: string,
    server: Server | McpServer,
    events: SessionEvents | undefined,
    ended: () => Promise<void>,
  ): Promise<StreamableSession> {
    const session = new StreamableSession(id, server, events, ended);
    await server.connect(session.#transport);
    session.#follow();
    return session;
  }

  get #revision(): string {
    const server = this.server instanceof McpServer ? this.server.server : this.server;
    return server.getNegotiatedProtocolVersion() ?? "";
  }

  get busy(): boolean {
    return this.#waiting.size > 0;
  }

  /** @param body The parsed body of a POST. @throws {Refusal} 400. */
  async handle(request: Request, body: unknown, authInfo?: AuthInfo): Promise<Response> {
    if (Array.isArray(body) && !WITH_BATCHES.includes(this.#revision)) {
      throw new Refusal(400, "INVALID_REQUEST", "Batches are not supported by this protocol version", {
        rpcCode: JSON_RPC.invalidRequest,
        suggestions: ["Send one message in each request."],
      });
    }
    const ids = [body].flat().filter((message) => isJSONRPCRequest(message)).map((message) => message.id);
    if (ids.some((id) => this.#waiting.has(id)) || new Set(ids).size < ids.length) {
      throw new Refusal(400, "INVALID_REQUEST", "A request with this id is under way already", {
        rpcCode: JSON_RPC.invalidRequest,
        suggestions: ["Give every request an id of its own."],
      });
    }
    if (ids.length > 1) { for (const id of ids) this.#batches.set(id, ids); }
    if (request.method === "GET") this.#assertKnown(request.headers.get("last-event-id"));
    const options = { ...body !== undefined && { parsedBody: body }, ...authInfo && { authInfo } };
    return asksForFile(body)
      ? await this.#inOnePiece(body.id, () => this.#transport.handleRequest(request, options))
      : await this.#transport.handleRequest(request, options);
  }

  /** The answer as a piece of JSON; the stream that the SDK makes of it, if something else is sent before. */
  async #inOnePiece(id: RequestId, handle: () => Promise<Response>): Promise<Response> {
    const first = Promise.withResolvers<JSONRPCMessage | undefined>();
    this.#first.set(id, first.resolve);
    try {
      const stream = await handle();
      if (!stream.ok) return stream;
      const answer = await first.promise;
      if (answer === undefined) return stream;
      await stream.body?.cancel();
      return Response.json(answer, { headers: { "mcp-session-id": this.id } });
    } finally {
      this.#first.delete(id);
    }
  }

  /** @throws {Refusal} of an event of which nothing is known. */
  #assertKnown(lastEventId: string | null): void {
    if (!lastEventId || !this.events || this.events.has(lastEventId)) return;
    throw new Refusal(400, "INVALID_REQUEST", "The event that Last-Event-ID names is not known any more", {
      suggestions: ["What was sent after it can't be had again: look at what the call has changed."],
    });
  }

  async close(): Promise<void> {
    this.events?.[Symbol.dispose]();
    for (const resolve of this.#first.values()) resolve(undefined); // no answer comes any more
    await this.#transport.close();
  }

  /** Keeps account of the requests that wait, and ends the streams of those that were cancelled. */
  #follow(): void {
    const transport = this.#transport;
    const receive = transport.onmessage;
    transport.onmessage = (message, extra) => {
      if (isJSONRPCRequest(message)) this.#waiting.add(message.id);
      receive?.(message, extra);
      const cancelled = cancelledBy(message);
      if (cancelled !== undefined && this.#waiting.has(cancelled)) this.#endCancelled(cancelled);
    };
    const send = transport.send.bind(transport);
    transport.send = async (message, options) => {
      if (isResponse(message) && message.id !== undefined) {
        this.#waiting.delete(message.id);
        this.#batches.delete(message.id);
        this.#first.get(message.id)?.(message);
      } else if (options?.relatedRequestId !== undefined) {
        this.#first.get(options.relatedRequestId)?.(undefined);
      }
      await send(message, options);
    };
  }

  #endCancelled(id: RequestId): void {
    const others = this.#batches.get(id)?.some((other) => other !== id && this.#waiting.has(other));
    if (!others) this.#transport.closeSSEStream(id);
    // No answer is due, and none can be delivered any more: the transport forgets the request by it.
    const error = { code: JSON_RPC.refused, message: "Request cancelled" };
    this.#transport.send({ jsonrpc: "2.0", id, error }).catch(() => {}); // it had been answered
  }
}

/**
 * Whether the answer may be a file's contents. Clients bound an event of a stream (Python's SDK takes 1 MiB), though not a
 * piece of JSON, and have nothing of an answer that is larger.
 */
function asksForFile(body: unknown): body is JSONRPCRequest {
  return isJSONRPCRequest(body) &&
    (body.method === "resources/read" ||
      body.method === "tools/call" && body.params?.["name"] === "read_file");
}

function isResponse(message: JSONRPCMessage) {
  return isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message);
}

function cancelledBy(message: JSONRPCMessage): RequestId | undefined {
  if (!("method" in message) || message.method !== "notifications/cancelled") return undefined;
  const id = message.params?.["requestId"];
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}
