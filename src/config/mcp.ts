/** The server's settings that mcp.toml, the environment and the command line add up to. */

import { DEFAULT_LOG, type LogOptions } from "../telemetry/log.ts";
import { keysByName } from "./document.ts";
import { ConfigError } from "./error.ts";
import type { AuthOptions, HttpOptions, OAuthOptions, Rate } from "./http_options.ts";
import { type Document, given, type Layer } from "./layer.ts";
import { isLoopback } from "./loopback.ts";
import {
  AUDIT_KEYS,
  type AuditSettings,
  DEFAULT_AUDIT,
  DEFAULT_HTTP,
  DEFAULT_SERVER,
  DEFAULT_STDIO,
  HTTP_KEYS,
  type HttpSettings,
  LOG_KEYS,
  SERVER_KEYS,
  type ServerSettings,
  STDIO_KEYS,
  type StdioSettings,
  TOOL_KEYS,
} from "./mcp_schema.ts";
import { DEFAULT_STORE, STORE_KEYS, type StoreSettings } from "./store_schema.ts";
import { checkTokens, parseTokens } from "./tokens.ts";
import { DEFAULT_TOOLS, type ToolSettings } from "./tool_settings.ts";
import { DEFAULT_VOLUMES, VOLUME_KEYS, type VolumeKeys } from "./volumes.ts";

const TOLD_BY_WASMBOX = "clients are sent wasmbox's own name, version and instructions";
const WHICH_TRANSPORT = 'server.transport = "stdio" or "http" says which one is served';

export const MCP_DOCUMENT: Document = {
  file: "mcp.toml",
  prefix: "",
  keys: keysByName(
    SERVER_KEYS,
    STDIO_KEYS,
    HTTP_KEYS,
    TOOL_KEYS,
    LOG_KEYS,
    AUDIT_KEYS,
    STORE_KEYS,
    VOLUME_KEYS,
  ),
  foreign: {
    "server.name": TOLD_BY_WASMBOX,
    "server.version": TOLD_BY_WASMBOX,
    "server.instructions": TOLD_BY_WASMBOX,
    "transport_stdio.enabled": WHICH_TRANSPORT,
    "transport_http.enabled": WHICH_TRANSPORT,
    "transport_http.max_request_size_mb": "write max_request_bytes",
    "sessions.default_timeout_seconds": "write session_idle_seconds in policy.toml",
    "sessions.max_sessions_per_client": "write max_sessions_per_client in policy.toml",
    "sessions.max_memory_mb": "write memory_bytes in policy.toml",
    "logging.structured": 'write format = "json"',
  },
};

export interface McpSettings {
  readonly server: ServerSettings;
  readonly stdio: StdioSettings;
  readonly http: HttpSettings;
  readonly tools: ToolSettings;
  readonly log: LogOptions;
  readonly audit: AuditSettings;
  readonly store: StoreSettings;
  readonly volumes: VolumeKeys;
}

export function mcpSettingsOf(layer: Layer): McpSettings {
  const { prefix } = MCP_DOCUMENT;
  return {
    server: { ...DEFAULT_SERVER, ...given(SERVER_KEYS, prefix, layer) },
    stdio: { ...DEFAULT_STDIO, ...given(STDIO_KEYS, prefix, layer) },
    http: { ...DEFAULT_HTTP, ...given(HTTP_KEYS, prefix, layer) },
    tools: { ...DEFAULT_TOOLS, ...given(TOOL_KEYS, prefix, layer) },
    log: { ...DEFAULT_LOG, ...given(LOG_KEYS, prefix, layer) },
    audit: { ...DEFAULT_AUDIT, ...given(AUDIT_KEYS, prefix, layer) },
    store: { ...DEFAULT_STORE, ...given(STORE_KEYS, prefix, layer) },
    volumes: { ...DEFAULT_VOLUMES, ...given(VOLUME_KEYS, prefix, layer) },
  };
}

