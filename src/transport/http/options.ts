/** What the HTTP server can be told, with its defaults. */

/** How many requests a key may send in a window of time. */
export interface Rate {
  readonly requests: number;
  readonly perMs: number;
}

/** OAuth 2.1: the server as a resource server that accepts JSON Web Tokens of one issuer. */
export interface OAuthOptions {
  /** The authorization server's identifier, as in the tokens' `iss`. */
  readonly issuer: string;
  /** What the tokens' `aud` must contain. Absent: the URL of the endpoint. */
  readonly audience?: string;
  /** The issuer's keys: an http(s) URL, or the path of a JWKS file. */
  readonly jwks: string;
  /** Scopes that a token must have, all of them. */
  readonly requiredScopes?: readonly string[];
}

export interface AuthOptions {
  /** Static bearer tokens, by the name that becomes the principal. */
  readonly tokens?: Readonly<Record<string, string>>;
  readonly oauth?: OAuthOptions;
}

export interface HttpOptions {
  readonly hostname: string;
  /** 0 for any free one. */
  readonly port: number;
  /** The endpoint as clients see it, where a proxy stands in front. Absent: made of hostname and port. */
  readonly publicUrl?: string;
  readonly auth: AuthOptions;
  /** Serves everyone who can connect, also from other machines, without asking who they are. */
  readonly allowUnauthenticated: boolean;
  /** Names that a Host header may have, without port, beside those of this machine and the public URL. */
  readonly allowedHosts: readonly string[];
  /** Origins (`https://app.example`) whose pages may call the server; `*` for all. */
  readonly corsOrigins: readonly string[];
  /** Lets pages send cookies and HTTP authentication along; never together with `*`. */
  readonly corsCredentials: boolean;
  /** Serves the transport of 2024-11-05 too: `/sse` and `/messages`. */
  readonly sse: boolean;

  readonly maxUrlBytes: number;
  /** Of all headers together. */
  readonly maxHeaderBytes: number;
  readonly maxBodyBytes: number;
  /** Levels of arrays and objects in a body. */
  readonly maxBodyDepth: number;
  /** For receiving a request's body, not for answering it. */
  readonly requestTimeoutMs: number;
  /** Requests being answered at the same time; streams that wait for notifications count too. */
  readonly maxConcurrentRequests: number;
  readonly maxConcurrentRequestsPerPrincipal: number;
  readonly ratePerPrincipal: Rate | null;
  readonly ratePerAddress: Rate | null;
  /** Requests with a wrong token from one address, after which it has to wait. */
  readonly authFailuresPerAddress: Rate | null;
  /** MCP sessions of the protocol up to 2025-11-25, and SSE connections. */
  readonly maxMcpSessions: number;
  readonly maxMcpSessionsPerPrincipal: number;
  /** Without a request, after which an MCP session is forgotten. */
  readonly mcpSessionIdleMs: number;
  /**
   * Bounds connections, at the cost of passing their bytes on. Without it the three bounds below are not kept; leave
   * that to a proxy in front which bounds connections itself.
   */
  readonly boundConnections: boolean;
  /** TCP connections; more are refused. */
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  /** A connection without a complete request for so long is closed: idle, or sending its headers slowly. */
  readonly connectionIdleMs: number;
  /** How long requests may take to end once the server is told to. */
  readonly shutdownMs: number;
}

export const DEFAULT_HTTP_OPTIONS: HttpOptions = {
  hostname: "127.0.0.1",
  port: 8080,
  auth: {},
  allowUnauthenticated: false,
  allowedHosts: [],
  corsOrigins: [],
  corsCredentials: false,
  sse: false,
  maxUrlBytes: 8 * 1024,
  maxHeaderBytes: 32 * 1024,
  maxBodyBytes: 8 * 1024 * 1024,
  maxBodyDepth: 100,
  requestTimeoutMs: 30_000,
  maxConcurrentRequests: 1024,
  maxConcurrentRequestsPerPrincipal: 256,
  ratePerPrincipal: { requests: 6000, perMs: 10_000 },
  ratePerAddress: { requests: 10_000, perMs: 10_000 },
  authFailuresPerAddress: { requests: 30, perMs: 60_000 },
  maxMcpSessions: 1000,
  maxMcpSessionsPerPrincipal: 200,
  mcpSessionIdleMs: 30 * 60_000,
  boundConnections: true,
  maxConnections: 2000,
  maxConnectionsPerAddress: 1000,
  connectionIdleMs: 60_000,
  shutdownMs: 5_000,
};
