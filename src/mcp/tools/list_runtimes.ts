import * as z from "zod";
import { LANGUAGE_NAMES, traitsOf } from "../../languages.ts";
import { languageSchema } from "../schemas.ts";
import { defineTool } from "../tool.ts";

const input = z.strictObject({});
const output = z.object({
  runtimes: z.array(z.object({
    language: languageSchema,
    name: languageSchema.describe("The language again."),
    version: z.string(),
    description: z.string(),
    features: z.array(z.string()),
  })),
});

const RUNTIMES = LANGUAGE_NAMES.map((language) => {
  const { version, description, features } = traitsOf(language);
  return { language, name: language, version, description, features: [...features] };
});

export const listRuntimes = defineTool({
  name: "list_runtimes",
  title: "List runtimes",
  description: "Lists the languages of execute_code, with versions and what each can and can't do.",
  input,
  output,
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  run() {
    const text = RUNTIMES.map((r) =>
      `${r.language} ${r.version}: ${r.description} (${r.features.join(", ")})`
    ).join("\n");
    return Promise.resolve({ output: { runtimes: RUNTIMES }, text });
  },
});
