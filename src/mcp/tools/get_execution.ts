import * as z from "zod";
import { WasmboxError } from "../../errors.ts";
import type { Execution } from "../../session/execution.ts";
import type { Session } from "../../session/session.ts";
import type { StoredView } from "../../checkpoints/store.ts";
import { find, type Kept } from "../background.ts";
import { decodeReply } from "../kept_reply.ts";
import { stored } from "../running.ts";
import { sessionIdSchema } from "../schemas.ts";
import { defineTool, type ToolContext } from "../tool.ts";
import { endedResult, executionOutput, runningResult } from "../execution_reply.ts";

/** Shorter than clients wait for a reply. */
const MAX_WAIT_SECONDS = 50;

const input = z.strictObject({
  execution_id: z.string().max(100),
  session_id: sessionIdSchema.optional().describe("Absent: any of yours."),
  wait: z.number().min(0).max(MAX_WAIT_SECONDS).default(0).describe("Seconds to wait for its end."),
});

export const getExecution = defineTool({
  name: "get_execution",
  title: "Get an execution",
  description:
    "What an execution in the background has printed so far or, when it has ended, its whole reply.",
  input,
  output: executionOutput,
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  showsResult: true,
  async run(args, context) {
    const { session, kept } = await found(args, context);
    if (kept.outcome) return await endedResult(await stored(kept.outcome, session), session, false, context);
    const { execution } = kept;
    if (args.wait > 0) await ended(execution, args.wait * 1000, context.signal);
    return execution.phase === "ended"
      ? await endedResult(await stored(await execution.outcome, session), session, false, context)
      : runningResult(execution, session, false);
  },
});

/** @throws {WasmboxError} SESSION_NOT_FOUND, NOT_FOUND. */
async function found(
  { execution_id: id, session_id }: z.infer<typeof input>,
  { sessions, principal }: ToolContext,
): Promise<{ session: Session; kept: Kept }> {
  const searched = session_id === undefined
    ? sessions.list(principal)
    : [await sessions.get(principal, session_id)];
  for (const session of searched) {
    const kept = find(session, id) ?? earlier(session, id);
    if (kept) return { session, kept };
  }
  const hibernated = session_id === undefined ? await sessions.hibernated(principal) : [];
  for (const { sessionId } of hibernated.filter((view) => knows(view, id))) {
    const session = await sessions.get(principal, sessionId);
    const kept = find(session, id) ?? earlier(session, id);
    if (kept) return { session, kept };
  }
  throw new WasmboxError("NOT_FOUND", "There is no such execution in the background.", {
    suggestions: [
      "It may have gone with its session, or for later ones: a session keeps the last few that have ended.",
      "Executions that a call waited for are in that call's reply alone.",
    ],
  });
}

/** Whether a session that only the store has can tell of an execution. */
function knows({ ran, facts: { replies = [] } }: StoredView, id: string): boolean {
  return ran?.includes(id) || replies.some(({ executionId }) => executionId === id);
}

/** What the store has of an execution of an earlier server, or of before its session was hibernated. @throws {WasmboxError} EXECUTOR_LOST. */
function earlier(session: Session, id: string): Kept | undefined {
  const reply = session.replyOf(id);
  const lost = session.lostWhile(id);
  if (reply !== undefined) {
    const outcome = decodeReply(reply);
    if (!lost) return { outcome };
    const notice = [
      outcome.notice,
      "What it did in the session could not be stored, and was lost with the server.",
    ];
    return { outcome: { ...outcome, state: "rolled_back", notice: notice.filter(Boolean).join(" ") } };
  }
  if (!lost) return undefined;
  const fate = lost === "running"
    ? "it was running when the server ended, or what it did could not be stored. The session is as it was before it."
    : "it waited for its turn when the server ended. Nothing of it was done.";
  const message = `The execution ${id} of the session "${session.id}" was lost: ${fate}`;
  throw new WasmboxError("EXECUTOR_LOST", message, {
    suggestions: ["Run its code again, with the same session_id."],
    context: { session_id: session.id, execution_id: id },
    retryable: lost === "queued",
  });
}

/** Waits until it has ended, or as long as may be. */
async function ended(execution: Execution, ms: number, signal: AbortSignal): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, ms);
  signal.addEventListener("abort", () => over.resolve(), { once: true });
  await Promise.race([execution.outcome, over.promise]);
  clearTimeout(timer);
}
