/**
 * What runs in the background as the protocol's tasks, in both of its generations.
 *
 * Up to 2025-11-25 the caller asks for one, by `task` in the parameters of tools/call, fetches its result by tasks/result, and
 * may list tasks. In 2026-07-28 they are an extension (SEP-2663) that clients declare with each request: the server makes one
 * of what has `background: true`, and tasks/get has the result. A task's id is its execution's; whose it is not, for them it
 * does not exist.
 */

import {
  CLIENT_CAPABILITIES_META_KEY,
  METHOD_NOT_FOUND,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  RELATED_TASK_META_KEY,
  type Server,
  type ServerContext,
  type Task,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Outcome } from "../session/outcome.ts";
import type { Session } from "../session/session.ts";
import type { SessionTable } from "../session/table.ts";
import { type Kept, type Promised, tasksOf } from "./background.ts";
import type { Tool, ToolContext } from "./tool.ts";

const EXTENSION = "io.modelcontextprotocol/tasks";
const INVALID_PARAMS = -32602;
const POLL_MS = 1000;

/** Of the server, for clients of the earlier generation and of the later one. */
export const TASK_CAPABILITIES = { list: {}, cancel: {}, requests: { tools: { call: {} } } };
export const TASKS_EXTENSION = { [EXTENSION]: {} };

const named = z.looseObject({ taskId: z.string().max(100) });
const listed = z.looseObject({ cursor: z.string().optional() });
/** What comes with requests of clients that know the extension. */
const declaring = z.looseObject({
  [CLIENT_CAPABILITIES_META_KEY]: z.looseObject({ extensions: z.looseObject({ [EXTENSION]: z.object() }) }),
});

/** A task, found by its id. */
interface Found {
  readonly id: string;
  readonly session: Session;
  readonly kept: Kept & { readonly promised: Promised };
}

/** What the handlers stand on. */
export interface TaskParts {
  readonly sessions: SessionTable;
  readonly principal: string;
  /** The reply of an execution that has ended, as tools/call would have had it. */
  readonly resultOf: (outcome: Outcome, session: Session) => Promise<Record<string, unknown>>;
}

/**
 * What a call of a tool is to be followed as.
 *
 * @param asked `task` of its parameters.
 * @returns undefined if it is a plain one.
 * @throws {ProtocolError} for a tool that can't be.
 */
export function taskOf(
  tool: Tool,
  asked: { readonly ttl?: number | undefined } | undefined,
  sdk: ServerContext,
): ToolContext["task"] {
  if (isLater(sdk)) return declares(sdk) ? { ttlMs: undefined } : undefined;
  if (!asked) return undefined;
  if (!tool.takesTasks) throw new ProtocolError(METHOD_NOT_FOUND, `${tool.name} can't be called as a task`);
  return { ttlMs: asked.ttl };
}

/** The answer to a call that has become a task. @param reply The one that it has as a call in the background. */
export function createdTask<Reply extends object>(
  id: string,
  reply: Reply,
  { sessions, principal }: Pick<TaskParts, "sessions" | "principal">,
  sdk: ServerContext,
): Reply | { content: never[] } & Record<string, unknown> {
  const found = orNotFound(find(sessions, principal, id), id);
  return isLater(sdk)
    ? { resultType: "task", content: [], ...laterView(found) }
    : { ...reply, task: earlierView(found) };
}

