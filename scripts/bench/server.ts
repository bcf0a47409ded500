/** The real stdio server with one tool more that does nothing: what the protocol alone costs. */

import { DEFAULT_LIMITS, type Limits } from "../../src/config/limits.ts";
import { TOOLS } from "../../src/mcp/tools/mod.ts";
import { serveOnStdio } from "../../src/transport/serve_stdio.ts";
import { noop } from "./noop.ts";

await serveOnStdio({
  tools: [...TOOLS, noop],
  limits: {
    ...DEFAULT_LIMITS,
    maxSessions: 1000,
    maxSessionsPerClient: 1000,
    ...JSON.parse(Deno.env.get("TEST_LIMITS") ?? "{}") as Partial<Limits>,
  },
});
Deno.exit(0);
