/**
 * What happens in a server, told by whoever it happens to. Metrics, logs and spans are observers of the same events, so
 * that no other part counts anything.
 *
 * No event holds code, output or a token. What becomes a metric's label is one of a closed set of words; names that
 * clients choose (sessions, principals) are for logs alone.
 */

import type { ErrorCode } from "../errors.ts";

/** Why an executor process ended. */
export type ExecutorEndCause =
  /** By itself: a crash, or a signal from outside. */
  | "exited"
  /** It was idle and not needed. */
  | "retired"
  /** The server ended. */
  | "shutdown"
  /** An execution that answered to no other stop. */
  | "unstoppable"
  /** It was silent for too long. */
  | "unresponsive"
  /** It held too much memory. */
  | "memory"
  /** It said something that the protocol does not know. */
  | "protocol"
  /** It, or a session in it, was not ready in time. */
  | "slow_start"
  /** It could not give up its permissions. */
  | "permissions";

/**
 * "hibernated": the store has it, and the next call goes on with it; "taken_over": another server did so, and what this
 * one did since is lost.
 */
export type SessionEndCause = "destroyed" | "idle" | "age" | "shutdown" | "hibernated" | "taken_over";

/** What limits how often someone may call. */
export type RateLimit = "principal" | "address" | "auth_failures";

/** A call of a tool that has been answered. */
export interface ToolCalled {
  readonly type: "tool_called";
  /** One of the server's tools; "unknown" for any other name. */
  readonly tool: string;
  /** "ok", or the code of the error with which it was answered. */
  readonly outcome: "ok" | ErrorCode;
  readonly durationMs: number;
  readonly principal: string;
  readonly sessionId: string | undefined;
  readonly executionId: string | undefined;
  readonly traceId: string;
}

export type TelemetryEvent =
  | { readonly type: "execution_queued"; readonly executionId: string; readonly language: string }
  | {
    readonly type: "execution_started";
    readonly executionId: string;
    readonly language: string;
    readonly waitedMs: number;
  }
  | {
    readonly type: "execution_ended";
    readonly executionId: string;
    readonly language: string;
    readonly status: string;
    /** What became of the session's state. */
    readonly state: "kept" | "rolled_back" | "reset";
    /** Whether its turn had come. */
    readonly started: boolean;
    readonly durationMs: number;
    readonly fuelConsumed: number;
    readonly memoryBytes: number;
    readonly truncated: { readonly stdout: boolean; readonly stderr: boolean };
  }
  | {
    readonly type: "checkpoint"; /** False if the session is too large for one. */
    readonly complete: boolean;
  }
  | {
    readonly type: "session_created";
    readonly principal: string;
    readonly sessionId: string;
    /** It goes on from what a store kept of it. */
    readonly woken: boolean;
  }
  | {
    readonly type: "session_ended";
    readonly principal: string;
    readonly sessionId: string;
    readonly cause: SessionEndCause;
  }
  | {
    /** Memory was short, and a session had to leave its executor. */
    readonly type: "session_evicted";
    readonly principal: string;
    readonly sessionId: string;
    /** What it comes back to. */
    readonly state: "kept" | "rolled_back" | "reset";
    /** For people. */
    readonly why: string;
  }
  | {
    /** A session came back from its checkpoint without all of it. */
    readonly type: "state_lost";
    readonly principal: string;
    readonly sessionId: string;
    /** For people. */
    readonly part: string;
    readonly reason: string;
  }
  | {
    readonly type: "executor_started";
    readonly pid: number;
    /** It takes the place of one that was lost. */
    readonly replacement: boolean;
  }
  | { readonly type: "executor_ready"; readonly pid: number; readonly startMs: number }
  | { readonly type: "executor_memory"; readonly pid: number; readonly rssBytes: number }
  | {
    readonly type: "executor_ended";
    readonly pid: number;
    readonly cause: ExecutorEndCause;
    /** For people. */
    readonly reason: string;
    /** Sessions that lived there. */
    readonly sessions: number;
  }
  | ToolCalled
  | {
    readonly type: "http_answered";
    readonly route: string;
    readonly method: string;
    readonly status: number;
  }
  | {
    readonly type: "http_refused";
    readonly status: number;
    readonly code: ErrorCode;
    readonly address: string;
    readonly traceId: string | undefined;
  }
  | { readonly type: "rate_limited"; readonly limit: RateLimit }
  | { readonly type: "audit_failed"; readonly reason: string }
  | { readonly type: "audit_recovered"; /** Records that were lost meanwhile. */ readonly lost: number };

/** Takes events as they happen; must be quick and must not throw. */
export type Observer = (event: TelemetryEvent) => void;

export const UNOBSERVED: Observer = () => {};

/** One observer that tells all of these. */
export function observers(...all: readonly Observer[]): Observer {
  return (event) => {
    for (const observe of all) observe(event);
  };
}
