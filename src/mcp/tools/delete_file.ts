import * as z from "zod";
import { normalPath, pathSchema } from "../paths.ts";
import { sessionIdSchema } from "../schemas.ts";
import { defineSessionTool, fileSession } from "../session_tool.ts";

const input = z.strictObject({
  path: pathSchema,
  recursive: z.boolean().default(false),
  session_id: sessionIdSchema.optional(),
});
const output = z.object({
  session_id: z.string(),
  path: z.string(),
  type: z.enum(["file", "directory", "symlink", "device"]),
  deleted: z.literal(true),
});

export const deleteFile = defineSessionTool({
  name: "delete_file",
  title: "Delete a file",
  description:
    "Deletes a file, a link or an empty directory; with recursive a directory and all that is in it. Can't be undone.",
  input,
  output,
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  session: fileSession,
  async run(session, args, context) {
    const path = normalPath(args.path);
    const { type } = await session.files.until(context.signal).delete(path, args.recursive);
    return {
      output: { session_id: session.id, path, type, deleted: true as const },
      text: `Deleted ${path} (${type}).`,
    };
  },
});
