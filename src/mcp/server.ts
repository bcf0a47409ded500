/** The protocol face: tools, prompts and resources on the official SDK. */

import { type CacheHint, ProtocolError, Server, type ServerContext } from "@modelcontextprotocol/server";
import { DEFAULT_TOOLS, type ToolSettings } from "../config/tool_settings.ts";
import { type ErrorInfo, errorInfo, toErrorInfo, WasmboxError } from "../errors.ts";
import type { SessionTable } from "../session/table.ts";
import { UNOBSERVED } from "../telemetry/events.ts";
import { logger } from "../telemetry/log.ts";
import { parseTraceparent } from "../telemetry/trace.ts";
import { VERSION } from "../version.ts";
import { argumentsOf, noParameter } from "./arguments.ts";
import { type CallObservers, type Origin, recorded } from "./call_record.ts";
import { complete } from "./completion.ts";
import { SERVER_ICON, toolIcons } from "./icons.ts";
import { instructionsFor } from "./instructions.ts";
import { withStake } from "./durability.ts";
import { ProgressReporter } from "./progress.ts";
import { PROMPTS, renderPrompt } from "./prompts.ts";
import { addResources, RESOURCE_CAPABILITIES } from "./resource_handlers.ts";
import { rendersApps, RESULT_APP_META, UI_EXTENSION } from "./result_app.ts";
import { stored } from "./running.ts";
import { type Named, SessionNaming } from "./session_naming.ts";
import { addTasks, createdTask, TASK_CAPABILITIES, taskOf, TASKS_EXTENSION } from "./tasks.ts";
import type { Tool, ToolContext, ToolResult } from "./tool.ts";
import { describeTool } from "./tool_listing.ts";
import { endedResult } from "./execution_reply.ts";

const log = logger("mcp");

const INVALID_PARAMS = -32602;

/** The same for everyone, and for as long as the server runs. */
const FIXED: CacheHint = { ttlMs: 300_000, cacheScope: "public" };

/** Whom a connection speaks for. */
export type Caller = Named;

/** What the servers of all connections share. */
export interface McpParts {
  readonly tools: readonly Tool[];
  readonly sessions: SessionTable;
  readonly settings?: ToolSettings;
  readonly observers?: CallObservers;
}

