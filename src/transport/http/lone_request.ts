/**
 * A request on its own: tools/list or tools/call as curl and plain HTTP clients send it, without initialize, session or
 * an Accept header for streams. It is answered in one piece of JSON by a server that lives no longer.
 */

import {
  type AuthInfo,
  isJSONRPCRequest,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { ServerFactory } from "../server_options.ts";

const METHODS = ["tools/list", "tools/call"];

/** @param body The parsed body of a POST. */
export function isLoneRequest(request: Request, body: unknown): boolean {
  // Who takes streams speaks the protocol, and should be told that its session is missing.
  const takesStreams = request.headers.get("accept")?.includes("text/event-stream") === true;
  return !takesStreams && !request.headers.has("mcp-session-id") && isJSONRPCRequest(body) &&
    METHODS.includes(body.method);
}

/** What runs is stopped when the client goes away. @param done Resolves when the response has been sent, or can't be. */
export async function answerLone(
  createServer: ServerFactory,
  request: Request,
  body: unknown,
  authInfo: AuthInfo,
  done: Promise<void>,
): Promise<Response> {
  const server = createServer({ principal: authInfo.clientId, defaultSession: undefined });
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  request.signal.addEventListener("abort", () => void server.close(), { once: true });
  void done.then(() => server.close());
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const plain = new Request(request.url, { method: "POST", headers });
  return await transport.handleRequest(plain, { parsedBody: body, authInfo });
}
