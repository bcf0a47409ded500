import * as z from "zod";
import { sessionIdSchema } from "../../schemas.ts";
import { sessionView, viewOf } from "../../session_view.ts";
import { defineTool } from "../../tool.ts";

const input = z.strictObject({
  session_id: sessionIdSchema.optional().describe("One session. Absent: all of yours."),
});

export const getSessions = defineTool({
  name: "get_sessions",
  title: "Get sessions",
  description:
    "Tells about one session, or about all of yours, with the executions that run or wait in each.",
  input,
  output: z.object({ sessions: z.array(sessionView) }),
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async run({ session_id }, { sessions, principal }) {
    const found = session_id === undefined
      ? sessions.list(principal)
      : [await sessions.get(principal, session_id)];
    const views = found.map(viewOf);
    const lines = views.map((view) =>
      `${view.session_id}: ${view.executions} executions, ${view.running.length} under way`
    );
    return { output: { sessions: views }, text: lines.join("\n") || "There are no sessions." };
  },
});