/** The principal of clients that use `auth_token`. */
const TOKEN_PRINCIPAL = "token";

/**
 * @param tokensFile The contents of `auth_tokens_file`, if it is set.
 * @throws {ConfigError} for keys that need each other.
 */
export function httpOptionsOf(settings: HttpSettings, tokensFile?: string): HttpOptions {
  const {
    publicUrl,
    authToken,
    authTokens,
    authTokensFile,
    oauthIssuer,
    oauthAudience,
    oauthJwks,
    oauthRequiredScopes,
    rateRequests,
    rateWindowMs,
    addressRateRequests,
    addressRateWindowMs,
    authFailures,
    authFailuresWindowMs,
    ...same
  } = settings;
  const tokens: Record<string, string> = {};
  const add = (more: Readonly<Record<string, string>>) => {
    for (const [name, token] of Object.entries(more)) {
      if (Object.hasOwn(tokens, name)) throw new ConfigError(`two tokens have the name "${name}"`);
      tokens[name] = token;
    }
  };
  add(authTokens);
  if (authToken !== null) add({ [TOKEN_PRINCIPAL]: authToken });
  if (tokensFile !== undefined) add(parseTokens(tokensFile, authTokensFile ?? "auth_tokens_file"));
  checkTokens(tokens);
  const auth: AuthOptions = {
    tokens,
    ...(oauthIssuer !== null || oauthJwks !== null || oauthAudience !== null || oauthRequiredScopes.length > 0
      ? { oauth: oauthOf(settings) }
      : {}),
  };
  return {
    ...same,
    ...(publicUrl !== null && { publicUrl }),
    auth,
    ratePerPrincipal: rate(rateRequests, rateWindowMs),
    ratePerAddress: rate(addressRateRequests, addressRateWindowMs),
    authFailuresPerAddress: rate(authFailures, authFailuresWindowMs),
  };
}

function rate(requests: number, perMs: number): Rate | null {
  return requests === 0 ? null : { requests, perMs };
}

function oauthOf({ oauthIssuer, oauthAudience, oauthJwks, oauthRequiredScopes }: HttpSettings): OAuthOptions {
  if (oauthIssuer === null || oauthJwks === null) {
    throw new ConfigError("transport_http: OAuth needs both oauth_issuer and oauth_jwks");
  }
  return {
    issuer: oauthIssuer,
    jwks: oauthJwks,
    requiredScopes: oauthRequiredScopes,
    ...(oauthAudience !== null && { audience: oauthAudience }),
  };
}

/** The options in force when nothing is configured. */
export const DEFAULT_HTTP_OPTIONS: HttpOptions = httpOptionsOf(DEFAULT_HTTP);

/** Whether callers have to authenticate. */
export function isAuthenticated({ auth }: HttpOptions): boolean {
  return auth.oauth !== undefined || Object.keys(auth.tokens ?? {}).length > 0;
}

/** @throws {ConfigError} for options that are not safe together. */
export function checkHttpOptions(options: HttpOptions): void {
  const { hostname, allowUnauthenticated, corsOrigins, corsCredentials } = options;
  const open = !isAuthenticated(options);
  if (open && !allowUnauthenticated && !isLoopback(hostname)) {
    throw new ConfigError(
      `refusing to listen on ${hostname} without authentication: other machines could run code here.\n` +
        "Set tokens (--token-file, WASMBOX_AUTH_TOKENS, transport_http.auth_token), listen on 127.0.0.1, or pass " +
        "--allow-unauthenticated.",
    );
  }
  const all = corsOrigins.includes("*") || (corsOrigins.includes("auto") && !open);
  if (all && corsCredentials) {
    throw new ConfigError("CORS for all origins (*) can't be combined with credentials");
  }
  if (corsOrigins.includes("*") && open && !allowUnauthenticated) {
    throw new ConfigError(
      "CORS for all origins (*) without authentication would let any web page run code here",
    );
  }
}
