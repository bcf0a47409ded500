/** The real HTTP server with one tool more that does nothing. Its rates are counted, but too high to be met. */

import { DEFAULT_LIMITS } from "../../../src/config/limits.ts";
import { TOOLS } from "../../../src/mcp/tools/mod.ts";
import { serveOnHttp } from "../../../src/transport/http/serve_http.ts";
import { noop } from "../noop.ts";

const rate = { requests: 1e9, perMs: 10_000 };

await serveOnHttp({
  port: 0,
  ratePerPrincipal: rate,
  ratePerAddress: rate,
  ...JSON.parse(Deno.env.get("TEST_HTTP") ?? "{}"),
}, {
  tools: [...TOOLS, noop],
  limits: { ...DEFAULT_LIMITS, maxSessions: 1000, maxSessionsPerClient: 1000, maxQueuedCalls: 64 },
});
Deno.exit(0);
