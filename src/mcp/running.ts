/** Running something in a call's session: which session that is, for how long, and until when. */

import { WasmboxError } from "../errors.ts";
import type { ExecutionRequest } from "../session/execution.ts";
import type { Outcome } from "../session/outcome.ts";
import type { Session } from "../session/session.ts";
import { atStake } from "./durability.ts";
import type { ToolContext } from "./tool.ts";

/**
 * The session of a call that makes one if there is none.
 *
 * @throws {WasmboxError} SESSION_REQUIRED, SESSION_NOT_FOUND, TOO_MANY_SESSIONS.
 */
export async function sessionFor(
  id: string | undefined,
  context: ToolContext,
): Promise<{ session: Session; created: boolean }> {
  const { sessions, principal, defaultSession, newSessionFlavor } = context;
  const wanted = id ?? defaultSession;
  if (context.settings.requireSession) {
    if (wanted !== undefined) return { session: await sessions.get(principal, wanted), created: false };
    throw new WasmboxError(
      "SESSION_REQUIRED",
      "session_id is missing: this server makes no sessions by itself (require_session).",
      { suggestions: ["Call create_session, and give the session_id of its reply with every call."] },
    );
  }
  if (wanted === undefined) {
    return { session: await sessions.createUnnamed(principal, newSessionFlavor), created: true };
  }
  if (sessions.gaveUp(principal, wanted)) {
    return { session: await sessions.get(principal, wanted), created: false };
  }
  return await sessions.getOrCreate(principal, wanted, newSessionFlavor);
}

/** The session of a call, if it is live: at once, so that calls are in the order in which they came. */
export function liveSession(
  id: string | undefined,
  { sessions, principal, defaultSession }: ToolContext,
): Session | undefined {
  const wanted = id ?? defaultSession;
  return wanted === undefined ? undefined : sessions.liveUsed(principal, wanted);
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

/** An outcome, and whether the store has what it left behind; null where no store outlives the server. */
export type StoredOutcome = Outcome & { readonly durable: boolean | null };

export async function stored(outcome: Outcome, session: Session): Promise<StoredOutcome> {
  const { store, storeSync } = session.host;
  if (!store.durable) return { ...outcome, durable: null };
  if (storeSync === "soon") return { ...outcome, durable: session.notDurable === undefined };
  const warning = await atStake(session);
  if (warning === undefined) return { ...outcome, durable: true };
  return { ...outcome, durable: false, notice: outcome.notice ? `${outcome.notice} ${warning}` : warning };
}

/** Runs something in a session and waits for its end. @param signal Of the call: what runs ends with it. */
export async function runIn(
  session: Session,
  signal: AbortSignal,
  request: ExecutionRequest,
): Promise<StoredOutcome> {
  const execution = session.execute(request);
  const cancel = () => execution.stop("cancelled");
  if (signal.aborted) cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    return await stored(await execution.outcome, session);
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}
