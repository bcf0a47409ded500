import assert from "node:assert/strict";
import * as z from "zod";
import { errorSchema } from "../../../src/mcp/schemas.ts";
import { TOOLS } from "../../../src/mcp/tools/mod.ts";

const PAGE = await Deno.readTextFile(new URL("../../../docs/REPLIES.md", import.meta.url));

/** Names of all fields of a JSON Schema, those of objects in it included. */
function fieldsOf(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) =>
    key === "properties"
      ? [...Object.keys(value), ...Object.values(value).flatMap(fieldsOf)]
      : fieldsOf(value)
  );
}

Deno.test("every field of every tool's reply is in the documents, beside the tool's name", () => {
  for (const { name, output } of [...TOOLS, { name: "error", output: errorSchema }]) {
    assert.ok(PAGE.includes(`\`${name}\``), name);
    for (const field of fieldsOf(z.toJSONSchema(output))) {
      assert.match(PAGE, new RegExp(`\\b${field}\\b`), `${name}: ${field}`);
    }
  }
});
