/** The MCP endpoint: one path for the protocols with sessions and for the stateless one. */

import {
  type AuthInfo,
  isInitializeRequest,
  isJSONRPCRequest,
  isLegacyRequest,
  PROTOCOL_VERSION_META_KEY,
  type ServerEventBus,
} from "@modelcontextprotocol/server";
import type { Origin } from "../../mcp/call_record.ts";
import type { SessionTable } from "../../session/table.ts";
import type { ServerFactory } from "../server_options.ts";
import { readJson } from "./body.ts";
import { McpSessions } from "./mcp_sessions.ts";
import type { HttpOptions } from "../../config/http_options.ts";
import { answerLone, isLoneRequest } from "./lone_request.ts";
import { JSON_RPC, Refusal } from "./refusal.ts";
import { ResumableEvents } from "./resumable_events.ts";
import { StatelessHandlers } from "./stateless_handlers.ts";
import { StreamableSession } from "./streamable_session.ts";

export class McpEndpoint {
  readonly #sessions: McpSessions<StreamableSession>;
  readonly #stateless: StatelessHandlers;
  readonly #events: ResumableEvents;
  /** Exchanges under way in which tools are called. */
  readonly #calls = new Set<Promise<void>>();

  constructor(
    readonly createServer: ServerFactory,
    readonly sandboxes: SessionTable,
    readonly options: HttpOptions,
    changes?: ServerEventBus,
  ) {
    this.#sessions = new McpSessions(createServer, sandboxes, options);
    this.#events = new ResumableEvents(options);
    this.#stateless = new StatelessHandlers(createServer, sandboxes, changes);
  }

  /** @param done Resolves when the response has been sent, or can't be any more. @throws {Refusal} */
  async handle(request: Request, principal: string, origin: Origin, done: Promise<void>): Promise<Response> {
    const body = request.method === "POST" ? await readJson(request, this.options) : undefined;
    if (this.sandboxes.host.draining && asks(request, body)) throw shuttingDown();
    if (callsTool(body)) this.#answer(done);
    const authInfo = authInfoOf(principal, origin);
    if (claimsEnvelope(body) || !await isLegacyRequest(request, body)) {
      return await this.#stateless.fetch(saysWhatItAccepts(request), body, authInfo, done);
    }
    const id = request.headers.get("mcp-session-id");
    if (id !== null) {
      const session = this.#sessions.use(principal, id, done);
      return await session.handle(saysWhatItAccepts(request), body, authInfo);
    }
    if (isLoneRequest(request, body)) {
      return await answerLone(this.createServer, request, body, authInfo, done);
    }
    if (!isInitializeRequest(body)) {
      throw new Refusal(400, "INVALID_REQUEST", "Bad Request: Mcp-Session-Id header is required", {
        rpcCode: Array.isArray(body) ? JSON_RPC.invalidRequest : JSON_RPC.refused,
        suggestions: [
          "Send initialize first, and the Mcp-Session-Id of its answer with every request after it.",
        ],
      });
    }
    return await this.#initialize(saysWhatItAccepts(request), principal, body);
  }

  /** Ends the MCP sessions of those who may not call any more. */
  endOf(principals: ReadonlySet<string>): void {
    this.#sessions.endOf(principals);
  }

  /** Settles when the calls of tools that were let in are answered, as far as their clients wait. */
  async answered(): Promise<void> {
    while (this.#calls.size > 0) await Promise.all(this.#calls);
  }

  async close(): Promise<void> {
    await Promise.all([this.#sessions.close(), this.#stateless.close()]);
  }

  #answer(done: Promise<void>): void {
    this.#calls.add(done);
    void done.then(() => this.#calls.delete(done));
  }

  async #initialize(request: Request, principal: string, body: unknown): Promise<Response> {
    const { id, server } = await this.#sessions.admit(principal);
    const events = this.#events.ofSession();
    const session = await StreamableSession.open(id, server, events, () => this.#sessions.end(id));
    const response = await session.handle(request, body);
    if (response.ok) this.#sessions.add(principal, session);
    else await session.close();
    return response;
  }
}

/** What a server that is about to end tells everyone. */
export function shuttingDown(): Refusal {
  return Refusal.later(503, "SHUTTING_DOWN", "The server is shutting down", 5);
}

function asks(request: Request, body: unknown): boolean {
  return request.method === "GET" || [body].flat().some((message) => isJSONRPCRequest(message));
}

function callsTool(body: unknown): boolean {
  const named = (message: unknown) => (message as { method?: unknown } | null)?.method === "tools/call";
  return [body].flat().some((message) => named(message) && isJSONRPCRequest(message));
}

/**
 * Whether a message says which revision it is of, as every request of the stateless protocol does. The SDK routes all of
 * these to that protocol, however wrong the rest may be; asking it would have the whole message checked twice.
 */
function claimsEnvelope(body: unknown): boolean {
  const { method, params } = (body ?? {}) as { method?: unknown; params?: { _meta?: unknown } | null };
  const meta = params?._meta;
  return typeof method === "string" && typeof meta === "object" && meta !== null &&
    PROTOCOL_VERSION_META_KEY in meta;
}

/**
 * A POST that takes whatever it is sent (no Accept header, or one of everything, as of curl), in the words that the SDK
 * looks for: RFC 9110, section 12.5.1. Its body has been read.
 */
function saysWhatItAccepts(request: Request): Request {
  const accept = request.headers.get("accept");
  const everything = accept === null || accept.split(",").some((range) => /^\s*\*\/\*\s*(?:;|$)/.test(range));
  if (request.method !== "POST" || !everything) return request;
  const headers = new Headers(request.headers);
  headers.set("accept", "application/json, text/event-stream");
  return new Request(request.url, { method: "POST", headers, signal: request.signal });
}

/** How the SDK carries who calls, and from where, to the handlers. */
export function authInfoOf(principal: string, origin: Origin): AuthInfo {
  return { token: "", clientId: principal, scopes: [], extra: { ...origin } };
}
