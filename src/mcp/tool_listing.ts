/** Tools as tools/list describes them. */

import type { Tool as ListedTool } from "@modelcontextprotocol/server";
import * as z from "zod";
import { errorSchema } from "./schemas.ts";
import type { Tool } from "./tool.ts";

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
    inputSchema: jsonSchema(tool.input, "input"),
    outputSchema: withErrors(jsonSchema(tool.output, "output")),
    annotations: { title: tool.title, ...tool.hints },
  };
  const listed = description as ListedTool; // JSON Schema is wider in zod's types than in the SDK's
  descriptions.set(tool, listed);
  return listed;
}

type ObjectSchema = {
  type: "object";
  properties: Record<string, object>;
  required?: string[];
  [key: string]: unknown;
};

function jsonSchema(schema: z.ZodType, io: "input" | "output"): ObjectSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io });
  return rest as unknown as ObjectSchema;
}

/**
 * Clients check structured content against the output schema even when a call failed: a reply has either all fields of
 * the tool or an error.
 */
function withErrors({ required = [], additionalProperties: _, ...schema }: ObjectSchema): ObjectSchema {
  const error = schema.properties["error"] ?? jsonSchema(errorSchema, "output");
  return {
    ...schema,
    properties: { ...schema.properties, error },
    anyOf: [{ required }, { required: ["error"] }],
  };
}
