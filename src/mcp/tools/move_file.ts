import * as z from "zod";
import { fileView, fileViewOf } from "../file_view.ts";
import { normalPath, pathSchema } from "../paths.ts";
import { sessionIdSchema } from "../schemas.ts";
import { defineSessionTool, fileSession } from "../session_tool.ts";

const input = z.strictObject({
  from: pathSchema,
  to: pathSchema,
  overwrite: z.boolean().default(false),
  session_id: sessionIdSchema.optional(),
});
const output = z.object({ session_id: z.string(), moved_from: z.string(), ...fileView.shape });

export const moveFile = defineSessionTool({
  name: "move_file",
  title: "Move a file",
  description: "Moves or renames a file or directory; makes the directories that `to` lacks.",
  input,
  output,
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  session: fileSession,
  async run(session, args, context) {
    const [from, to] = [normalPath(args.from), normalPath(args.to)];
    const entry = await session.files.until(context.signal).move(from, to, args.overwrite);
    return {
      output: { session_id: session.id, moved_from: from, ...fileViewOf(session, to, entry) },
      text: `Moved ${from} to ${to}.`,
    };
  },
});
