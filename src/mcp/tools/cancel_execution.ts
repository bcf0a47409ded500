import * as z from "zod";
import type { Execution } from "../../session/execution.ts";
import { sessionIdSchema } from "../schemas.ts";
import { defineTool, type ToolContext } from "../tool.ts";

const input = z.strictObject({
  session_id: sessionIdSchema.optional().describe("Absent: all your sessions."),
  execution_id: z.string().max(100).optional().describe("Absent: all."),
});
const output = z.object({
  cancelled: z.array(z.object({
    session_id: z.string(),
    execution_id: z.string(),
    phase: z.enum(["queued", "running", "ended"]).describe(
      "What it was doing when the cancellation found it.",
    ),
  })),
});

export const cancelExecution = defineTool({
  name: "cancel_execution",
  title: "Cancel an execution",
  description:
    "Stops code that runs or waits, gently first: the stopped call's reply says what became of its variables.",
  input,
  output,
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async run(args, context) {
    const found = await candidates(args, context);
    const cancelled = found.map(({ sessionId, execution }) => {
      const { phase } = execution;
      execution.stop("cancelled");
      return { session_id: sessionId, execution_id: execution.id, phase };
    });
    const text = cancelled.length > 0
      ? `Cancelled ${cancelled.map((item) => `${item.execution_id} (${item.phase})`).join(", ")}.`
      : "Nothing was running that this names; it may have ended already.";
    return { output: { cancelled }, text };
  },
});

async function candidates(
  args: z.infer<typeof input>,
  { sessions, principal }: ToolContext,
): Promise<{ sessionId: string; execution: Execution }[]> {
  const searched = args.session_id === undefined
    ? sessions.list(principal)
    : [sessions.live(principal, args.session_id) ?? await sessions.get(principal, args.session_id)];
  return [...new Set(searched.flatMap((session) => [session, ...session.copies]))]
    .flatMap((session) => session.executions.map((execution) => ({ sessionId: session.id, execution })))
    .filter(({ execution }) => args.execution_id === undefined || execution.id === args.execution_id);
}
