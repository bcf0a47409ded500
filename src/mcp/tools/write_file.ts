import * as z from "zod";
import { fromBase64 } from "../../base64.ts";
import { WasmboxError } from "../../errors.ts";
import { fileView, fileViewOf } from "../file_view.ts";
import { normalPath, pathSchema } from "../paths.ts";
import { sessionFor } from "../running.ts";
import { sessionIdSchema } from "../schemas.ts";
import { defineTool } from "../tool.ts";

const input = z.strictObject({
  path: pathSchema,
  content: z.string(),
  encoding: z.enum(["utf-8", "base64"]).default("utf-8"),
  append: z.boolean().default(false),
  session_id: sessionIdSchema.optional(),
});
const output = z.object({
  session_id: z.string(),
  session_created: z.boolean(),
  created: z.boolean(),
  ...fileView.shape,
});

export const writeFile = defineTool({
  name: "write_file",
  title: "Write a file",
  description:
    "Writes a file of the session: text, or base64 for other bytes. Replaces what is there, unless append is set; makes missing directories and, for a new session_id, the session.",
  input,
  output,
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  async run(args, context) {
    const path = normalPath(args.path);
    const bytes = args.encoding === "base64" ? decode(args.content) : encode(args.content);
    const { session, created: isNew } = await sessionFor(args.session_id, context);
    const { entry, created } = await session.files.write(path, bytes, { append: args.append });
    const how = args.append && !created ? "Added to" : created ? "Wrote" : "Replaced";
    return {
      output: {
        session_id: session.id,
        session_created: isNew,
        created,
        ...fileViewOf(session, path, entry),
      },
      text: `${how} ${path}: ${entry.size} bytes now.`,
    };
  },
});

function encode(text: string): Uint8Array {
  if (text.isWellFormed()) return new TextEncoder().encode(text);
  throw new WasmboxError(
    "INVALID_ARGUMENTS",
    "content contains half of a surrogate pair, which UTF-8 can't hold.",
    { suggestions: ['Send the file\'s bytes with encoding "base64".'] },
  );
}

function decode(text: string): Uint8Array {
  const bytes = fromBase64(text);
  if (bytes) return bytes;
  throw new WasmboxError("INVALID_ARGUMENTS", "content is not base64.", {
    suggestions: ['Encode the bytes in standard base64 (RFC 4648), or send text with encoding "utf-8".'],
  });
}
