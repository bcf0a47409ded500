import * as z from "zod";
import { WasmboxError } from "../../errors.ts";
import { sessionInput } from "../checkpoint_view.ts";
import { readPart } from "../file_reading.ts";
import { normalPath, pathSchema } from "../paths.ts";
import { sessionIdSchema } from "../schemas.ts";
import { defineSessionTool, existingSession } from "../session_tool.ts";

const input = z.strictObject({
  ...sessionInput,
  path: pathSchema.default("session.wasmbox").describe("Of the file, in that session."),
  new_session_id: sessionIdSchema.optional().describe("Absent: a random one."),
});
const output = z.object({ session_id: z.string() });

export const importSession = defineSessionTool({
  name: "import_session",
  title: "Import a session",
  description:
    "Makes a new session of a file that export_session wrote, here or on a server with the same key.",
  input,
  output,
  needsStore: true,
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  session: existingSession,
  async run(session, args, context) {
    const { sessions, principal } = context;
    const path = normalPath(args.path);
    const { bytes, cut } = await readPart(
      session.files.until(context.signal),
      path,
      0,
      session.limits.workspaceBytes,
    );
    if (cut) throw new WasmboxError("IMPORT_REFUSED", `${path} is larger than a workspace may be.`);
    const made = await sessions.import(principal, bytes, args.new_session_id);
    return {
      output: { session_id: made.id },
      text: `Made the session "${made.id}" of ${path}.`,
    };
  },
});
