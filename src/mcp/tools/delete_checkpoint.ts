import * as z from "zod";
import { checkpointName, noSuchCheckpoint, sessionInput } from "../checkpoint_view.ts";
import { defineSessionTool, existingSession } from "../session_tool.ts";

const input = z.strictObject({ ...sessionInput, checkpoint: checkpointName });
const output = z.object({ session_id: z.string(), deleted: z.boolean() });

export const deleteCheckpoint = defineSessionTool({
  name: "delete_checkpoint",
  title: "Delete a checkpoint",
  description: "Deletes a checkpoint; the session stays as it is.",
  input,
  output,
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  session: existingSession,
  async run(session, args, context) {
    const { checkpoint } = args;
    if (!await session.history.until(context.signal).forget(checkpoint)) {
      throw noSuchCheckpoint(session, { name: checkpoint });
    }
    return {
      output: { session_id: session.id, deleted: true },
      text: `Deleted the checkpoint "${checkpoint}" of the session "${session.id}".`,
    };
  },
});
