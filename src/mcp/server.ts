/** The protocol face: tools on the official SDK. The only place that knows both. */

import {
  ProtocolError,
  Server,
  type ServerContext,
  type Tool as ListedTool,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { type ErrorInfo, errorInfo, toErrorInfo, WasmboxError } from "../errors.ts";
import type { SessionTable } from "../session/table.ts";
import { UNOBSERVED } from "../telemetry/events.ts";
import { logger } from "../telemetry/log.ts";
import { parseTraceparent } from "../telemetry/trace.ts";
import { VERSION } from "../version.ts";
import { type CallObservers, type Origin, recorded } from "./call_record.ts";
import { errorSchema } from "./schemas.ts";
import type { Tool, ToolContext } from "./tool.ts";

const log = logger("mcp");

const INVALID_PARAMS = -32602;

const INSTRUCTIONS = [
  "wasmbox runs Python, JavaScript and shell in an isolated sandbox without network. Use execute_code or execute_command.",
  "State stays: variables and files (in /app) of one call are there in the next, in the same session.",
  "Without session_id everything happens in your default session; give a session_id to keep tasks apart.",
  "Every reply of execute_code has `status` (how it ended) and `state` (what became of the variables).",
].join("\n");

/** Whom a connection speaks for. */
export interface Caller {
  readonly principal: string;
  readonly defaultSession: string | undefined;
}

/** Makes the SDK's server for one connection (or, on the stateless protocol, one request). */
export function createMcpServer(
  tools: readonly Tool[],
  sessions: SessionTable,
  caller: Caller,
  observers: CallObservers = { observe: UNOBSERVED },
): Server {
  const server = new Server(
    { name: "wasmbox", title: "wasmbox", version: VERSION },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  server.setRequestHandler("tools/list", () => ({ tools: tools.map(describeTool) }));
  server.setRequestHandler("tools/call", async (request, sdk) => {
    const { name, arguments: args = {} } = request.params;
    const tool = byName.get(name);
    const { address, traceparent }: Origin = sdk.http?.authInfo?.extra ?? {};
    const parent = parseTraceparent(sdk.mcpReq._meta?.["traceparent"]) ?? parseTraceparent(traceparent);
    const call = { tool: tool?.name ?? "unknown", args, principal: caller.principal, address, parent };
    return await recorded(observers, call, async (admitted) => {
      if (!tool) throw unknownTool(name, tools);
      const context = { ...caller, sessions, signal: sdk.mcpReq.signal, progress: progressOf(sdk) };
      return await callTool(tool, args, context, admitted);
    });
  });
  return server;
}

/** Runs a tool; whatever goes wrong becomes a result with `isError` that a model can act on. */
async function callTool(tool: Tool, args: unknown, context: ToolContext, admitted: () => Promise<void>) {
  try {
    const parsed = tool.input.safeParse(args);
    if (!parsed.success) throw invalidArguments(tool, parsed.error);
    await admitted();
    const { output, text, blocks = [], isError } = await tool.run(parsed.data, context);
    return {
      content: [{ type: "text" as const, text }, ...blocks.map((block) => ({ ...block }))],
      structuredContent: { ...output },
      isError: isError ?? false,
    };
  } catch (error) {
    if (!(error instanceof WasmboxError)) log.error("{tool} failed", { tool: tool.name, error });
    const info = toErrorInfo(error);
    return {
      content: [{ type: "text" as const, text: errorText(info) }],
      structuredContent: { error: { ...info } },
      isError: true,
    };
  }
}

/** Progress that counts up with each piece of output, if the client gave a token for it. */
function progressOf(sdk: ServerContext): ToolContext["progress"] {
  const progressToken = sdk.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let progress = 0;
  return (message, executionId) => {
    progress++;
    sdk.mcpReq.notify({
      method: "notifications/progress",
      params: { progressToken, progress, message, _meta: { execution_id: executionId } },
    })
      .catch(() => {}); // the client is gone; its request is being cancelled
  };
}

/** Described once: on the stateless protocol every request has a server of its own. */
const descriptions = new WeakMap<Tool, ListedTool>();

function describeTool(tool: Tool): ListedTool {
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

function invalidArguments(tool: Tool, error: z.ZodError): WasmboxError {
  const issues = error.issues.map((issue) => `${issue.path.join(".") || "arguments"}: ${issue.message}`);
  return new WasmboxError("INVALID_ARGUMENTS", `Invalid arguments for ${tool.name}: ${issues.join("; ")}`, {
    suggestions: [`Correct the arguments; tools/list describes those of ${tool.name}.`],
    context: { tool: tool.name },
  });
}

function unknownTool(name: string, tools: readonly Tool[]): ProtocolError {
  const message = `Tool ${name} not found`;
  const data: ErrorInfo = errorInfo("UNKNOWN_TOOL", message, {
    suggestions: [`Call one of: ${tools.map((tool) => tool.name).join(", ")}.`],
    context: { tool: name },
  });
  return new ProtocolError(INVALID_PARAMS, message, data);
}

function errorText({ message, recovery_suggestions }: ErrorInfo): string {
  return [message, ...recovery_suggestions.map((suggestion) => `- ${suggestion}`)].join("\n");
}