/** Makes the SDK's server for one connection (or, on the stateless protocol, one request). */
export function createMcpServer(parts: McpParts, caller: Caller): Server {
  const { tools, sessions, settings = DEFAULT_TOOLS, observers = { observe: UNOBSERVED } } = parts;
  const { principal } = caller;
  const defaultSession = settings.requireSession ? undefined : caller.defaultSession;
  const naming = settings.profile === "compat" ? undefined : new SessionNaming(caller, sessions);
  const server = new Server(
    { name: "wasmbox", title: "wasmbox", version: VERSION, icons: [SERVER_ICON] },
    {
      capabilities: {
        tools: {},
        prompts: {},
        completions: {},
        logging: {},
        ...RESOURCE_CAPABILITIES,
        tasks: TASK_CAPABILITIES,
        extensions: { ...UI_EXTENSION, ...TASKS_EXTENSION },
      },
      instructions: instructionsFor(tools, settings),
      cacheHints: {
        "tools/list": FIXED,
        "prompts/list": FIXED,
        "resources/templates/list": FIXED,
        "server/discover": FIXED,
      },
    },
  );
  // A connection that lasts is one that has a default session.
  addResources(server, sessions, principal, caller.defaultSession !== undefined);
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const offered = tools.filter(({ needsStore }) => !needsStore || sessions.durable);
  server.setRequestHandler("tools/list", () => {
    const apps = rendersApps(server.getClientCapabilities());
    return {
      tools: offered.map((tool) => {
        const listed = describeTool(tool);
        if (!apps) return listed;
        return { ...listed, icons: toolIcons(tool.name), ...tool.showsResult && { _meta: RESULT_APP_META } };
      }),
    };
  });
  server.setRequestHandler("tools/call", async (request, sdk) => {
    const { name, arguments: given = {}, task: asked } = request.params;
    const tool = byName.get(name);
    const task = tool && taskOf(tool, asked, sdk);
    const args = task && asked ? { ...given, background: true } : given;
    const { address, traceparent }: Origin = sdk.http?.authInfo?.extra ?? {};
    const parent = parseTraceparent(sdk.mcpReq._meta?.["traceparent"]) ?? parseTraceparent(traceparent);
    const call = { tool: tool?.name ?? "unknown", args, principal, address, parent };
    let taskId: string | undefined;
    const reply = await recorded(observers, call, async (admitted) => {
      if (!tool) throw unknownTool(name, tools);
      using progress = progressOf(sdk, settings);
      const context: ToolContext = {
        principal,
        defaultSession,
        sessions,
        settings,
        signal: sdk.mcpReq.signal,
        progress: progress && ((message, executionId) => progress.report(message, executionId)),
        task,
        tell: (level, data) => void sdk.mcpReq.log(level, data, "wasmbox").catch(() => {}), // the client is gone
      };
      return await callTool(tool, args, context, {
        admitted,
        finished: async (result) => {
          taskId = result.taskId;
          return await naming?.named(args, result) ?? result;
        },
      });
    });
    if (taskId !== undefined) return createdTask(taskId, reply, { sessions, principal }, sdk);
    if (asked && task) throw notBegun(reply);
    return reply;
  });
  addTasks(server, {
    sessions,
    principal,
    resultOf: async (outcome, session) =>
      replyOf(await endedResult(await stored(outcome, session), session, false, { settings })),
  });
  server.setRequestHandler("prompts/list", () => ({
    prompts: PROMPTS.map(({ text: _, arguments: args, ...prompt }) => ({ ...prompt, arguments: [...args] })),
  }));
  server.setRequestHandler("prompts/get", ({ params }) => {
    const { prompt, text } = orInvalidParams(() => renderPrompt(params.name, params.arguments ?? {}));
    return {
      description: prompt.description,
      messages: [{ role: "user" as const, content: { type: "text" as const, text } }],
    };
  });
  server.setRequestHandler("completion/complete", async ({ params }) => {
    const { argument, context } = params;
    const given = context?.arguments ?? {};
    const completion = await complete(argument.name, argument.value, { principal, sessions, given });
    return { completion: { ...completion } };
  });
  return server;
}

/** Runs a tool; whatever goes wrong becomes a result with `isError` that a model can act on. */
async function callTool(
  tool: Tool,
  args: unknown,
  context: ToolContext,
  { admitted, finished }: {
    readonly admitted: () => Promise<void>;
    /** Completes its result. */
    readonly finished: (result: ToolResult<object>) => Promise<ToolResult<object>>;
  },
) {
  try {
    const given = argumentsOf(tool, args);
    await admitted();
    const result = await finished(await withStake(tool, await tool.run(given.args, context), context));
    const note = given.ignored.length > 0 ? `\n[ignored: ${noParameter(tool.name, given.ignored)}]` : "";
    return replyOf({ ...result, text: result.text + note });
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

function replyOf({ output, text, blocks = [], fields, isError }: ToolResult<object>) {
  return {
    ...fields,
    content: [{ type: "text" as const, text }, ...blocks.map((block) => ({ ...block }))],
    structuredContent: { ...output } as Record<string, unknown>,
    isError: isError ?? false,
  };
}

/** What kept a call from becoming the task that was asked for. */
function notBegun({ structuredContent: { error } }: ReturnType<typeof replyOf>): ProtocolError {
  const info = error as ErrorInfo | undefined;
  return new ProtocolError(INVALID_PARAMS, info?.message ?? "This can't be run as a task", info);
}

/** Tells the client how its call goes on, if it gave a token for that. */
function progressOf(sdk: ServerContext, { heartbeatMs }: ToolSettings): ProgressReporter | undefined {
  const progressToken = sdk.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return new ProgressReporter(({ progress, message, executionId }) => {
    const _meta = executionId === undefined ? {} : { _meta: { execution_id: executionId } };
    sdk.mcpReq.notify({
      method: "notifications/progress",
      params: { progressToken, progress, message, ..._meta },
    })
      .catch(() => {}); // the client is gone; its request is being cancelled
  }, heartbeatMs);
}

/** What is wrong with the parameters of a request becomes a JSON-RPC error that says so. */
function orInvalidParams<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof WasmboxError)) throw error;
    throw new ProtocolError(INVALID_PARAMS, error.message, error.info);
  }
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
