/** What a call is told whose session's process went away. */

import { WasmboxError } from "../errors.ts";
import type { ExecutorEndCause } from "../telemetry/events.ts";

/** A session's process went away before what it was asked was done. */
export class ExecutorLost extends WasmboxError {
  /** Whether what it was asked may be what it was lost of: asked again, it would cost the next one. */
  readonly isFinal: boolean;

  /** @param cause Undefined if only the session's Worker was lost. */
  constructor(readonly reason: string, cause: ExecutorEndCause | undefined) {
    const retryable = isRetryable(cause);
    const message = `The session's process was lost: ${reason}. Nothing of this call was done.`;
    super("EXECUTOR_LOST", message, { retryable });
    this.isFinal = !retryable;
  }
}

/** Whether what was asked of a process that ended so can be asked of the next one. */
export function isRetryable(cause: ExecutorEndCause | undefined): boolean {
  return cause !== "protocol";
}

/** What is told of an error, whatever it is. */
export function messageOf(error: unknown): string {
  if (error instanceof ExecutorLost) return error.reason;
  return error instanceof Error ? error.message : String(error);
}
