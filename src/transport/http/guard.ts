/** What is checked of every request before anything of it is used. */

import { localhostAllowedHostnames, validateHostHeader } from "@modelcontextprotocol/server";
import { isLoopback } from "../../config/loopback.ts";
import type { HttpOptions } from "../../config/http_options.ts";
import { CONNECTION_HEADER } from "./connection.ts";
import { Refusal } from "./refusal.ts";

/** RFC 9110 section 7.2, without what no client sends: Deno makes the request's URL of it as it is. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;
const METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"];

export class Guard {
  /** Names that a Host header may have; absent where any may. */
  readonly #hosts: string[] | undefined;
  readonly #origins: ReadonlySet<string>;
  readonly #anyOrigin: boolean;
  /** That of the page, as browsers behind a proxy see it. */
  readonly #publicHost: string | undefined;

  constructor(readonly options: HttpOptions, authenticated: boolean) {
    const { hostname, allowedHosts, publicUrl, corsOrigins } = options;
    const named = [...allowedHosts, ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname])];
    // A page that rebinds its name to this server has no token: where one is asked for, any name may be used.
    const any = authenticated && named.length === 0 && !isLoopback(hostname);
    this.#hosts = any ? undefined : [...localhostAllowedHostnames(), hostname.toLowerCase(), ...named];
    this.#origins = new Set(corsOrigins);
    this.#publicHost = publicUrl === undefined ? undefined : new URL(publicUrl).host;
    this.#anyOrigin = corsOrigins.includes("*") || (corsOrigins.includes("auto") && authenticated);
  }

  /** @throws {Refusal} 400, 405, 414, 431 or 403. */
  check(request: Request): void {
    if (!METHODS.includes(request.method)) {
      throw new Refusal(405, "INVALID_REQUEST", `Method ${request.method} is not allowed`, {
        headers: { allow: METHODS.join(", ") },
      });
    }
    this.#checkSizes(request);
    if (request.headers.has("transfer-encoding") && request.headers.has("content-length")) {
      throw new Refusal(400, "INVALID_REQUEST", "The length of the body is given in two ways", {
        headers: { connection: "close" },
      });
    }
    const host = request.headers.get("host") ?? "";
    const url = URL.parse(request.url);
    if (!HOST.test(host) || !url) {
      throw new Refusal(400, "INVALID_REQUEST", "The Host header is missing or not valid");
    }
    if (this.#hosts) {
      const named = validateHostHeader(host, this.#hosts);
      // A request line with a whole URL has a host of its own (RFC 9112 section 3.2.2).
      if (!named.ok || !this.#hosts.includes(url.hostname)) {
        throw new Refusal(403, "FORBIDDEN", named.ok ? "Invalid Host" : named.message, {
          suggestions: ["Use a name that the server is told to answer to (allowed hosts)."],
        });
      }
    }
    const origin = request.headers.get("origin");
    if (origin !== null && !this.allowsOrigin(origin) && !this.#isOwnPage(origin, host)) {
      throw new Refusal(403, "FORBIDDEN", `Invalid Origin: ${origin.slice(0, 200)}`, {
        suggestions: ["Pages may call the server if it is told their origin (CORS origins)."],
      });
    }
  }

  /** Whether a page of that origin may send requests: one of the list, or any page of this machine. */
  allowsOrigin(origin: string): boolean {
    return this.#anyOrigin || this.#origins.has(origin) || isLocalPage(origin);
  }

  /**
   * Whether it is the server's own page. Where a name in Host was not checked, a page that rebinds its name to this server
   * gets that far, and no further: it has no token.
   */
  #isOwnPage(origin: string, host: string): boolean {
    if (!this.options.page || !/^https?:\/\//.test(origin)) return false;
    const from = URL.parse(origin)?.host;
    return from !== undefined && (from === this.#publicHost || from === URL.parse(`http://${host}`)?.host);
  }

  /** The origins to which a browser may show the answer, for Access-Control-Allow-Origin. */
  readableBy(origin: string): string | undefined {
    if (this.#anyOrigin) return "*";
    const named = this.#origins.has(origin) || (this.#origins.has("auto") && isLocalPage(origin));
    return named ? origin : undefined;
  }

  #checkSizes(request: Request): void {
    const { maxUrlBytes, maxHeaderBytes } = this.options;
    if (request.url.length > maxUrlBytes) {
      throw new Refusal(414, "PAYLOAD_TOO_LARGE", `The URL exceeds ${maxUrlBytes} bytes`);
    }
    let bytes = 0;
    for (const [name, value] of request.headers) {
      if (name !== CONNECTION_HEADER) bytes += name.length + value.length + 4;
    }
    if (bytes > maxHeaderBytes) {
      throw new Refusal(431, "PAYLOAD_TOO_LARGE", `The headers exceed ${maxHeaderBytes} bytes`);
    }
  }
}

function isLocalPage(origin: string): boolean {
  return URL.canParse(origin) && localhostAllowedHostnames().includes(new URL(origin).hostname) &&
    /^https?:/.test(origin);
}
