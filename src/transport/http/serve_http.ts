/** The HTTP server: many clients, each with a principal of its own. */

import { ConfigError } from "../../config/error.ts";
import type { HttpOptions } from "../../config/http_options.ts";
import { isLoopback } from "../../config/loopback.ts";
import { checkHttpOptions, DEFAULT_HTTP_OPTIONS } from "../../config/mcp.ts";
import { Networks } from "../../config/networks.ts";
import { logger } from "../../telemetry/log.ts";
import { Metrics } from "../../telemetry/metrics.ts";
import { VERSION } from "../../version.ts";
import { LOCAL_PRINCIPAL } from "../../session/names.ts";
import { compose, DEFAULT_DRAIN_MS, type ServerOptions } from "../server_options.ts";
import { farewell, grace, stop, termination } from "../termination.ts";
import { createApp, type Handler } from "./app.ts";
import { Authenticator } from "./auth/authenticator.ts";
import { Concurrency } from "./concurrency.ts";
import { McpEndpoint, shuttingDown } from "./endpoint.ts";
import { FilesEndpoint } from "./files.ts";
import { Guard } from "./guard.ts";
import { listen, type Listening } from "./listener.ts";
import type { Operations } from "./operations.ts";
import { RateLimits } from "./rate_limits.ts";
import { Refusal } from "./refusal.ts";
import { SseEndpoints } from "./sse_endpoints.ts";

const log = logger("http");

/** For last answers to arrive, where there was no time for the work itself. */
const HURRIED_MS = 500;

/**
 * Serves until the process is told to end; then everything it started has ended too.
 *
 * @param given Of the options; the rest have their defaults.
 * @throws {ConfigError} for options that are not safe together, or an address that can't be listened on.
 */
export async function serveOnHttp(given: Partial<HttpOptions>, server: ServerOptions = {}): Promise<void> {
  /** What can change while the server runs is changed in here: its parts look it up whenever they need it. */
  const options: HttpOptions = { ...DEFAULT_HTTP_OPTIONS, ...given };
  checkHttpOptions(options);
  let serve: Handler = () => Refusal.later(503, "SERVER_BUSY", "The server is starting", 1).toResponse();
  const listening = bind(options, (request, exchange) => serve(request, exchange));
  const local = localUrl(options, listening.port);
  const authenticatorFor = ({ auth, publicUrl }: HttpOptions) =>
    new Authenticator(auth, new URL(publicUrl ?? local));
  const authenticator = authenticatorFor(options);
  const metrics = new Metrics({ version: VERSION, ...Deno.version });
  const { sessions, createServer, observe, audit } = compose({
    ...server,
    observers: [...server.observers ?? [], metrics.observe],
  });
  using _flushed = audit;
  await using _ending = sessions;
  const endpoint = new McpEndpoint(createServer, sessions, options, server.changes);
  const files = new FilesEndpoint(sessions, options, { observe, audit, spans: server.spans });
  const sse = options.sse ? new SseEndpoints(createServer, sessions, options) : undefined;
  const concurrency = new Concurrency(options);
  const proxies = new Networks(options.trustedProxies);
  const operations: Operations = {
    metrics,
    status() {
      if (sessions.host.draining) return "shutting_down";
      if (audit?.required && !audit.recover()) return "audit_unavailable";
      return sessions.readiness();
    },
  };
  const handlerFor = (authenticator: Authenticator): Handler => {
    const guard = new Guard(options, authenticator.required);
    const rates = new RateLimits(options, observe);
    const parts = {
      options,
      guard,
      rates,
      concurrency,
      authenticator,
      proxies,
      endpoint,
      files,
      sse,
      operations,
      observe,
    };
    const app = createApp(parts);
    return (request, exchange) => app.fetch(request, exchange);
  };
  const { asked, insisted } = termination(); // before anyone is told that it listens
  serve = handlerFor(authenticator);
  let ended = false;
  server.reloads?.add(({ http }) => {
    const authenticator = authenticatorFor(http);
    return () => {
      if (ended) return;
      const gone = new Set(Object.keys(options.auth.tokens ?? {}));
      for (const name of Object.keys(http.auth.tokens ?? {})) gone.delete(name);
      Object.assign(options, { publicUrl: undefined }, http);
      serve = handlerFor(authenticator);
      endpoint.endOf(gone);
      sse?.endOf(gone);
      warnIfOpen(options, authenticator);
    };
  });
  if (!authenticator.required) sessions.warm(LOCAL_PRINCIPAL, "default").catch(() => {}); // told by the first call
  log.info("listening on {url}", { url: local });
  warnIfOpen(options, authenticator);
  await asked;
  const { drainMs = DEFAULT_DRAIN_MS } = server;
  log.info(farewell(sessions.executions.length, drainMs));
  const all = await grace(Promise.all([sessions.drain(), endpoint.answered()]), drainMs, insisted);
  if (!all) await stop(sessions, () => endpoint.answered());
  ended = true;
  serve = () => shuttingDown().toResponse();
  await Promise.all([endpoint.close(), sse?.close()]);
  await listening.close(all ? options.shutdownMs : Math.min(options.shutdownMs, HURRIED_MS));
}

/** @throws {ConfigError} */
function bind(options: HttpOptions, handler: Handler): Listening {
  try {
    return listen(options, handler);
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    throw new ConfigError(`can't listen on ${options.hostname}:${options.port}: ${reason}`);
  }
}

function warnIfOpen({ hostname }: HttpOptions, { required }: Authenticator): void {
  if (required || isLoopback(hostname)) return;
  log.warning("everyone who can reach this address can run code here, without a token");
}

function localUrl({ hostname, path }: HttpOptions, port: number): string {
  const host = hostname.includes(":") && !hostname.startsWith("[") ? `[${hostname}]` : hostname;
  return `http://${host}:${port}${path}`;
}
