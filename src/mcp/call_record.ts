/** Follows a call of a tool from its arrival to its answer: an event for the observers, a record for the audit. */

import { ERROR_CODES, type ErrorCode, WasmboxError } from "../errors.ts";
import { type AuditLog, type AuditRecord, sha256 } from "../telemetry/audit.ts";
import type { Observer } from "../telemetry/events.ts";
import type { Spans } from "../telemetry/spans.ts";
import { newTraceId, type TraceParent } from "../telemetry/trace.ts";

/** Where a request came from, as far as its transport tells. */
export interface Origin {
  readonly address?: string | undefined;
  /** The HTTP header. */
  readonly traceparent?: string | undefined;
}

export interface Call {
  /** "unknown" if it is not one of the server's. */
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly principal: string;
  readonly address: string | undefined;
  /** The trace that the caller named. */
  readonly parent: TraceParent | undefined;
}

/** What hears of calls. */
export interface CallObservers {
  readonly observe: Observer;
  readonly audit?: AuditLog | undefined;
  readonly spans?: Spans | undefined;
}

/** The part of a tool's answer that tells what came of it. */
interface Answer {
  readonly isError: boolean;
  readonly structuredContent: Readonly<Record<string, unknown>>;
}

/** Arguments that hold what is to be run. */
const SOURCES = ["code", "command"];

/**
 * @param work Answers the call, once what it is given has settled: that throws AUDIT_UNAVAILABLE, and nothing must be done
 * then, if a record is required and can't be written.
 * @throws What `work` does.
 */
export async function recorded<Result extends Answer>(
  observers: CallObservers,
  call: Call,
  work: (admitted: () => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const { spans } = observers;
  if (!spans) return await follow(observers, call, call.parent?.traceId ?? newTraceId(), work);
  return await spans.around(call.tool, call.parent, (traceId) => follow(observers, call, traceId, work));
}

async function follow<Result extends Answer>(
  { observe, audit }: CallObservers,
  call: Call,
  traceId: string,
  work: (admitted: () => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const begun = performance.now();
  const source = audit && SOURCES.map((name) => call.args[name]).find((value) => typeof value === "string");
  const digest = source === undefined ? null : sha256(source as string);
  let answer: Answer | undefined;
  let failure: unknown;
  try {
    const result = await work(async () => {
      if (audit?.required) announce(audit, recordOf(call, traceId, await digest));
    });
    answer = result;
    return result;
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    const durationMs = performance.now() - begun;
    const outcome = answer ? outcomeOf(answer) : outcomeOfThrown(failure);
    const sessionId = textIn(answer, "session_id");
    const executionId = textIn(answer, "execution_id");
    const { tool, principal } = call;
    observe({ type: "tool_called", tool, outcome, durationMs, principal, sessionId, executionId, traceId });
    audit?.write({
      ...recordOf(call, traceId, await digest),
      event: "call",
      session_id: sessionId ?? sessionIn(call.args),
      execution_id: executionId ?? null,
      outcome,
      duration_ms: Math.round(durationMs * 1000) / 1000,
    });
  }
}

/** @throws {WasmboxError} AUDIT_UNAVAILABLE. */
function announce(audit: AuditLog, record: AuditRecord): void {
  if (audit.write(record)) return;
  throw new WasmboxError("AUDIT_UNAVAILABLE", "The call can't be recorded, so it was not run.", {
    suggestions: ["Try again later; the operator's log says what is wrong with the audit log."],
    retryable: true,
  });
}

function recordOf(
  { tool, args, principal, address }: Call,
  traceId: string,
  digest: string | null,
): AuditRecord {
  return {
    event: "call_started",
    principal,
    address: address ?? null,
    tool,
    session_id: sessionIn(args),
    execution_id: null,
    outcome: null,
    duration_ms: null,
    code_sha256: digest,
    trace_id: traceId,
  };
}

/** The session that the caller named, if it can be a session's name. */
function sessionIn({ session_id: id }: Call["args"]): string | null {
  return typeof id === "string" && /^[\w-]{1,100}$/.test(id) ? id : null;
}

function textIn(answer: Answer | undefined, field: string): string | undefined {
  const value = answer?.structuredContent[field];
  return typeof value === "string" ? value : undefined;
}

function outcomeOf({ isError, structuredContent }: Answer): "ok" | ErrorCode {
  if (!isError) return "ok";
  const error = structuredContent["error"];
  return codeIn(error) ?? "INTERNAL_ERROR";
}

function outcomeOfThrown(error: unknown): ErrorCode {
  if (error instanceof WasmboxError) return error.info.error_code;
  return (error instanceof Error && "data" in error ? codeIn(error.data) : undefined) ?? "INTERNAL_ERROR";
}

function codeIn(info: unknown): ErrorCode | undefined {
  const code = typeof info === "object" && info !== null && "error_code" in info
    ? info.error_code
    : undefined;
  return ERROR_CODES.find((known) => known === code);
}
