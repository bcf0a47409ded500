/** Pages of the documents that are made of the schemas, so that they say what holds. */

import { fileURLToPath } from "node:url";
import * as z from "zod";
import { effectiveValues } from "../../src/config/describe.ts";
import { loadConfiguration } from "../../src/config/load.ts";
import type { Tool } from "../../src/mcp/tool.ts";
import { TOOLS } from "../../src/mcp/tools/mod.ts";

/** JSON Schema, as far as arguments use it. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly default?: unknown;
}

/** All tools with their arguments, as Markdown. */
export function toolReference(): string {
  return `# Tools\n\nMade of the schemas by which calls are checked. Replies: [REPLIES](REPLIES.md).\n\n${
    TOOLS.map(toolSection).join("\n")
  }`;
}

function toolSection(tool: Tool): string {
  const { properties = {}, required = [] } = z.toJSONSchema(tool.input, { io: "input" }) as Schema;
  const rows = Object.entries(properties).map(([name, schema]) => {
    const given = schema.default === undefined
      ? required.includes(name) ? "required" : ""
      : code(JSON.stringify(schema.default));
    return row([code(name), typeOf(schema), given, schema.description ?? ""]);
  });
  const table = rows.length === 0
    ? "No arguments.\n"
    : `| argument | type | default | |\n| --- | --- | --- | --- |\n${rows.join("\n")}\n`;
  return `## ${tool.name}\n\n${tool.description}\n\n${hintsOf(tool)}\n\n${table}`;
}

function hintsOf({ hints }: Tool): string {
  if (hints.readOnlyHint) return "It only reads.";
  return hints.destructiveHint
    ? "It may destroy something."
    : "It changes the session, and destroys nothing.";
}

function typeOf({ type, enum: choices, anyOf, items }: Schema): string {
  if (choices) return choices.map((choice) => code(JSON.stringify(choice))).join(", ");
  if (anyOf) return anyOf.map(typeOf).join(" or ");
  if (type === "array" && items) return `array of ${typeOf(items)}`;
  return [type ?? "any"].flat().join(" or ");
}

/** All keys of the configuration with their defaults, variables, and what the shipped files say of them. */
export async function configurationReference(config: URL): Promise<string> {
  const comments = new Map([
    ...commentsOf(await Deno.readTextFile(new URL("mcp.toml", config)), ""),
    ...commentsOf(await Deno.readTextFile(new URL("policy.toml", config)), "policy."),
  ]);
  const rows = effectiveValues(await loadConfiguration({}, { WASMBOX_CONFIG: fileURLToPath(config) }))
    .map(({ path, value, variable }) =>
      row([
        code(path),
        value === null ? "not set" : code(JSON.stringify(value)),
        code(variable),
        comments.get(path) ?? "",
      ])
    );
  return `# All keys of the configuration\n\nMade of the schemas, with the comments of the shipped files; how they are \
read is in [CONFIGURATION](CONFIGURATION.md).\n\n| key | default | variable | |\n| --- | --- | --- | --- |\n${
    rows.join("\n")
  }\n`;
}

/** What stands behind each key of a TOML file, also of keys that are commented out. */
function commentsOf(toml: string, prefix: string): [path: string, comment: string][] {
  let table = prefix;
  return toml.split("\n").flatMap((line): [string, string][] => {
    const heading = /^\[([\w.]+)\]/.exec(line)?.[1];
    if (heading !== undefined) table = `${prefix}${heading}.`;
    const [, key, comment] = /^(?:# )?(\w+) = .*?(?:"|\]|\d|true|false|\}) # (.*)$/.exec(line) ?? [];
    return key === undefined || comment === undefined ? [] : [[table + key, comment]];
  });
}

const code = (text: string) => `\`${text}\``;

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
}
