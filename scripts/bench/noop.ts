/** A tool that does nothing: what the protocol alone costs. */

import * as z from "zod";
import { defineTool } from "../../src/mcp/tool.ts";

export const noop = defineTool({
  name: "noop",
  title: "Nothing",
  description: "Does nothing.",
  input: z.strictObject({}),
  output: z.object({ ok: z.boolean() }),
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  run: () => Promise.resolve({ output: { ok: true }, text: "ok" }),
});
