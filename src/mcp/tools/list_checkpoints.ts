import * as z from "zod";
import { checkpointView, checkpointViewOf, sessionInput } from "../checkpoint_view.ts";
import { defineSessionTool, existingSession } from "../session_tool.ts";

const input = z.strictObject(sessionInput);
const output = z.object({
  session_id: z.string(),
  checkpoints: z.array(checkpointView),
  undoable: z.number().int().describe("How many of its last changes can be undone."),
});

export const listCheckpoints = defineSessionTool({
  name: "list_checkpoints",
  title: "List checkpoints",
  description: "Lists a session's checkpoints, and what can be undone.",
  input,
  output,
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  session: existingSession,
  async run(session) {
    await session.history.caughtUp();
    const { undoable } = session.history;
    const checkpoints = session.history.checkpoints.map(checkpointViewOf);
    const lines = checkpoints.map(({ checkpoint, created_at, bytes }) =>
      `${checkpoint}: ${created_at}, ${bytes} bytes`
    );
    return {
      output: { session_id: session.id, checkpoints, undoable },
      text: [...lines, undoableText(undoable)].join("\n"),
    };
  },
});

function undoableText(changes: number): string {
  if (changes === 0) return "No change can be undone.";
  const which = changes === 1 ? "The last change" : `The last ${changes} changes`;
  return `${which} can be undone (restore_session with undo).`;
}
