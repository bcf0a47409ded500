/** OAuth 2.0 Protected Resource Metadata (RFC 9728): where a client finds out who issues tokens for this server. */

import type { OAuthOptions } from "../../../config/http_options.ts";

export const METADATA_PATH = "/.well-known/oauth-protected-resource";

/** RFC 9728 section 3.1: the well-known path goes before the resource's own. */
export function metadataUrl(endpoint: URL): URL {
  return new URL(METADATA_PATH + (endpoint.pathname === "/" ? "" : endpoint.pathname), endpoint);
}

/** RFC 9728 section 2. */
export function protectedResourceMetadata(endpoint: URL, oauth: OAuthOptions): Record<string, unknown> {
  return {
    resource: endpoint.href,
    authorization_servers: [oauth.issuer],
    bearer_methods_supported: ["header"],
    scopes_supported: oauth.requiredScopes ?? [],
    resource_name: "wasmbox",
  };
}
