/** `template` and `flavor`, by which another system's callers say what a session is like. */

import * as z from "zod";
import { FLAVOR_NAMES, type FlavorName } from "../../../config/limits.ts";
import { WasmboxError } from "../../../errors.ts";
import type { Tool } from "../../tool.ts";

/** What each template means here. */
const LANGUAGES = {
  python: "python",
  node: "javascript",
  nodejs: "javascript",
  javascript: "javascript",
  shell: "shell",
  bash: "shell",
} as const;
type Template = keyof typeof LANGUAGES;

const templateSchema = z.enum(Object.keys(LANGUAGES) as [Template, ...Template[]]).optional().describe(
  "Another name for the language. A session has all languages: it may differ from call to call.",
);
const flavorSchema = z.enum(FLAVOR_NAMES).optional().describe(
  "Lower limits of time, memory and files, if the call makes a new session.",
);

interface Arguments {
  readonly template?: Template;
  readonly flavor?: FlavorName;
  readonly language?: string;
}

/** The tool with both parameters. Its reply names the template too, and session_id beside the content. */
export function withTemplateAndFlavor(tool: Tool): Tool {
  const { input, output } = tool;
  if (!(input instanceof z.ZodObject && output instanceof z.ZodObject)) return tool;
  const takesLanguage = "language" in input.shape;
  const takesFlavor = "flavor" in input.shape;
  return {
    ...tool,
    // A default would hide whether the caller named a language.
    input: input.extend({
      template: templateSchema,
      flavor: flavorSchema,
      ...(takesLanguage && { language: withoutDefault(input.shape["language"] as z.ZodType) }),
    }),
    output: output.extend({ template: z.string().optional() }),
    async run(args, context) {
      const { template, flavor, ...rest } = args as Arguments;
      const newSessionFlavor = flavor && context.sessions.terms.flavors[flavor];
      const given = {
        ...rest,
        ...(takesFlavor && flavor !== undefined && { flavor }),
        ...(takesLanguage && { language: languageOf(rest.language, template) }),
      };
      const result = await tool.run(input.parse(given), { ...context, newSessionFlavor });
      const { session_id, session_created, language } = result.output as Readonly<
        Record<string, string | boolean>
      >;
      return {
        ...result,
        output: { ...result.output, ...(template !== undefined && { template: language ?? template }) },
        fields: { session_id: session_id ?? null, session_created: session_created ?? null },
      };
    },
  };
}

function withoutDefault(schema: z.ZodType): z.ZodType {
  const inner = schema instanceof z.ZodDefault ? schema.unwrap() as z.ZodType : schema;
  return inner.optional();
}

/** @throws {WasmboxError} INVALID_ARGUMENTS if the two contradict each other. */
function languageOf(language: string | undefined, template: Template | undefined): string | undefined {
  const meant = template && LANGUAGES[template];
  if (language === undefined || meant === undefined || language === meant) return language ?? meant;
  throw new WasmboxError(
    "INVALID_ARGUMENTS",
    `language is ${language}, but template is ${template}, which means ${meant}.`,
    { suggestions: ["Give one of the two."], context: { language, template: template ?? null } },
  );
}
