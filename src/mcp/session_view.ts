/** A session as tools show it. */

import * as z from "zod";
import type { Session } from "../session/session.ts";
import { languageSchema } from "./schemas.ts";

export const sessionView = z.object({
  session_id: z.string(),
  created_at: z.string(),
  last_used_at: z.string(),
  executions: z.number().int().describe("How many executions it has run."),
  checkpoint: z.enum(["current", "behind", "none"]).describe(
    "Whether the session's state would survive the loss of its process: all of it, that of an earlier execution, or nothing.",
  ),
  running: z.array(z.object({
    execution_id: z.string(),
    language: languageSchema,
    phase: z.enum(["queued", "running", "ended"]),
    running_ms: z.number().int(),
  })),
});

export function viewOf(session: Session): z.infer<typeof sessionView> {
  return {
    session_id: session.id,
    created_at: session.createdAt.toISOString(),
    last_used_at: session.lastUsedAt.toISOString(),
    executions: session.executed,
    checkpoint: session.checkpoint,
    running: session.executions.map((execution) => ({
      execution_id: execution.id,
      language: execution.request.language,
      phase: execution.phase,
      running_ms: Math.round(execution.runningMs),
    })),
  };
}
