import * as z from "zod";
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

const LANGUAGES: Omit<z.infer<typeof output>["runtimes"][number], "name">[] = [
  {
    language: "python",
    version: "3.13",
    description: "CPython compiled to WebAssembly, with its standard library",
    features: [
      "persistent variables",
      "top-level await",
      "asyncio",
      "sqlite3",
      "zlib, bz2, lzma",
      "no threads",
      "no network",
    ],
  },
  {
    language: "javascript",
    version: "ES2023",
    description: "QuickJS-ng compiled to WebAssembly",
    features: [
      "persistent variables",
      "top-level await",
      "ES modules from files",
      "timers",
      "console",
      "no network",
    ],
  },
  {
    language: "shell",
    version: "bash 5",
    description: "A bash interpreter with the usual commands, over the session's files",
    features: [
      "persistent variables and functions",
      "pipes, redirections, globs, arrays",
      "grep, sed, awk, jq, find, tar, zip",
      "python3 and node on files",
      "no background jobs",
      "no network",
    ],
  },
];

const RUNTIMES = LANGUAGES.map((each) => ({ ...each, name: each.language }));

export const listRuntimes = defineTool({
  name: "list_runtimes",
  title: "List runtimes",
  description: "Lists the languages that execute_code can run, with versions and what each can and can't do.",
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
