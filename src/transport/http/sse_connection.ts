/** The transport of protocol 2024-11-05, for old clients: one stream for all that the server says, POSTs for the rest. */

import {
  type AuthInfo,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type MessageExtraInfo,
  parseJSONRPCMessage,
  type Transport,
} from "@modelcontextprotocol/server";
import type { McpSession } from "./mcp_sessions.ts";
import { JSON_RPC, Refusal, type RequestId } from "./refusal.ts";

const KEEP_ALIVE_MS = 15_000;
/** What may wait for a client that does not read. */
const MAX_UNREAD_BYTES = 32 * 1024 * 1024;

const encoder = new TextEncoder();

export class SseConnection implements Transport, McpSession {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage, extra?: MessageExtraInfo) => void;

  readonly body: ReadableStream<Uint8Array>;
  #stream!: ReadableStreamDefaultController<Uint8Array>;
  readonly #waiting = new Set<RequestId>();
  #keepAlive: ReturnType<typeof setInterval> | undefined;
  #closed = false;

  /** @param messagesPath Where the client sends its messages. @param ended Called when the stream is over. */
  constructor(readonly id: string, readonly messagesPath: string, readonly ended: () => void) {
    this.body = new ReadableStream({
      start: (controller) => {
        this.#stream = controller;
      },
      cancel: () => this.close(),
    }, { highWaterMark: MAX_UNREAD_BYTES, size: (piece) => piece.length });
  }

  get busy(): boolean {
    return this.#waiting.size > 0;
  }

  start(): Promise<void> {
    this.#write(`event: endpoint\ndata: ${this.messagesPath}?sessionId=${this.id}\n\n`);
    const timer = setInterval(() => this.#write(": keep-alive\n\n"), KEEP_ALIVE_MS);
    Deno.unrefTimer(timer);
    this.#keepAlive = timer;
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (!("method" in message) && message.id !== undefined) this.#waiting.delete(message.id);
    this.#write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
    return Promise.resolve();
  }

  /** Takes what the client has POSTed. @throws {Refusal} 400. */
  receive(body: unknown, authInfo: AuthInfo): Response {
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(body);
    } catch {
      throw new Refusal(400, "INVALID_REQUEST", "Not a JSON-RPC 2.0 message", {
        rpcCode: JSON_RPC.invalidRequest,
      });
    }
    if (isJSONRPCRequest(message)) {
      if (this.#waiting.has(message.id)) {
        throw new Refusal(400, "INVALID_REQUEST", "A request with this id is under way already", {
          rpcCode: JSON_RPC.invalidRequest,
        });
      }
      this.#waiting.add(message.id);
    } else if ("method" in message && message.method === "notifications/cancelled") {
      this.#waiting.delete(message.params?.["requestId"] as RequestId);
    }
    this.onmessage?.(message, { authInfo });
    return new Response("Accepted", { status: 202 });
  }

  close(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#closed = true;
    clearInterval(this.#keepAlive);
    try {
      this.#stream.close();
    } catch {
      // the client has closed it
    }
    this.onclose?.();
    this.ended();
    return Promise.resolve();
  }

  #write(event: string): void {
    if (this.#closed) return;
    if ((this.#stream.desiredSize ?? 0) <= 0) return void this.close();
    this.#stream.enqueue(encoder.encode(event));
  }
}
