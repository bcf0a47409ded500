import * as z from "zod";
import {
  checkpointName,
  checkpointView,
  checkpointViewOf,
  existingSession,
  sessionInput,
} from "../checkpoint_view.ts";
import { liveSession } from "../running.ts";
import { defineTool } from "../tool.ts";

const input = z.strictObject({ ...sessionInput, name: checkpointName.optional() });
const output = z.object({ session_id: z.string(), ...checkpointView.shape });

export const checkpointSession = defineTool({
  name: "checkpoint_session",
  title: "Checkpoint a session",
  description:
    "Keeps the session's variables and files as they are now, for restore_session and fork_session.",
  input,
  output,
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  async run(args, context) {
    const session = liveSession(args.session_id, context) ?? await existingSession(args, context);
    const checkpoint = await session.history.until(context.signal).name(args.name);
    return {
      output: { session_id: session.id, ...checkpointViewOf(checkpoint) },
      text: `Made the checkpoint "${checkpoint.name}" of the session "${session.id}".`,
    };
  },
});
