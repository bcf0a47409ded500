import * as z from "zod";
import { WasmboxError } from "../../errors.ts";
import { checkpointName, noSuchCheckpoint, sessionInput } from "../checkpoint_view.ts";
import { sessionIdSchema } from "../schemas.ts";
import { defineSessionTool, existingSession } from "../session_tool.ts";

/** Most forks that one call makes. */
const MAX_COUNT = 8;

const input = z.strictObject({
  ...sessionInput,
  new_session_id: sessionIdSchema.optional().describe("Absent: a random one. Of several: with -1, -2, …"),
  checkpoint: checkpointName.optional().describe("Absent: as it is now."),
  count: z.number().int().min(1).max(MAX_COUNT).default(1),
});
const output = z.object({ session_ids: z.array(z.string()) });

export const forkSession = defineSessionTool({
  name: "fork_session",
  title: "Fork a session",
  description: "Makes new sessions that begin with a session's variables and files, and go their own ways.",
  input,
  output,
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  session: existingSession,
  async run(session, args, context) {
    const { sessions, principal, signal } = context;
    const at = args.checkpoint === undefined ? undefined : { name: args.checkpoint };
    const made: string[] = [];
    try {
      for (let number = 1; number <= args.count; number++) {
        const base = args.new_session_id;
        const id = base === undefined || args.count === 1 ? base : `${base}-${number}`;
        made.push((await sessions.fork(session, id, at, signal)).id);
      }
    } catch (error) {
      for (const id of made) await sessions.destroy(principal, id); // all or none
      const missing = error instanceof WasmboxError && error.info.error_code === "CHECKPOINT_NOT_FOUND";
      throw missing && at ? noSuchCheckpoint(session, at) : error;
    }
    return {
      output: { session_ids: made },
      text: `Made ${made.map((id) => `"${id}"`).join(", ")} of the session "${session.id}".`,
    };
  },
});
