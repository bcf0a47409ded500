import * as z from "zod";
import { WasmboxError } from "../../errors.ts";
import { fileView, fileViewOf } from "../file_view.ts";
import { joinPath, normalPath, pathSchema } from "../paths.ts";
import { sessionIdSchema } from "../schemas.ts";
import { defineSessionTool, fileSession } from "../session_tool.ts";

/** Longest text for the model, in lines; the structured content holds everything. */
const MAX_LINES = 200;

const input = z.strictObject({
  path: pathSchema.default("."),
  glob: z.string().min(1).max(512).optional().describe(
    '"*.csv" for names, "data/**/*.{csv,json}" for paths.',
  ),
  recursive: z.boolean().default(false),
  limit: z.number().int().min(1).max(1000).default(200),
  after: z.string().max(4096).optional().describe("`next` of the last reply, to read on."),
  session_id: sessionIdSchema.optional(),
});
const output = z.object({
  session_id: z.string(),
  path: z.string(),
  entries: z.array(fileView),
  truncated: z.boolean().describe("There is more: call again with `after` set to `next`."),
  next: z.string().nullable(),
});

export const listFiles = defineSessionTool({
  name: "list_files",
  title: "List files",
  description:
    "Lists a directory of the session's files (/app, if path is absent) with sizes, times and types.",
  input,
  output,
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  session: fileSession,
  async run(session, args) {
    const path = normalPath(args.path);
    const { glob: pattern, recursive, after, limit } = args;
    const { entries, next } = await session.files.list(path, { pattern, recursive, after, limit })
      .catch(async (error: unknown) => {
        if (pattern !== undefined || !isNoDirectory(error)) throw error;
        // Of a path through a file this is the same error.
        const entry = await session.files.stat(path);
        // What a volume has besides files is nobody's to find.
        if (entry.type === "device") throw error;
        return { entries: [{ ...entry, path: "" }], next: null };
      });
    const views = entries.map((entry) =>
      fileViewOf(session, entry.path === "" ? path : joinPath(path, entry.path), entry)
    );
    const lines = views.slice(0, MAX_LINES).map((view) =>
      view.type === "file"
        ? `${view.path}  ${view.size} bytes  ${view.modified}`
        : `${view.path}  ${view.type}`
    );
    if (views.length > lines.length) lines.push(`… and ${views.length - lines.length} more in this reply`);
    if (next !== null) lines.push(`… more: call again with after = ${JSON.stringify(next)}`);
    return {
      output: { session_id: session.id, path, entries: views, truncated: next !== null, next },
      text: lines.join("\n") || "There is nothing.",
    };
  },
});

function isNoDirectory(error: unknown): boolean {
  return error instanceof WasmboxError && error.info.error_code === "NOT_A_DIRECTORY";
}
