/** The keys of mcp.toml, and their defaults. */

import * as z from "zod/mini";
import type { AuditOptions } from "../telemetry/audit.ts";
import { LOG_FORMATS, LOG_LEVELS, type LogOptions } from "../telemetry/log.ts";
import type { HttpOptions } from "./http_options.ts";
import {
  bytes,
  choice,
  type ConfigKey,
  count,
  having,
  type Keys,
  list,
  seconds,
  table,
  text,
  toggle,
} from "./key.ts";
import { FLAVOR_NAMES, type FlavorName } from "./limits.ts";
import { isNetwork } from "./networks.ts";
import { parseTokens, TOKEN, TOKEN_NAME } from "./tokens.ts";
import { TOOL_PROFILES, type ToolSettings } from "./tool_settings.ts";

const MIB = 1024 * 1024;
const DAY_SECONDS = 86_400;

export const TRANSPORTS = ["stdio", "http"] as const;

export interface ServerSettings {
  readonly transport: typeof TRANSPORTS[number];
  /** For sessions that are created without one. */
  readonly defaultFlavor: FlavorName | null;
  /** How long running executions may take to finish once the server is told to end. */
  readonly drainMs: number;
}

export const SERVER_KEYS: Keys<ServerSettings> = {
  transport: having({ restart: true }, choice("server.transport", TRANSPORTS)),
  defaultFlavor: choice("server.default_flavor", FLAVOR_NAMES),
  drainMs: having({ restart: true }, seconds("server.drain_seconds", 0, 3600)),
};

export const DEFAULT_SERVER: ServerSettings = { transport: "stdio", defaultFlavor: null, drainMs: 10_000 };

export interface StdioSettings {
  /** The longest message that a client may send. */
  readonly maxMessageBytes: number;
}

export const STDIO_KEYS: Keys<StdioSettings> = {
  maxMessageBytes: having(
    { restart: true },
    bytes("transport_stdio.max_message_bytes", 64 * 1024, 1024 * MIB),
  ),
};

/** Room for code at its limit, escaped as JSON, and for the rest of the message. */
export const DEFAULT_STDIO: StdioSettings = { maxMessageBytes: 16 * MIB };

/** The parts of {@link HttpOptions} that are made of several keys. */
type Composed = "auth" | "publicUrl" | "ratePerPrincipal" | "ratePerAddress" | "authFailuresPerAddress";

/** The HTTP server's settings, one for each key. */
export interface HttpSettings extends Omit<HttpOptions, Composed> {
  readonly publicUrl: string | null;
  /** The token of the principal `token`. */
  readonly authToken: string | null;
  readonly authTokens: Readonly<Record<string, string>>;
  readonly authTokensFile: string | null;
  readonly oauthIssuer: string | null;
  readonly oauthAudience: string | null;
  readonly oauthJwks: string | null;
  readonly oauthRequiredScopes: readonly string[];
  /** 0 means no limit, here and below. */
  readonly rateRequests: number;
  readonly rateWindowMs: number;
  readonly addressRateRequests: number;
  readonly addressRateWindowMs: number;
  readonly authFailures: number;
  readonly authFailuresWindowMs: number;
}

const http = (name: string) => `transport_http.${name}`;
const session = (name: string) => `sessions.${name}`;

const RESERVED =
  /^\/(sse|messages|page|files|health|healthz|ready|readyz|status|metrics|\.well-known)?(\/|$)/;
const isPath = (path: string) => /^(\/[\w.~-]+){1,8}$/.test(path) && !RESERVED.test(path);
const isUrl = (url: string) => /^https?:\/\/[^\s]+$/.test(url) && URL.canParse(url);
const isOrigin = (origin: string) =>
  origin === "*" || origin === "auto" || (isUrl(origin) && new URL(origin).origin === origin);
const TOKEN_TEXT = "16 to 512 characters of A-Z a-z 0-9 . _ ~ + / -";
/** Underscores are allowed: names of containers have them. */
const isHost = (host: string) => /^([\w.-]{1,253}|\[?[\da-f:.]{2,45}\]?)$/i.test(host);

