import * as z from "zod";
import { toBase64 } from "../../base64.ts";
import { WasmboxError } from "../../errors.ts";
import type { SessionFiles } from "../../session/session_files.ts";
import { readLines, readPart } from "../file_reading.ts";
import { readDocument, readPicture, withReader } from "../file_kinds.ts";
import { fileView, fileViewOf } from "../file_view.ts";
import { normalPath, pathSchema } from "../paths.ts";
import { sessionIdSchema } from "../schemas.ts";
import { defineSessionTool, fileSession } from "../session_tool.ts";

const DEFAULT_BYTES = 64 * 1024;
const MAX_BYTES = 1024 * 1024;
/** Longest contents that the text, which is for a model, holds as well. */
const MAX_SHOWN = { "utf-8": 100_000, base64: 8_000 };

const input = z.strictObject({
  path: pathSchema,
  encoding: z.enum(["utf-8", "base64"]).default("utf-8"),
  start_line: z.number().int().min(1).optional(),
  end_line: z.number().int().min(1).optional().describe("Inclusive."),
  offset: z.number().int().min(0).default(0).describe(
    "In bytes: `next_offset` of the last reply, to read on.",
  ),
  max_bytes: z.number().int().min(4).max(MAX_BYTES).default(DEFAULT_BYTES),
  session_id: sessionIdSchema.optional(),
});
const output = z.object({
  session_id: z.string(),
  content: z.string().optional().describe("Left out of a picture, which is an image block of the reply."),
  encoding: z.enum(["utf-8", "base64", "image"]),
  truncated: z.boolean().describe("max_bytes cut off some of what was asked for."),
  next_offset: z.number().int().nullable().describe("Where the file goes on; null at its end."),
  ...fileView.shape,
});

export const readFile = defineSessionTool({
  name: "read_file",
  title: "Read a file",
  description:
    "Reads a file of the session: text or lines, also a PDF's, PNG and JPEG as pictures, or base64. Paths are relative to /app. Long files come in parts.",
  input,
  output,
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  session: fileSession,
  async run(session, args) {
    const { encoding, offset, max_bytes: maxBytes } = args;
    const path = normalPath(args.path);
    const { first, count } = linesOf(args);
    const document = encoding === "utf-8" ? await readDocument(session.files, path) : undefined;
    const part = encoding === "base64"
      ? await readBase64(session.files, path, offset, maxBytes)
      : await readLines(document?.text ?? session.files, path, offset, first, count, maxBytes)
        .catch((error: unknown) => error);
    if (!isPart(part)) {
      if (!(part instanceof WasmboxError) || part.info.error_code !== "NOT_TEXT") throw part;
      const isWhole = offset === 0 && args.start_line === undefined && args.end_line === undefined;
      const picture = isWhole ? await readPicture(session.files, path) : undefined;
      if (!picture) throw withReader(part, path);
      const { entry, mimeType, width, height, data } = picture;
      return {
        output: {
          session_id: session.id,
          encoding: "image" as const,
          truncated: false,
          next_offset: null,
          ...fileViewOf(session, path, entry),
        },
        text: `[${mimeType} of ${width} × ${height} pixels]`,
        blocks: [{ type: "image" as const, data, mimeType }],
      };
    }
    const { text: content } = part;
    const shown = content.length <= MAX_SHOWN[encoding]
      ? content
      : `[${part.bytes.length} bytes, in the structured content]`;
    const more = part.next === null
      ? ""
      : `\n[${part.entry.size - part.next} bytes follow: read on with offset = ${part.next}]`;
    return {
      output: {
        session_id: session.id,
        content,
        encoding,
        truncated: part.cut,
        next_offset: part.next,
        ...fileViewOf(session, path, document?.entry ?? part.entry),
      },
      text: shown + more || emptyText(part, first, offset),
    };
  },
});

/** Why there is nothing to show. */
function emptyText({ lines = 0 }: { readonly lines?: number }, first: number, offset: number): string {
  if (lines === 0) return "[empty]";
  const counted = lines === 1 ? "1 line" : `${lines} lines`;
  const where = offset === 0 ? `the file has ${counted}` : `${counted} from offset ${offset} on`;
  return `[there is no line ${first}: ${where}]`;
}

type Lines = Awaited<ReturnType<typeof readLines>>;

function isPart(value: unknown): value is Lines {
  return typeof value === "object" && value !== null && "text" in value;
}

async function readBase64(files: SessionFiles, path: string, offset: number, maxBytes: number) {
  const part = await readPart(files, path, offset, maxBytes);
  return { ...part, text: toBase64(part.bytes) };
}

/** @throws {WasmboxError} INVALID_ARGUMENTS */
function linesOf({ encoding, start_line: start, end_line: end }: z.infer<typeof input>) {
  const wrong = encoding === "base64" && (start !== undefined || end !== undefined)
    ? "start_line and end_line are for text"
    : start !== undefined && end !== undefined && end < start
    ? "end_line is before start_line"
    : undefined;
  if (wrong !== undefined) {
    throw new WasmboxError("INVALID_ARGUMENTS", `${wrong}.`, {
      suggestions: ['Give lines with encoding "utf-8", or offset and max_bytes.'],
    });
  }
  const first = start ?? 1;
  return { first, count: end === undefined ? Infinity : end - first + 1 };
}
