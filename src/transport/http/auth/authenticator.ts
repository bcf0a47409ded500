/** Who is calling. */

import { LOCAL_PRINCIPAL } from "../../../session/names.ts";
import type { AuthOptions, OAuthOptions } from "../../../config/http_options.ts";
import { Refusal } from "../refusal.ts";
import { JwtVerifier } from "./jwt.ts";
import { metadataUrl } from "./metadata.ts";
import { StaticTokens } from "./static_tokens.ts";

/** Finds the principal behind a request; with nothing configured everyone is the local one. */
export class Authenticator {
  /** Whether callers have to tell who they are. */
  readonly required: boolean;
  readonly #tokens: StaticTokens;
  readonly #jwt: JwtVerifier | undefined;
  readonly #oauth: OAuthOptions | undefined;

  /** @param endpoint The endpoint's URL as clients see it: the resource that tokens are for. */
  constructor({ tokens = {}, oauth }: AuthOptions, readonly endpoint: URL) {
    this.#tokens = new StaticTokens(tokens);
    this.#oauth = oauth;
    this.#jwt = oauth && new JwtVerifier(oauth, oauth.audience ?? endpoint.href);
    this.required = oauth !== undefined || Object.keys(tokens).length > 0;
  }

  /**
   * RFC 6750: tokens come in the Authorization header only.
   *
   * @returns The principal. @throws {Refusal} 401, 403 (a scope is missing), or 503 (the issuer's keys can't be had).
   */
  async principalOf(request: Request): Promise<string> {
    if (!this.required) return LOCAL_PRINCIPAL;
    const header = request.headers.get("authorization");
    if (header === null) throw this.#unauthorized("A bearer token is required", undefined);
    const token = /^Bearer +([\w.~+/-]+=*)$/i.exec(header)?.[1];
    if (token === undefined) {
      throw this.#unauthorized("The Authorization header is not a bearer token", "invalid_request");
    }
    const name = await this.#tokens.nameOf(token);
    if (name !== undefined) return name;
    if (!this.#jwt) throw this.#unauthorized("The token is not valid", "invalid_token");
    const verdict = await this.#jwt.verify(token);
    switch (verdict.kind) {
      case "valid":
        return verdict.principal;
      case "invalid":
        throw this.#unauthorized(`The token is not valid: ${verdict.reason}`, "invalid_token");
      case "insufficient_scope":
        throw new Refusal(403, "FORBIDDEN", "The token lacks a scope", {
          suggestions: [`Get a token with: ${this.#oauth?.requiredScopes?.join(" ")}.`],
          headers: { "www-authenticate": this.#challenge("insufficient_scope", "the token lacks a scope") },
        });
      case "unavailable":
        throw Refusal.later(503, "SERVER_BUSY", "The issuer's keys could not be fetched", 5);
    }
  }

  #unauthorized(message: string, error: string | undefined): Refusal {
    return new Refusal(401, "UNAUTHORIZED", message, {
      suggestions: ["Send a valid token: Authorization: Bearer …"],
      headers: { "www-authenticate": this.#challenge(error, message) },
    });
  }

  /** RFC 6750 section 3 and RFC 9728 section 5.1. @param error Absent where no token was sent at all. */
  #challenge(error: string | undefined, description: string): string {
    const parameters: Record<string, string | undefined> = {
      realm: "wasmbox",
      error,
      error_description: error && description,
      scope: this.#oauth?.requiredScopes?.join(" ") || undefined,
      resource_metadata: this.#oauth && metadataUrl(this.endpoint).href,
    };
    const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
    return `Bearer ${given.map(([name, value]) => `${name}="${quoted(value!)}"`).join(", ")}`;
  }
}

function quoted(value: string): string {
  return value.replaceAll(/[^\x20-\x7e]/g, "?").replaceAll(/["\\]/g, "\\$&");
}
