import * as z from "zod";
import { sessionIdSchema } from "../schemas.ts";
import { defineSessionTool, existingSession } from "../session_tool.ts";

const input = z.strictObject({ session_id: sessionIdSchema.optional() });
const output = z.object({ session_id: z.string(), state: z.literal("reset") });

export const resetWorkspace = defineSessionTool({
  name: "reset_workspace",
  title: "Reset a workspace",
  description: "Deletes all variables and files of a session, which goes on, empty. Can't be undone.",
  input,
  output,
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  session: existingSession,
  async run(session, _args, context) {
    await session.reset(context.signal);
    return {
      output: { session_id: session.id, state: "reset" as const },
      text: `The workspace of the session "${session.id}" is empty now.`,
    };
  },
});
