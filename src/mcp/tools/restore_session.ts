import * as z from "zod";
import { WasmboxError } from "../../errors.ts";
import { BEFORE_RESTORE } from "../../session/session_history.ts";
import { checkpointName, noSuchCheckpoint, sessionInput } from "../checkpoint_view.ts";
import { defineSessionTool, existingSession } from "../session_tool.ts";

const input = z.strictObject({
  ...sessionInput,
  checkpoint: checkpointName.optional(),
  undo: z.number().int().positive().optional().describe(
    "Instead: how many changes (runs, file writes) to undo.",
  ),
});
const output = z.object({ session_id: z.string(), restored: z.string() });

export const restoreSession = defineSessionTool({
  name: "restore_session",
  title: "Restore a session",
  description:
    `Takes a session back to a checkpoint, or before its last changes. What it was stays: "${BEFORE_RESTORE}".`,
  input,
  output,
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  session: existingSession,
  async run(session, args, context) {
    const { checkpoint, undo } = args;
    if ((checkpoint === undefined) === (undo === undefined)) {
      throw new WasmboxError("INVALID_ARGUMENTS", "Give either checkpoint or undo.", {
        suggestions: ["undo: 1 is before the last change; list_checkpoints has the names of checkpoints."],
      });
    }
    const to = checkpoint !== undefined ? { name: checkpoint } : { undo: undo! };
    if (!await session.history.until(context.signal).restore(to)) throw noSuchCheckpoint(session, to);
    const what = "name" in to
      ? `the checkpoint "${to.name}"`
      : `before its last ${to.undo === 1 ? "change" : `${to.undo} changes`}`;
    return {
      output: { session_id: session.id, restored: what },
      text:
        `The session "${session.id}" is back at ${what}. What it was is the checkpoint "${BEFORE_RESTORE}".`,
    };
  },
});
