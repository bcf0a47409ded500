import * as z from "zod";
import { sessionView, viewOf, viewOfStored } from "../session_view.ts";
import { defineTool } from "../tool.ts";

/** Of those that only the store has, as many are listed. */
const MAX_HIBERNATED = 50;

const input = z.strictObject({});
const output = z.object({ sessions: z.array(sessionView) });

export const listSessions = defineTool({
  name: "list_sessions",
  title: "List sessions",
  description: "Lists your sessions, with the executions that run or wait in each.",
  input,
  output,
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async run(_args, { sessions, principal }) {
    const hibernated = await sessions.hibernated(principal);
    const views = [
      ...sessions.list(principal).map(viewOf),
      ...hibernated.slice(0, MAX_HIBERNATED).map(viewOfStored),
    ];
    const lines = views.map(({ session_id, executions, running, state }) =>
      `${session_id}: ${executions} executions, ${running.length} under way${
        state === "live" ? "" : `, ${state}`
      }`
    );
    const more = hibernated.length - MAX_HIBERNATED;
    if (more > 0) lines.push(`and ${more} more that are hibernated, used longer ago`);
    return { output: { sessions: views }, text: lines.join("\n") || "There are no sessions." };
  },
});
