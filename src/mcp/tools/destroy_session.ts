import * as z from "zod";
import { sessionIdSchema } from "../schemas.ts";
import { defineTool } from "../tool.ts";

const input = z.strictObject({ session_id: sessionIdSchema });
const output = z.object({ session_id: z.string(), destroyed: z.boolean() });

export const destroySession = defineTool({
  name: "destroy_session",
  title: "Destroy a session",
  description: "Ends a session, stops what runs in it, deletes its variables and files. Can't be undone.",
  input,
  output,
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  async run({ session_id }, { sessions, principal }) {
    await sessions.destroy(principal, session_id);
    return { output: { session_id, destroyed: true }, text: `Destroyed the session "${session_id}".` };
  },
});
