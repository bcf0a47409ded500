import * as z from "zod";
import { checkpointName, checkpointView, checkpointViewOf, sessionInput } from "../checkpoint_view.ts";
import { defineSessionTool, existingSession } from "../session_tool.ts";

const input = z.strictObject({ ...sessionInput, name: checkpointName.optional() });
const output = z.object({ session_id: z.string(), ...checkpointView.shape });

export const checkpointSession = defineSessionTool({
  name: "checkpoint_session",
  title: "Checkpoint a session",
  description:
    "Keeps the session's variables and files as they are now, for restore_session and fork_session.",
  input,
  output,
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  session: existingSession,
  async run(session, args, context) {
    const checkpoint = await session.history.until(context.signal).name(args.name);
    return {
      output: { session_id: session.id, ...checkpointViewOf(checkpoint) },
      text: `Made the checkpoint "${checkpoint.name}" of the session "${session.id}".`,
    };
  },
});