const authTokens: ConfigKey<HttpSettings["authTokens"]> = {
  ...table(
    http("auth_tokens"),
    () => z.string().check(z.regex(TOKEN_NAME, "names of 1 to 64 characters of A-Z a-z 0-9 . _ -")),
    () =>
      z.string("a token").check(z.regex(TOKEN, "a token: 16 to 512 characters of A-Z a-z 0-9 . _ ~ + / -")),
  ),
  parse: (text) => parseTokens(text, "its value"),
  secret: true,
};

export const HTTP_KEYS: Keys<HttpSettings> = {
  hostname: having({ restart: true }, text(http("host"), "an address or a host name to listen on", isHost)),
  port: having({ restart: true }, count(http("port"), 0, 65535)),
  path: having(
    { restart: true },
    text(http("path"), 'a path such as "/mcp", and not one of the server\'s own', isPath),
  ),
  sse: having({ restart: true }, toggle(http("sse"))),
  page: toggle(http("page")),
  publicUrl: text(http("public_url"), "a URL: http(s)://…", isUrl),
  authToken: having(
    { secret: true },
    text(http("auth_token"), TOKEN_TEXT, (token) => TOKEN.test(token)),
  ),
  authTokens,
  authTokensFile: having({ path: true }, text(http("auth_tokens_file"), "a path", (path) => path !== "")),
  oauthIssuer: text(http("oauth_issuer"), "a URL: http(s)://…", isUrl),
  oauthJwks: having({ path: true }, text(http("oauth_jwks"), "a URL or a path", (jwks) => jwks !== "")),
  oauthAudience: text(http("oauth_audience"), "text that is not empty", (audience) => audience !== ""),
  oauthRequiredScopes: list(
    http("oauth_required_scopes"),
    "scopes",
    (scope) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope),
  ),
  allowUnauthenticated: toggle(http("allow_unauthenticated")),
  corsOrigins: list(http("cors_origins"), 'origins such as "https://app.example", "*" or "auto"', isOrigin),
  corsCredentials: toggle(http("cors_credentials")),
  allowedHosts: list(http("allowed_hosts"), "host names without ports", isHost),
  trustedProxies: having(
    { restart: true },
    list(http("trusted_proxies"), 'addresses or networks such as "10.0.0.0/8"', isNetwork),
  ),
  rateRequests: count(http("rate_limit_requests"), 0, 1e9),
  rateWindowMs: seconds(http("rate_limit_window_seconds"), 1, DAY_SECONDS),
  addressRateRequests: count(http("address_rate_limit_requests"), 0, 1e9),
  addressRateWindowMs: seconds(http("address_rate_limit_window_seconds"), 1, DAY_SECONDS),
  authFailures: count(http("auth_failure_limit"), 0, 1e9),
  authFailuresWindowMs: seconds(http("auth_failure_window_seconds"), 1, DAY_SECONDS),
  maxConcurrentRequests: count(http("max_concurrent_requests"), 1, 1e6),
  maxConcurrentRequestsPerPrincipal: count(http("max_concurrent_requests_per_client"), 1, 1e6),
  requestTimeoutMs: seconds(http("request_timeout_seconds"), 0.1, 3600),
  maxBodyBytes: bytes(http("max_request_bytes"), 1024, 1024 * MIB),
  maxBodyDepth: count(http("max_request_depth"), 10, 1000),
  maxUrlBytes: bytes(http("max_url_bytes"), 256, 64 * 1024),
  maxHeaderBytes: bytes(http("max_header_bytes"), 1024, MIB),
  boundConnections: having({ restart: true }, toggle(http("bound_connections"))),
  maxConnections: count(http("max_connections"), 1, 100_000),
  maxConnectionsPerAddress: count(http("max_connections_per_address"), 1, 100_000),
  connectionIdleMs: seconds(http("connection_idle_seconds"), 0.1, 3600),
  resumeMs: seconds(http("resume_seconds"), 0, DAY_SECONDS),
  resumeMaxBytes: bytes(http("resume_max_bytes"), 0, 1024 * MIB),
  resumeTotalBytes: bytes(http("resume_total_bytes"), 0, 64 * 1024 * MIB),
  shutdownMs: seconds(http("shutdown_seconds"), 0, 3600),
  maxMcpSessions: count(session("max_mcp_sessions"), 1, 100_000),
  maxMcpSessionsPerPrincipal: count(session("max_mcp_sessions_per_client"), 1, 100_000),
  mcpSessionIdleMs: seconds(session("mcp_session_idle_seconds"), 0.1, 7 * DAY_SECONDS),
  mcpSessionReclaimMs: seconds(session("reclaim_after_seconds"), 0, 7 * DAY_SECONDS),
  metrics: toggle("metrics.enabled"),
  metricsToken: having({ secret: true }, text("metrics.token", TOKEN_TEXT, (token) => TOKEN.test(token))),
};

