import * as z from "zod";
import { sessionView, viewOf } from "../session_view.ts";
import { defineTool } from "../tool.ts";

const input = z.strictObject({});
const output = z.object({ sessions: z.array(sessionView) });

export const listSessions = defineTool({
  name: "list_sessions",
  title: "List sessions",
  description: "Lists your sessions, with the executions that run or wait in each.",
  input,
  output,
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  run(_args, { sessions, principal }) {
    const views = sessions.list(principal).map(viewOf);
    const lines = views.map((view) =>
      `${view.session_id}: ${view.executions} executions, ${view.running.length} under way`
    );
    return Promise.resolve({
      output: { sessions: views },
      text: lines.join("\n") || "There are no sessions.",
    });
  },
});
