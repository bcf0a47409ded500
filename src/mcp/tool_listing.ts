/** Tools as tools/list describes them: for a model, which pays for every word of it in every conversation. */

import type { Tool as ListedTool } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Tool, ToolHints } from "./tool.ts";

/** Described once: on the stateless protocol every request has a server of its own. */
const descriptions = new WeakMap<Tool, ListedTool>();

/** The same for the same tool each time, to the byte. */
export function describeTool(tool: Tool): ListedTool {
  const known = descriptions.get(tool);
  if (known) return known;
  const description = {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: jsonSchema(tool.input, "input", UNTOLD),
    ...tool.listsOutput && { outputSchema: shallow(jsonSchema(tool.output, "output", UNTOLD_OF_OUTPUT)) },
    annotations: annotationsOf(tool.hints),
    ...tool.takesTasks && { execution: { taskSupport: "optional" } },
  };
  const listed = description as ListedTool; // JSON Schema is wider in zod's types than in the SDK's
  descriptions.set(tool, listed);
  return listed;
}

/** A schema that says what the fields are called and of which types, and not what is in those. */
function shallow(schema: Schema): Schema {
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const { type, enum: choices, anyOf } = field as Schema;
    const types = anyOf?.map((each) => (each as Schema).type);
    const said = { ...(type && { type }), ...(types && { type: types }), ...(choices && { enum: choices }) };
    return [name, said] as const;
  });
  return { ...schema, properties: Object.fromEntries(fields) } as Schema;
}

type Schema = z.core.JSONSchema.BaseSchema;

/** Bounds that a call is seldom near, and is told of when it passes them. */
const UNTOLD = ["pattern", "minLength", "maxLength", "minItems", "maxItems", "propertyNames"] as const;

/** Clients check structured content against its schema even when a call failed: an error stands alone then. */
const UNTOLD_OF_OUTPUT = [...UNTOLD, "required", "additionalProperties", "description"] as const;

/** What differs from the protocol's defaults, or tells what a tool does to its session. */
function annotationsOf({ readOnlyHint, destructiveHint, idempotentHint, openWorldHint }: ToolHints) {
  const changes = readOnlyHint ? {} : { destructiveHint, ...idempotentHint && { idempotentHint } };
  return { readOnlyHint, ...changes, openWorldHint };
}

function jsonSchema(schema: z.ZodType, io: "input" | "output", untold: readonly (keyof Schema)[]): Schema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      for (const key of untold) delete jsonSchema[key];
      // Google's Gen AI SDK takes no tool with it.
      if (typeof jsonSchema.additionalProperties === "boolean") delete jsonSchema.additionalProperties;
      if (jsonSchema.type !== undefined) delete jsonSchema.anyOf; // it is told as simpler than it is
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return rest;
}
