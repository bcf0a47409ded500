/** The options of the HTTP server; their keys and defaults are in mcp_schema.ts. */

/** How many requests are allowed in a window of time. */
export interface Rate {
  readonly requests: number;
  readonly perMs: number;
}

/** OAuth 2.1: the server as a resource server that accepts JSON Web Tokens of one issuer. */
export interface OAuthOptions {
  /** The authorization server's identifier, as in the tokens' `iss`. */
  readonly issuer: string;
  /** What the tokens' `aud` must contain; the URL of the endpoint if absent. */
  readonly audience?: string;
  /** The issuer's keys: an http(s) URL, or the path of a JWKS file. */
  readonly jwks: string;
  /** Scopes, all of which a token must have. */
  readonly requiredScopes?: readonly string[];
}

export interface AuthOptions {
  /** Static bearer tokens, by the names that become principals. */
  readonly tokens?: Readonly<Record<string, string>>;
  readonly oauth?: OAuthOptions;
}

export interface HttpOptions {
  readonly hostname: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Of the MCP endpoint. */
  readonly path: string;
  /** The endpoint as clients see it, if it is behind a proxy; made of host name and port if absent. */
  readonly publicUrl?: string;
  readonly auth: AuthOptions;
  /** Serves everyone who can connect, even from other machines, without authentication. */
  readonly allowUnauthenticated: boolean;
  /** Names that a Host header may contain (without port), besides those of this machine and the public URL. */
  readonly allowedHosts: readonly string[];
  /**
   * Origins (`https://app.example`) whose pages may call the server; `*` for all; `auto` for all if callers have to
   * authenticate, else for pages of this machine.
   */
  readonly corsOrigins: readonly string[];
  /** Lets pages send cookies and HTTP authentication; can't be combined with `*`. */
  readonly corsCredentials: boolean;
  /** Also serves the transport of 2024-11-05: `/sse` and `/messages`. */
  readonly sse: boolean;
  /** Addresses and networks of proxies that are trusted to name the client's address (X-Forwarded-For). */
  readonly trustedProxies: readonly string[];

  readonly maxUrlBytes: number;
  /** For all headers together. */
  readonly maxHeaderBytes: number;
  readonly maxBodyBytes: number;
  /** How deeply arrays and objects in a body may be nested. */
  readonly maxBodyDepth: number;
  /** For receiving the body of a request, not for answering it. */
  readonly requestTimeoutMs: number;
  /** Requests being answered at the same time, including streams that wait for notifications. */
  readonly maxConcurrentRequests: number;
  readonly maxConcurrentRequestsPerPrincipal: number;
  readonly ratePerPrincipal: Rate | null;
  readonly ratePerAddress: Rate | null;
  /** After this many requests with a wrong token, an address has to wait. */
  readonly authFailuresPerAddress: Rate | null;
  /** MCP sessions of the protocol up to 2025-11-25, and SSE connections. */
  readonly maxMcpSessions: number;
  readonly maxMcpSessionsPerPrincipal: number;
  /** After this long without a request, an MCP session is forgotten. */
  readonly mcpSessionIdleMs: number;
  /**
   * After this long without a request or an open stream, an MCP session may be ended, together with its default session,
   * because its principal needs room for another one.
   */
  readonly mcpSessionReclaimMs: number;
  /** How long a client whose connection broke can ask again for what was sent to it; 0 for not at all. */
  readonly resumeMs: number;
  /** How much of that is kept, as JSON: for one MCP session, and for all. */
  readonly resumeMaxBytes: number;
  readonly resumeTotalBytes: number;
  /**
   * Bounds connections, at the cost of relaying their bytes. Without it the three bounds below are not enforced: turn it
   * off only behind a proxy that bounds connections itself.
   */
  readonly boundConnections: boolean;
  /** Serves a page for people to browsers that ask for `/`. */
  readonly page: boolean;
  /** Serves `/metrics`. */
  readonly metrics: boolean;
  /** The token for reading them if callers have to authenticate; without it nobody can read them then. */
  readonly metricsToken: string | null;
  /** TCP connections; any more are refused. */
  readonly maxConnections: number;
  /** For each address that is not a trusted proxy. */
  readonly maxConnectionsPerAddress: number;
  /**
   * A connection is closed that has no complete request for this long (it is idle, or sends its headers too slowly), or
   * whose client takes nothing of an answer for this long; at the latest after a quarter more.
   */
  readonly connectionIdleMs: number;
  /** How long requests may take to finish once the server is told to end. */
  readonly shutdownMs: number;
}
