/** The HTTP server: many clients, each with a principal of its own. */

import { ConfigError } from "../../config/policy.ts";
import { logger } from "../../telemetry/log.ts";
import { compose, LOCAL_PRINCIPAL, type ServerOptions } from "../server_options.ts";
import { createApp, MCP_PATH } from "./app.ts";
import { Authenticator } from "./auth/authenticator.ts";
import { Concurrency } from "./concurrency.ts";
import { McpEndpoint } from "./endpoint.ts";
import { Guard } from "./guard.ts";
import { type Handler, listen, type Listening } from "./listener.ts";
import { isLoopback } from "./loopback.ts";
import { DEFAULT_HTTP_OPTIONS, type HttpOptions } from "./options.ts";
import { RateLimits } from "./rate_limits.ts";
import { Refusal } from "./refusal.ts";
import { SseEndpoints } from "./sse_endpoints.ts";

const log = logger("http");

/**
 * Serves until the process is told to end; then everything it started has ended too.
 *
 * @param given Of the options; the rest have their defaults.
 * @throws {ConfigError} for options that are not safe together, or an address that can't be listened on.
 */
export async function serveOnHttp(given: Partial<HttpOptions>, server: ServerOptions = {}): Promise<void> {
  const options: HttpOptions = { ...DEFAULT_HTTP_OPTIONS, ...given };
  checkOptions(options);
  let serve: Handler = () => Refusal.later(503, "SERVER_BUSY", "The server is starting", 1).toResponse();
  const listening = bind(options, (request, exchange) => serve(request, exchange));
  const local = localUrl(options.hostname, listening.port);
  const authenticator = new Authenticator(options.auth, new URL(options.publicUrl ?? local));
  const { sessions, createServer } = compose(server);
  await using _ending = sessions;
  const endpoint = new McpEndpoint(createServer, sessions, options);
  const sse = options.sse ? new SseEndpoints(createServer, sessions, options) : undefined;
  const app = createApp({
    options,
    guard: new Guard(options, authenticator.required),
    rates: new RateLimits(options),
    concurrency: new Concurrency(options),
    authenticator,
    endpoint,
    sse,
  });
  const ending = toldToEnd(); // before anyone is told that it listens
  serve = (request, exchange) => app.fetch(request, exchange);
  if (!authenticator.required) sessions.warm(LOCAL_PRINCIPAL, "default").catch(() => {}); // told by the first call
  log.info("listening on {url}", { url: local });
  if (!authenticator.required && !isLoopback(options.hostname)) {
    log.warning("everyone who can reach this address can run code here, without a token");
  }
  await ending;
  serve = () => Refusal.later(503, "SHUTTING_DOWN", "The server is shutting down", 5).toResponse();
  await Promise.all([endpoint.close(), sse?.close()]);
  await listening.close(options.shutdownMs);
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

/** @throws {ConfigError} */
function checkOptions(
  { hostname, auth, allowUnauthenticated, corsOrigins, corsCredentials }: HttpOptions,
): void {
  const open = !auth.oauth && Object.keys(auth.tokens ?? {}).length === 0;
  if (open && !allowUnauthenticated && !isLoopback(hostname)) {
    throw new ConfigError(
      `refusing to listen on ${hostname} without authentication: other machines could run code here.\n` +
        "Set tokens (--token-file, WASMBOX_AUTH_TOKENS), listen on 127.0.0.1, or pass --allow-unauthenticated.",
    );
  }
  const all = corsOrigins.includes("*");
  if (all && corsCredentials) {
    throw new ConfigError("CORS for all origins (*) can't be combined with credentials");
  }
  if (all && open && !allowUnauthenticated) {
    throw new ConfigError(
      "CORS for all origins (*) without authentication would let any web page run code here",
    );
  }
}

function localUrl(hostname: string, port: number): string {
  const host = hostname.includes(":") && !hostname.startsWith("[") ? `[${hostname}]` : hostname;
  return `http://${host}:${port}${MCP_PATH}`;
}

async function toldToEnd(): Promise<void> {
  const told = Promise.withResolvers<void>();
  for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, () => told.resolve());
  await told.promise;
}
