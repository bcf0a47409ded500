import * as z from "zod";
import { checkpointName, existingSession, noSuchCheckpoint, sessionInput } from "../checkpoint_view.ts";
import { liveSession } from "../running.ts";
import { defineTool } from "../tool.ts";

const input = z.strictObject({ ...sessionInput, checkpoint: checkpointName });
const output = z.object({ session_id: z.string(), deleted: z.boolean() });

export const deleteCheckpoint = defineTool({
  name: "delete_checkpoint",
  title: "Delete a checkpoint",
  description: "Deletes a checkpoint; the session stays as it is.",
  input,
  output,
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  async run(args, context) {
    const session = liveSession(args.session_id, context) ?? await existingSession(args, context);
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