export const DEFAULT_HTTP: HttpSettings = {
  hostname: "127.0.0.1",
  port: 8080,
  path: "/mcp",
  publicUrl: null,
  allowedHosts: [],
  trustedProxies: [],
  corsOrigins: [],
  corsCredentials: false,
  sse: false,
  page: true,
  allowUnauthenticated: false,
  authToken: null,
  authTokens: {},
  authTokensFile: null,
  oauthIssuer: null,
  oauthAudience: null,
  oauthJwks: null,
  oauthRequiredScopes: [],
  rateRequests: 6000,
  rateWindowMs: 10_000,
  addressRateRequests: 10_000,
  addressRateWindowMs: 10_000,
  authFailures: 30,
  authFailuresWindowMs: 60_000,
  maxConcurrentRequests: 1024,
  maxConcurrentRequestsPerPrincipal: 256,
  requestTimeoutMs: 30_000,
  maxBodyBytes: 8 * MIB,
  maxBodyDepth: 100,
  maxUrlBytes: 8 * 1024,
  maxHeaderBytes: 32 * 1024,
  boundConnections: true,
  maxConnections: 2000,
  maxConnectionsPerAddress: 1000,
  connectionIdleMs: 60_000,
  shutdownMs: 5_000,
  resumeMs: 300_000,
  resumeMaxBytes: 8 * MIB,
  resumeTotalBytes: 128 * MIB,
  maxMcpSessions: 1000,
  maxMcpSessionsPerPrincipal: 200,
  mcpSessionIdleMs: 1_800_000,
  mcpSessionReclaimMs: 60_000,
  metrics: true,
  metricsToken: null,
};

export const TOOL_KEYS: Keys<ToolSettings> = {
  profile: having({ restart: true }, choice("tools.profile", TOOL_PROFILES)),
  requireSession: having({ restart: true }, toggle("tools.require_session")),
  heartbeatMs: having({ restart: true }, seconds("tools.heartbeat_seconds", 0.1, 3600)),
};

export const LOG_KEYS: Keys<LogOptions> = {
  level: choice("logging.level", LOG_LEVELS),
  format: choice("logging.format", LOG_FORMATS),
};

export interface AuditSettings extends Omit<AuditOptions, "path"> {
  /** Null if nothing is recorded. */
  readonly path: string | null;
}

export const AUDIT_KEYS: Keys<AuditSettings> = {
  path: having({ restart: true, path: true }, text("audit.path", "a path", (path) => path !== "")),
  maxBytes: having({ restart: true }, bytes("audit.max_bytes", 64 * 1024, 1024 * MIB)),
  keptFiles: having({ restart: true }, count("audit.kept_files", 0, 1000)),
  required: having({ restart: true }, toggle("audit.required")),
};

export const DEFAULT_AUDIT: AuditSettings = {
  path: null,
  maxBytes: 10 * MIB,
  keptFiles: 5,
  required: false,
};
