/** What the HTTP server can be told; keys and defaults are in mcp_schema.ts. */

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
  /** Of the MCP endpoint. */
  readonly path: string;
  /** The endpoint as clients see it, where a proxy stands in front. Absent: made of hostname and port. */
  readonly publicUrl?: string;
  readonly auth: AuthOptions;
  /** Serves everyone who can connect, also from other machines, without asking who they are. */
  readonly allowUnauthenticated: boolean;
  /** Names that a Host header may have, without port, beside those of this machine and the public URL. */
  readonly allowedHosts: readonly string[];
  /**
   * Origins (`https://app.example`) whose pages may call the server; `*` for all; `auto` for all where callers have to
   * tell who they are, else for pages of this machine.
   */
  readonly corsOrigins: readonly string[];
  /** Lets pages send cookies and HTTP authentication along; never together with `*`. */
  readonly corsCredentials: boolean;
  /** Serves the transport of 2024-11-05 too: `/sse` and `/messages`. */
  readonly sse: boolean;
  /** Addresses and networks of proxies: what they say of the client's address (X-Forwarded-For) is believed. */
  readonly trustedProxies: readonly string[];

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
   * Without a request or an open stream, after which an MCP session may be ended, with its default session, because its
   * principal needs room for another one.
   */
  readonly mcpSessionReclaimMs: number;
  /** How long what was sent to a client can be asked for again after its connection broke. 0: not at all. */
  readonly resumeMs: number;
  /** Of that, as JSON: of one MCP session, and of all. */
  readonly resumeMaxBytes: number;
  readonly resumeTotalBytes: number;
  /**
   * Bounds connections, at the cost of passing their bytes on. Without it the three bounds below are not kept; leave
   * that to a proxy in front which bounds connections itself.
   */
  readonly boundConnections: boolean;
  /** Serves `/metrics`. */
  readonly metrics: boolean;
  /** Who may read them where callers have to tell who they are; without it nobody may then. */
  readonly metricsToken: string | null;
  /** TCP connections; more are refused. */
  readonly maxConnections: number;
  /** Of an address that is no trusted proxy. */
  readonly maxConnectionsPerAddress: number;
  /** A connection without a complete request for so long is closed: idle, or sending its headers slowly. */
  readonly connectionIdleMs: number;
  /** How long requests may take to end once the server is told to. */
  readonly shutdownMs: number;
}
