import { z } from "zod";
import { sessionIdSchema } from "../../schemas.ts";
import { defineTool } from "../../tool.ts";

const WORKSPACE = "/app";

const input = z.strictObject({
  session_id: sessionIdSchema.optional().describe("A session. All of them have the same paths."),
});
const output = z.object({
  volumes: z.array(z.object({
    sandbox_path: z.string(),
    host_path: z.string().nullable().describe("null: it is in the sandbox alone."),
    writable: z.boolean(),
  })),
});

export const getVolumePath = defineTool({
  name: "get_volume_path",
  title: "Get volume paths",
  description: "Tells under which paths programs find files that stay: the session's own workspace.",
  input,
  output,
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  run({ session_id }, { sessions, principal }) {
    if (session_id !== undefined) sessions.get(principal, session_id);
    return Promise.resolve({
      output: { volumes: [{ sandbox_path: WORKSPACE, host_path: null, writable: true }] },
      text: `${WORKSPACE}: the session's own files. No directories of the host are mapped into it.`,
    });
  },
});
