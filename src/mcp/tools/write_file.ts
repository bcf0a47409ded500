import * as z from "zod";
import { fromBase64 } from "../../base64.ts";
import { WasmboxError } from "../../errors.ts";
import { fileView, fileViewOf } from "../file_view.ts";
import { normalPath, pathSchema } from "../paths.ts";
import { liveSession, sessionFor } from "../running.ts";
import { sessionIdSchema } from "../schemas.ts";
import { defineTool } from "../tool.ts";

const input = z.strictObject({
  path: pathSchema,
  content: z.union([z.string(), z.record(z.string(), z.unknown()), z.array(z.unknown())], {
    error: "Invalid input: expected string",
  }).meta({ type: "string" }),
  encoding: z.enum(["utf-8", "base64"]).default("utf-8"),
  append: z.boolean().default(false),
  session_id: sessionIdSchema.optional(),
});
const JSON_FILE = /\.(?:\w*json|ipynb|webmanifest)$/i;

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
    const content = textOf(args, path);
    const bytes = args.encoding === "base64" ? decode(content) : encode(content);
    const live = liveSession(args.session_id, context);
    const { session, created: isNew } = live
      ? { session: live, created: false }
      : await sessionFor(args.session_id, context);
    const { entry, created } = await session.files.until(context.signal).write(path, bytes, {
      append: args.append,
    });
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

/** For a file of JSON models send the value itself. @throws {WasmboxError} where that would not be what it is. */
function textOf({ content, encoding }: z.infer<typeof input>, path: string): string {
  if (typeof content === "string") return content;
  if (encoding === "utf-8" && JSON_FILE.test(path)) {
    try {
      return JSON.stringify(content, null, 2);
    } catch {
      // so deep that it can't be written
    }
  }
  throw new WasmboxError("INVALID_ARGUMENTS", "content is no text.", {
    suggestions: ["Give the text of the file; a value is taken for a file of JSON alone (.json, .ipynb)."],
  });
}

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
