/** The routes, and what stands before them. */

import { type Context, Hono } from "hono";
import type { Origin } from "../../mcp/call_record.ts";
import type { Observer } from "../../telemetry/events.ts";
import { parseTraceparent } from "../../telemetry/trace.ts";
import { clientAddress, type Networks } from "../../config/networks.ts";
import type { ErrorCode } from "../../errors.ts";
import { logger } from "../../telemetry/log.ts";
import type { Authenticator } from "./auth/authenticator.ts";
import { METADATA_PATH, metadataUrl, protectedResourceMetadata } from "./auth/metadata.ts";
import type { Concurrency } from "./concurrency.ts";
import type { McpEndpoint } from "./endpoint.ts";
import { FILE_METHODS, FILES_PATH, type FilesEndpoint } from "./files.ts";
import type { Guard } from "./guard.ts";
import type { HttpOptions } from "../../config/http_options.ts";
import { addProbes, addStatus, type Operations, OPERATIONS_PATHS } from "./operations.ts";
import { addPage, PAGE_PATH } from "./page.ts";
import type { RateLimits } from "./rate_limits.ts";
import { JSON_RPC, Refusal } from "./refusal.ts";
import { MESSAGES_PATH, SSE_PATH, type SseEndpoints } from "./sse_endpoints.ts";
import { cors } from "hono/cors";

const log = logger("http");

/** What the listener knows of a request beside the request. */
export interface Exchange {
  readonly address: string;
  /** Resolves when the response has been sent, or can't be any more. */
  readonly done: Promise<void>;
  /** Why what the client has sent is not a request that could be served; the request only stands for it. */
  readonly refusal?: Refusal;
}

export type Handler = (request: Request, exchange: Exchange) => Response | Promise<Response>;

export interface AppParts {
  readonly options: HttpOptions;
  readonly guard: Guard;
  readonly rates: RateLimits;
  readonly concurrency: Concurrency;
  /** Whose word is taken for a client's address. */
  readonly proxies: Networks;
  readonly authenticator: Authenticator;
  readonly endpoint: McpEndpoint;
  readonly files: FilesEndpoint;
  /** Absent unless the old transport is served. */
  readonly sse: SseEndpoints | undefined;
  readonly operations: Operations;
  readonly observe: Observer;
}

type App = Hono<{ Bindings: Exchange }>;

export function createApp(parts: AppParts): App {
  const { options, guard, authenticator, endpoint, files, sse } = parts;
  const { path: mcpPath } = options;
  const app: App = new Hono();
  app.use(counted(parts));
  app.use(async (c, next) => {
    if (c.env.refusal) throw c.env.refusal;
    await next();
  });
  addProbes(app, parts.operations);
  app.use(async (c, next) => {
    guard.check(c.req.raw);
    // Hono would let the routes of GET answer it, and those open streams.
    if (c.req.method === "HEAD" && !isFile(c)) notAllowed("GET, POST, DELETE");
    await next();
  });
  if (options.corsOrigins.length > 0) app.use(corsOf(options, guard));

  const oauth = options.auth.oauth;
  if (oauth) {
    const metadata = protectedResourceMetadata(authenticator.endpoint, oauth);
    for (
      const path of new Set([
        METADATA_PATH,
        metadataUrl(authenticator.endpoint).pathname,
        METADATA_PATH + mcpPath,
      ])
    ) {
      app.get(path, (c) => c.json(metadata, 200, { "access-control-allow-origin": "*" }));
    }
  }

  // Clients are often given the URL with a slash at its end.
  for (const path of mcpPath.endsWith("/") ? [mcpPath] : [mcpPath, `${mcpPath}/`]) {
    app.on(["GET", "POST", "DELETE"], path, async (c) => {
      const { principal, origin } = await admit(parts, c);
      return await described(await endpoint.handle(c.req.raw, principal, origin, c.env.done));
    });
    app.all(path, () => notAllowed("GET, POST, DELETE"));
  }
  app.on(FILE_METHODS, `${FILES_PATH}/*`, async (c) => {
    const { principal, origin } = await admit(parts, c);
    return await files.handle(c.req.raw, principal, origin);
  });
  app.all(`${FILES_PATH}/*`, () => notAllowed(FILE_METHODS.join(", ")));
  if (sse) {
    app.get(SSE_PATH, async (c) => await sse.open((await admit(parts, c)).principal, c.env.done));
    app.all(SSE_PATH, () => notAllowed("GET"));
    app.post(MESSAGES_PATH, async (c) => {
      const { principal, origin } = await admit(parts, c);
      return await sse.receive(c.req.raw, principal, origin, c.env.done);
    });
    app.all(MESSAGES_PATH, () => notAllowed("POST"));
  }
  addStatus(app, parts);
  if (options.page) addPage(app, (c) => parts.rates.countAddress(addressOf(parts, c)));
  app.notFound((c) => nothingAt(c.req.path, mcpPath).toResponse());
  app.onError((error, c) => {
    if (error instanceof Refusal) {
      const { status, info } = error;
      const traceId = parseTraceparent(c.req.header("traceparent"))?.traceId;
      parts.observe({
        type: "http_refused",
        status,
        code: info.error_code,
        address: addressOf(parts, c),
        traceId,
      });
      return error.toResponse();
    }
    log.error("a request failed", { error });
    return new Refusal(500, "INTERNAL_ERROR", "Internal error", { rpcCode: JSON_RPC.internalError })
      .toResponse();
  });
  return app;
}

