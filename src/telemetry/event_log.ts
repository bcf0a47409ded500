/**
 * Events as lines of the log: what the server starts and ends at info, what went wrong or was refused at warning, calls
 * that went well at debug. Whatever anyone can cause as often as they like is told once in a while, with a count.
 */

import type { Observer } from "./events.ts";
import { logger } from "./log.ts";

const log = logger("events");

/** Between two lines that say the same of refusals. */
const REPEAT_MS = 10_000;

export function eventLog(): Observer {
  const refusals = new Repeats();
  const audit = new Repeats();
  return (event) => {
    switch (event.type) {
      case "session_created":
        return log.info(event.woken ? "session woken" : "session created", {
          principal: event.principal,
          session_id: event.sessionId,
        });
      case "session_ended": {
        const { principal, sessionId, cause } = event;
        return log.info("session ended: {cause}", { cause, principal, session_id: sessionId });
      }
      case "session_evicted": {
        const { principal, sessionId, state, why } = event;
        const fields = { why, state, principal, session_id: sessionId };
        return log[state === "kept" ? "info" : "warning"]("session left its executor: {why}", fields);
      }
      case "state_lost": {
        const { principal, sessionId, part, reason } = event;
        return log.warning("session restored without its {part}: {reason}", {
          part,
          reason,
          principal,
          session_id: sessionId,
        });
      }
      case "executor_started":
        return log.info("executor started", { pid: event.pid, replacement: event.replacement });
      case "executor_ready":
        return log.debug("executor ready", { pid: event.pid, start_ms: Math.round(event.startMs) });
      case "executor_ended": {
        const { pid, cause, reason, sessions } = event;
        const wanted = cause === "retired" || cause === "shutdown";
        return log[wanted ? "info" : "warning"]("executor ended: {reason}", { reason, pid, cause, sessions });
      }
      case "tool_called": {
        const { tool, outcome, principal, sessionId, executionId, traceId, durationMs } = event;
        return log[outcome === "ok" ? "debug" : "info"]("{tool}: {outcome}", {
          tool,
          outcome,
          duration_ms: Math.round(durationMs * 1000) / 1000,
          principal,
          ...sessionId !== undefined && { session_id: sessionId },
          ...executionId !== undefined && { execution_id: executionId },
          trace_id: traceId,
        });
      }
      case "http_refused": {
        const { status, code, address, traceId } = event;
        const more = { ...traceId !== undefined && { trace_id: traceId } };
        return refusals.tell(
          code,
          (repeated) =>
            log.warning("request refused: {code}", { code, status, address, ...repeated, ...more }),
        );
      }
      case "audit_failed":
        return audit.tell(
          "failed",
          (repeated) =>
            log.error("the audit log can't be written: {reason}", { reason: event.reason, ...repeated }),
        );
      case "audit_recovered":
        return log.warning("the audit log can be written again; {lost} records are missing", {
          lost: event.lost,
        });
    }
  };
}

/** Lets one of many equal lines through, with the number of those that were held back. */
class Repeats {
  readonly #lines = new Map<string, { since: number; held: number }>();

  /** @param key One of a closed set. */
  tell(key: string, print: (repeated: { repeated?: number }) => void): void {
    const now = performance.now();
    const last = this.#lines.get(key);
    if (last && now - last.since < REPEAT_MS) {
      last.held++;
      return;
    }
    print(last && last.held > 0 ? { repeated: last.held } : {});
    this.#lines.set(key, { since: now, held: 0 });
  }
}
