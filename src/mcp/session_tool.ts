/** Tools whose calls are about one session, and how that is found. */

import type { Session } from "../session/session.ts";
import { liveSession } from "./running.ts";
import { sessionIdOf } from "./schemas.ts";
import { defineTool, type Tool, type ToolContext, type ToolResult } from "./tool.ts";

interface SessionArguments {
  readonly session_id?: string | undefined;
}

/** Finds, or makes, the session of a call where it is not live. @throws {WasmboxError} if it can't be had. */
type FindSession = (args: SessionArguments, context: ToolContext) => Promise<Session>;

interface SessionTool<Input, Output extends object> extends Omit<Tool<Input, Output>, "run"> {
  readonly session: FindSession;
  /** @throws {WasmboxError} for what the caller should be told. */
  run(session: Session, args: Input, context: ToolContext): Promise<ToolResult<Output>>;
}

/** As {@link defineTool}. A live session is gone to at once, so that calls are in the order in which they came. */
export function defineSessionTool<Input extends SessionArguments, Output extends object>(
  { session: find, run, ...tool }: SessionTool<Input, Output>,
): Tool {
  return defineTool<Input, Output>({
    ...tool,
    async run(args, context) {
      const session = liveSession(args.session_id, context) ?? await find(args, context);
      return await run(session, args, context);
    },
  });
}

/** The session must be there. @throws {WasmboxError} SESSION_NOT_FOUND, INVALID_ARGUMENTS. */
export async function existingSession(args: SessionArguments, context: ToolContext): Promise<Session> {
  return await context.sessions.get(context.principal, sessionIdOf(args, context));
}

/**
 * A connection's default session is made if it was not used yet: files may come before the first code.
 *
 * @throws {WasmboxError} SESSION_NOT_FOUND, INVALID_ARGUMENTS.
 */
export async function fileSession(args: SessionArguments, context: ToolContext): Promise<Session> {
  if (args.session_id !== undefined) return await existingSession(args, context);
  return (await context.sessions.getOrCreate(context.principal, sessionIdOf(args, context))).session;
}