type RequestContext = Context<{ Bindings: Exchange }>;

const METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"];

function isFile(c: RequestContext): boolean {
  return c.req.path.startsWith(`${FILES_PATH}/`);
}

/** The paths that stand for all below them. */
function folderOf(c: RequestContext): string | undefined {
  return [FILES_PATH, PAGE_PATH].find((path) => c.req.path.startsWith(`${path}/`));
}

/** Tells of each answer, by route and method: words that clients can't choose. */
function counted({ options, observe }: AppParts) {
  const routes = [options.path, SSE_PATH, MESSAGES_PATH, ...OPERATIONS_PATHS];
  return async (c: RequestContext, next: () => Promise<void>): Promise<void> => {
    await next();
    const route = routes.find((path) => path === c.req.path) ?? folderOf(c) ?? "other";
    const method = METHODS.find((method) => method === c.req.method) ?? "other";
    observe({ type: "http_answered", route, method, status: c.res.status });
  };
}

function addressOf({ proxies }: AppParts, c: RequestContext): string {
  return clientAddress(c.env.address, c.req.header("x-forwarded-for"), proxies);
}

/** Lets a request in. @returns Whose it is, and where it came from. @throws {Refusal} 429, 401, 403, 503. */
async function admit(parts: AppParts, c: RequestContext): Promise<{ principal: string; origin: Origin }> {
  const { rates, authenticator, concurrency } = parts;
  const { done } = c.env;
  const address = addressOf(parts, c);
  await rates.countAddress(address);
  let principal: string;
  try {
    principal = await authenticator.principalOf(c.req.raw);
  } catch (error) {
    const guessed = error instanceof Refusal && error.status === 401 &&
      c.req.header("authorization") !== undefined;
    if (guessed) await rates.countFailure(address);
    throw error;
  }
  await rates.countPrincipal(principal);
  concurrency.enter(principal, done);
  return { principal, origin: { address, traceparent: c.req.header("traceparent") } };
}

function corsOf({ corsCredentials }: HttpOptions, guard: Guard) {
  return cors({
    origin: (origin) => guard.readableBy(origin),
    credentials: corsCredentials,
    allowMethods: ["GET", "HEAD", "POST", "PUT", "DELETE"],
    allowHeaders: [
      "Authorization",
      "Content-Type",
      "Accept",
      "Mcp-Session-Id",
      "MCP-Protocol-Version",
      "Mcp-Method",
      "Mcp-Name",
      "Last-Event-ID",
      "Range",
      "If-Match",
      "If-None-Match",
      "If-Range",
    ],
    exposeHeaders: [
      "Mcp-Session-Id",
      "WWW-Authenticate",
      "Retry-After",
      "ETag",
      "Content-Range",
      "Content-Disposition",
    ],
    maxAge: 600,
  });
}

function nothingAt(path: string, mcpPath: string): Refusal {
  const old = path === SSE_PATH || path === MESSAGES_PATH;
  return new Refusal(404, "NOT_FOUND", `There is nothing at ${path.slice(0, 200)}`, {
    suggestions: [
      `MCP is spoken at ${mcpPath}.`,
      ...old ? ["For clients that know the transport of 2024 only, set transport_http.sse = true."] : [],
    ],
  });
}

function notAllowed(allow: string): never {
  throw new Refusal(405, "INVALID_REQUEST", "Method not allowed", { headers: { allow } });
}

/** Gives the SDK's own refusals the error object that all others have. */
async function described(response: Response): Promise<Response> {
  const json = response.headers.get("content-type")?.startsWith("application/json") === true;
  if (response.ok || !json) return response;
  const body = await response.json();
  if (typeof body?.error?.message !== "string" || body.error.data !== undefined) {
    return Response.json(body, { status: response.status, headers: response.headers });
  }
  const code: ErrorCode = response.status === 404 ? "SESSION_NOT_FOUND" : "INVALID_REQUEST";
  const { info } = new Refusal(response.status, code, body.error.message);
  const described = { ...body, error: { ...body.error, data: info } };
  return Response.json(described, { status: response.status, headers: response.headers });
}
