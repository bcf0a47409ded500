/** A session as tools show it. */

import * as z from "zod";
import type { StoredView } from "../checkpoints/store.ts";
import type { Session } from "../session/session.ts";
import { languageSchema } from "./schemas.ts";

export const sessionView = z.object({
  session_id: z.string(),
  created_at: z.string(),
  last_used_at: z.string(),
  executions: z.number().int().describe("How many executions it has run."),
  fuel_consumed: z.number().describe("Metered work of all of them."),
  memory_bytes: z.number().int().describe(
    "What its variables take up in memory, as its last executions left them.",
  ),
  checkpoint: z.enum(["current", "behind", "none"]).describe(
    "Whether the session's state would survive the loss of its process: all of it, that of an earlier execution, or nothing.",
  ),
  state: z.enum(["live", "asleep", "hibernated"]).describe(
    "Whether it is in memory, brings its variables back with the next call, or is in the store alone.",
  ),
  running: z.array(z.object({
    execution_id: z.string(),
    language: languageSchema,
    phase: z.enum(["queued", "running", "ended"]),
    running_ms: z.number().int(),
  })),
});

/** A session that only the store has. */
export function viewOfStored({ sessionId, facts }: StoredView): z.infer<typeof sessionView> {
  return {
    session_id: sessionId,
    created_at: new Date(facts.createdAt).toISOString(),
    last_used_at: new Date(facts.lastUsedAt).toISOString(),
    executions: facts.executed,
    fuel_consumed: facts.fuelConsumed,
    memory_bytes: 0,
    checkpoint: "current",
    state: "hibernated",
    running: [],
  };
}

export function viewOf(session: Session): z.infer<typeof sessionView> {
  return {
    session_id: session.id,
    created_at: session.createdAt.toISOString(),
    last_used_at: session.lastUsedAt.toISOString(),
    executions: session.executed,
    fuel_consumed: session.fuelConsumed,
    memory_bytes: session.heapBytes,
    checkpoint: session.checkpoint,
    state: session.isAwake ? "live" : "asleep",
    running: session.executions.map((execution) => ({
      execution_id: execution.id,
      language: execution.request.language,
      phase: execution.phase,
      running_ms: Math.round(execution.runningMs),
    })),
  };
}