export function addTasks(server: Server, parts: TaskParts): void {
  const { sessions, principal, resultOf } = parts;
  const taskNamed = (id: string) => orNotFound(find(sessions, principal, id), id);

  server.setRequestHandler("tasks/get", { params: named }, async ({ taskId }, sdk) => {
    if (!isLater(sdk)) return earlierView(taskNamed(taskId));
    requireExtension(sdk);
    const found = taskNamed(taskId);
    const { kept, session } = found;
    const view = laterView(found);
    if (view.status !== "completed" || !kept.outcome) return view;
    return { ...view, result: await resultOf(kept.outcome, session) };
  });

  server.setRequestHandler("tasks/cancel", { params: named }, ({ taskId }, sdk) => {
    if (isLater(sdk)) requireExtension(sdk);
    const found = taskNamed(taskId);
    const ended = earlierStatus(found.kept) !== "working";
    if (!ended) cancel(found);
    if (isLater(sdk)) return {};
    if (ended) throw new ProtocolError(INVALID_PARAMS, `The task ${taskId} has ended already`);
    return earlierView(found);
  });

  // No task of this server ever asks its client for anything.
  server.setRequestHandler("tasks/update", { params: named }, ({ taskId }, sdk) => {
    requireExtension(sdk);
    taskNamed(taskId);
    return {};
  });

  server.setRequestHandler("tasks/result", { params: named }, async ({ taskId }, sdk) => {
    const { kept, session } = taskNamed(taskId);
    const outcome = kept.outcome ?? await unlessGone(kept.execution.outcome, sdk.mcpReq.signal);
    const result = await resultOf(outcome, session);
    const _meta = { ...result["_meta"] as object | undefined, [RELATED_TASK_META_KEY]: { taskId } };
    return { ...result, _meta };
  });

  server.setRequestHandler("tasks/list", { params: listed }, ({ cursor }) => {
    if (cursor !== undefined) throw new ProtocolError(INVALID_PARAMS, "All tasks are on one page");
    return { tasks: all(sessions, principal).map(earlierView) };
  });
}

function all(sessions: SessionTable, principal: string): Found[] {
  return sessions.list(principal).flatMap((session) =>
    tasksOf(session).map(([id, kept]) => ({ id, session, kept }))
  );
}

function find(sessions: SessionTable, principal: string, id: string): Found | undefined {
  return all(sessions, principal).find((task) => task.id === id);
}

function orNotFound(found: Found | undefined, id: string): Found {
  if (found) return found;
  throw new ProtocolError(INVALID_PARAMS, `There is no task ${id.slice(0, 100)}, or not any more`);
}

function cancel({ kept }: Found): void {
  kept.promised.cancelled = true;
  kept.promised.endedAt = new Date();
  if (!kept.outcome) kept.execution.stop("cancelled");
}

/** What the sandbox could not do counts as failed, as `isError` says it too. */
function earlierStatus({ promised, outcome }: Found["kept"]): Task["status"] {
  if (promised.cancelled || outcome?.status === "cancelled") return "cancelled";
  if (!outcome) return "working";
  return outcome.status === "completed" || outcome.status === "failed" ? "completed" : "failed";
}

function earlierView(found: Found): Task {
  const { ttlMs, ...view } = common(found);
  return { ...view, status: earlierStatus(found.kept), ttl: ttlMs, pollInterval: POLL_MS };
}

/** What a tool says of its errors is its result; "failed" is what the protocol can't answer. */
function laterView(found: Found) {
  const status = earlierStatus(found.kept);
  return {
    ...common(found),
    status: status === "failed" ? "completed" as const : status,
    pollIntervalMs: POLL_MS,
  };
}

function common({ id, kept: { promised } }: Found) {
  const { createdAt, endedAt = createdAt, ttlMs } = promised;
  return {
    taskId: id,
    createdAt: createdAt.toISOString(),
    lastUpdatedAt: endedAt.toISOString(),
    ttlMs: Math.round(ttlMs),
  };
}

/** Whether the request is of the later generation: those carry what their client is. */
function isLater(sdk: ServerContext): boolean {
  return sdk.mcpReq.envelope !== undefined;
}

function declares(sdk: ServerContext): boolean {
  return declaring.safeParse(sdk.mcpReq.envelope).success;
}

function requireExtension(sdk: ServerContext): void {
  if (isLater(sdk) && declares(sdk)) return;
  throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: TASKS_EXTENSION } });
}

/** @throws When the caller has gone. */
async function unlessGone<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const gone = Promise.withResolvers<never>();
  const abort = () => gone.reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([work, gone.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
