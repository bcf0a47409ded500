import * as z from "zod";
import { looksExported } from "../../checkpoints/export_file.ts";
import type { SessionFiles } from "../../session/session_files.ts";
import { sessionInput } from "../checkpoint_view.ts";
import { normalPath, pathSchema } from "../paths.ts";
import { defineSessionTool, existingSession } from "../session_tool.ts";

const input = z.strictObject({
  ...sessionInput,
  path: pathSchema.default("session.wasmbox").describe("Where, in its own workspace."),
});
const output = z.object({ session_id: z.string(), path: z.string(), size: z.number().int() });

export const exportSession = defineSessionTool({
  name: "export_session",
  title: "Export a session",
  description:
    "Writes the session's variables and files to one signed file, which import_session makes a session of.",
  input,
  output,
  needsStore: true,
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  session: existingSession,
  async run(session, args, context) {
    const path = normalPath(args.path);
    const files = session.files.until(context.signal);
    if (context.sessions.durable) await removeExport(files, path);
    const bytes = await context.sessions.exported(session);
    const { entry } = await files.write(path, bytes);
    return {
      output: { session_id: session.id, path, size: entry.size },
      text: `Exported the session "${session.id}" to ${path}: ${entry.size} bytes. ` +
        'Fetch it with read_file (encoding "base64"), or import it from here.',
    };
  },
});

/** An earlier export at that place goes first: each would hold all that came before it. */
async function removeExport(files: SessionFiles, path: string): Promise<void> {
  const beginning = await files.read(path, 0, 100).catch(() => undefined); // writing it says what is wrong
  if (beginning && looksExported(beginning.bytes)) await files.delete(path, false);
}
