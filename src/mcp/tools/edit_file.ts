import * as z from "zod";
import { WasmboxError } from "../../errors.ts";
import { decodeText, readPart } from "../file_reading.ts";
import { fileView, fileViewOf } from "../file_view.ts";
import { lineDiff } from "../line_diff.ts";
import { normalPath, pathSchema } from "../paths.ts";
import { sessionIdSchema } from "../schemas.ts";
import { applied, replacementsOf } from "../text_edits.ts";
import { defineSessionTool, fileSession } from "../session_tool.ts";

/** Longest file: it is held and searched here, while everyone else waits. */
const MAX_BYTES = 1024 * 1024;
const MAX_EDITS = 20;

const input = z.strictObject({
  path: pathSchema,
  edits: z.array(z.strictObject({
    old_text: z.string().min(1).describe("Exact; occurs once."),
    new_text: z.string(),
    replace_all: z.boolean().default(false),
  })).min(1).max(MAX_EDITS),
  session_id: sessionIdSchema.optional(),
});
const output = z.object({
  session_id: z.string(),
  replacements: z.number().int().describe("How many places were replaced."),
  diff: z.string().describe("The lines that changed, as in diff -u."),
  ...fileView.shape,
});

export const editFile = defineSessionTool({
  name: "edit_file",
  title: "Edit a file",
  description: "Replaces exact pieces of a text file, all or none, and shows the diff.",
  input,
  output,
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  session: fileSession,
  translate: withEdits,
  async run(session, args, context) {
    const path = normalPath(args.path);
    const edits = args.edits.map(({ old_text, new_text, replace_all }) => {
      if (!new_text.isWellFormed()) {
        throw new WasmboxError(
          "INVALID_ARGUMENTS",
          "new_text contains half of a surrogate pair, which UTF-8 can't hold.",
        );
      }
      return { old: old_text, new: new_text, everywhere: replace_all };
    });
    // In one turn: another edit that was sent along with it goes before or after, and finds its pieces.
    const { text, replacements, entry } = await session.files.until(context.signal).together(
      async (files) => {
        const { entry: before, bytes, cut } = await readPart(files, path, 0, MAX_BYTES);
        if (cut) {
          throw new WasmboxError(
            "FILE_TOO_LARGE",
            `It has ${before.size} bytes; ${MAX_BYTES} is the limit.`,
            {
              suggestions: ["Change it by code instead."],
            },
          );
        }
        const text = decodeText(path, bytes);
        const replacements = replacementsOf(text, edits, MAX_BYTES);
        const changed = new TextEncoder().encode(applied(text, replacements));
        return {
          text,
          replacements,
          entry: (await files.write(path, changed, { expect: before.tag ?? undefined })).entry,
        };
      },
    );
    const diff = lineDiff(text, replacements);
    return {
      output: {
        session_id: session.id,
        replacements: replacements.length,
        diff,
        ...fileViewOf(session, path, entry),
      },
      text: `${path}: ${
        replacements.length === 1 ? "one place" : `${replacements.length} places`
      } replaced.\n${diff}`,
    };
  },
});

type Fields = Readonly<Record<string, unknown>>;

/** What other systems' tools call the fields of an edit. */
const FIELDS = [
  ["old_text", /^old_?(?:text|str|string)$/i],
  ["new_text", /^new_?(?:text|str|string)$/i],
  ["replace_all", /^replace_?all$/i],
] as const;

/** Models write one edit without a list around it, too. */
function withEdits(args: Fields): Fields {
  const { edits } = args;
  if (Array.isArray(edits) && edits.length > 0) {
    return { ...args, edits: edits.map((edit) => isFields(edit) ? renamed(edit) : edit) };
  }
  if (edits !== undefined && edits !== null && !Array.isArray(edits)) return args;
  const isOfEdit = ([key]: [string, unknown]) => FIELDS.some(([, names]) => names.test(key));
  const fields = Object.entries(args).filter(isOfEdit);
  if (fields.length === 0) return args;
  const { edits: _, ...others } = Object.fromEntries(Object.entries(args).filter((each) => !isOfEdit(each)));
  return { ...others, edits: [renamed(Object.fromEntries(fields))] };
}

/** As they are where one of them is given twice. */
function renamed(edit: Fields): Fields {
  const names = Object.keys(edit).map((key) => FIELDS.find(([, names]) => names.test(key))?.[0] ?? key);
  if (new Set(names).size < names.length) return edit;
  return Object.fromEntries(Object.values(edit).map((value, at) => [names[at]!, value]));
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
