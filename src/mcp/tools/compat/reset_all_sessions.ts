import * as z from "zod";
import { defineTool } from "../../tool.ts";

const input = z.strictObject({});
const output = z.object({ sessions_reset: z.array(z.string()) });

export const resetAllSessions = defineTool({
  name: "reset_all_sessions",
  title: "Reset all sessions",
  description:
    "Deletes the variables and files of all your sessions; the sessions go on, empty. Can't be undone.",
  input,
  output,
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  async run(_args, { sessions, principal }) {
    const all = sessions.list(principal);
    await Promise.all(all.map((session) => session.reset()));
    return {
      output: { sessions_reset: all.map((session) => session.id) },
      text: `${all.length} sessions are empty now.`,
    };
  },
});
