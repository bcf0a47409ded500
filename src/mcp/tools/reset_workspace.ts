import * as z from "zod";
import { liveSession } from "../running.ts";
import { sessionIdOf, sessionIdSchema } from "../schemas.ts";
import { defineTool } from "../tool.ts";

const input = z.strictObject({ session_id: sessionIdSchema.optional() });
const output = z.object({ session_id: z.string(), state: z.literal("reset") });

export const resetWorkspace = defineTool({
  name: "reset_workspace",
  title: "Reset a workspace",
  description: "Deletes all variables and files of a session, which goes on, empty. Can't be undone.",
  input,
  output,
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  async run(args, context) {
    const session = liveSession(args.session_id, context) ??
      await context.sessions.get(context.principal, sessionIdOf(args, context));
    await session.reset(context.signal);
    return {
      output: { session_id: session.id, state: "reset" as const },
      text: `The workspace of the session "${session.id}" is empty now.`,
    };
  },
});
