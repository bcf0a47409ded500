/** The real stdio server with one tool more that does nothing: what the protocol alone costs. */

import { z } from "zod";
import { DEFAULT_LIMITS, type Limits } from "../../src/config/limits.ts";
import { defineTool } from "../../src/mcp/tool.ts";
import { TOOLS } from "../../src/mcp/tools/mod.ts";
import { serveOnStdio } from "../../src/transport/serve_stdio.ts";

const noop = defineTool({
  name: "noop",
  title: "Nothing",
  description: "Does nothing.",
  input: z.strictObject({}),
  output: z.object({ ok: z.boolean() }),
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  run: () => Promise.resolve({ output: { ok: true }, text: "ok" }),
});

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
