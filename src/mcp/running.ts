/** Running something in a call's session: which session that is, for how long, and until when. */

import type { Limits } from "../config/limits.ts";
import { WasmboxError } from "../errors.ts";
import type { ExecutionRequest } from "../session/execution.ts";
import type { Outcome } from "../session/outcome.ts";
import type { Session } from "../session/session.ts";
import type { ToolContext } from "./tool.ts";

/**
 * The session of a call that makes one if there is none.
 *
 * @throws {WasmboxError} SESSION_REQUIRED, SESSION_NOT_FOUND, TOO_MANY_SESSIONS.
 */
export function sessionFor(
  id: string | undefined,
  context: ToolContext,
): { session: Session; created: boolean } {
  const { sessions, principal, defaultSession, newSessionFlavor } = context;
  const wanted = id ?? defaultSession;
  if (context.settings.requireSession) {
    if (wanted !== undefined) return { session: sessions.get(principal, wanted), created: false };
    throw new WasmboxError(
      "SESSION_REQUIRED",
      "session_id is missing: this server makes no sessions by itself (require_session).",
      { suggestions: ["Call create_session, and give the session_id of its reply with every call."] },
    );
  }
  if (wanted === undefined) {
    return { session: sessions.createUnnamed(principal, newSessionFlavor), created: true };
  }
  if (sessions.find(principal, wanted) || sessions.gaveUp(principal, wanted)) {
    return { session: sessions.get(principal, wanted), created: false };
  }
  return { session: sessions.create(principal, wanted, newSessionFlavor), created: true };
}

/** The limits of the session that {@link sessionFor} will give. */
export function limitsFor(id: string | undefined, context: ToolContext): Limits {
  const { sessions, principal, defaultSession, newSessionFlavor } = context;
  const wanted = id ?? defaultSession;
  return (wanted !== undefined && sessions.find(principal, wanted)?.limits) ||
    sessions.limitsOfNew(newSessionFlavor);
}

/**
 * @param seconds What the caller asks for.
 * @returns Milliseconds.
 * @throws {WasmboxError} INVALID_ARGUMENTS if that is more than the policy allows.
 */
export function timeoutOf(seconds: number | undefined, usualMs: number, maxMs: number): number {
  if (seconds === undefined) return Math.min(usualMs, maxMs);
  if (seconds * 1000 <= maxMs) return seconds * 1000;
  const message = `timeout is ${seconds} s; at most ${maxMs / 1000} s are allowed.`;
  throw new WasmboxError("INVALID_ARGUMENTS", message, { context: { max_timeout_seconds: maxMs / 1000 } });
}

/** Runs something in a session and waits for its end. @param signal Of the call: what runs ends with it. */
export async function runIn(
  session: Session,
  signal: AbortSignal,
  request: ExecutionRequest,
): Promise<Outcome> {
  const execution = session.execute(request);
  const cancel = () => execution.stop("cancelled");
  if (signal.aborted) cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    return await execution.outcome;
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}
