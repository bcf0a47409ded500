/** Access tokens that are JSON Web Tokens (RFC 9068), checked against the issuer's keys. */

import {
  base64url,
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  type JWTPayload,
  jwtVerify,
  type JWTVerifyGetKey,
} from "jose";
import { ConfigError } from "../../../config/error.ts";
import { isLoopback } from "../../../config/loopback.ts";
import { assertTrusted } from "../../../config/trusted_file.ts";
import { logger } from "../../../telemetry/log.ts";
import type { OAuthOptions } from "../../../config/http_options.ts";

const log = logger("auth");

export type Verdict =
  | { readonly kind: "valid"; readonly principal: string }
  | { readonly kind: "invalid"; readonly reason: string }
  | { readonly kind: "insufficient_scope" }
  /** The keys could not be had: nothing is known of the token. */
  | { readonly kind: "unavailable" };

/** Signatures by a private key: a secret in a public key set would verify what anyone can sign. */
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];
const CLOCK_TOLERANCE_SECONDS = 30;
const MAX_TOKEN_LENGTH = 16 * 1024;

export class JwtVerifier {
  readonly #keys: JWTVerifyGetKey;

  /** @throws {ConfigError} for a key set that can't be used. */
  constructor(readonly options: OAuthOptions, readonly audience: string) {
    this.#keys = keySet(options.jwks);
  }

  async verify(token: string): Promise<Verdict> {
    if (token.length > MAX_TOKEN_LENGTH) return { kind: "invalid", reason: "it is too long" };
    try {
      const { payload } = await jwtVerify(token, this.#keys, {
        issuer: this.options.issuer,
        audience: this.audience,
        algorithms: ALGORITHMS,
        requiredClaims: ["exp", "sub"],
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
      });
      const scopes = scopesOf(payload);
      if (!(this.options.requiredScopes ?? []).every((scope) => scopes.has(scope))) {
        return { kind: "insufficient_scope" };
      }
      return { kind: "valid", principal: await principalOf(this.options.issuer, payload.sub!) };
    } catch (error) {
      return verdictOn(error);
    }
  }
}

function keySet(jwks: string): JWTVerifyGetKey {
  if (!/^https?:/.test(jwks)) {
    try {
      assertTrusted(jwks);
      return createLocalJWKSet(JSON.parse(Deno.readTextFileSync(jwks)));
    } catch (error) {
      if (error instanceof ConfigError) throw error;
      throw new ConfigError(`${jwks} is not a JWKS file: ${error instanceof Error ? error.message : error}`);
    }
  }
  const url = new URL(jwks);
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    throw new ConfigError(`${jwks}: the issuer's keys must be fetched by https`);
  }
  return createRemoteJWKSet(url, { timeoutDuration: 5_000, cooldownDuration: 30_000, cacheMaxAge: 600_000 });
}

function verdictOn(error: unknown): Verdict {
  if (error instanceof errors.JWTExpired) return { kind: "invalid", reason: "it has expired" };
  if (error instanceof errors.JWTClaimValidationFailed) {
    return { kind: "invalid", reason: `its claim ${error.claim} is not accepted` };
  }
  const unavailable = !(error instanceof errors.JOSEError) || error instanceof errors.JWKSTimeout ||
    error instanceof errors.JWKSInvalid || error.code === "ERR_JOSE_GENERIC";
  if (!unavailable) return { kind: "invalid", reason: "it is not a token signed by the issuer" };
  const reason = error instanceof Error ? error.message : String(error);
  log.error("the issuer's keys could not be used: {reason}", { reason });
  return { kind: "unavailable" };
}

/** RFC 8693's `scope`, and `scp` as some issuers have it. */
function scopesOf(payload: JWTPayload): Set<string> {
  const all = [payload["scope"], payload["scp"]].flat().filter((value) => typeof value === "string");
  return new Set(all.flatMap((value) => value.split(" ")));
}

/** A name that is safe everywhere and can't be that of a static token's. */
async function principalOf(issuer: string, subject: string): Promise<string> {
  const identity = new TextEncoder().encode(JSON.stringify([issuer, subject]));
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", identity));
  return `_oauth_${base64url.encode(hash)}`;
}
