/** What a program's handler is called with: an event, and a context with the names that AWS Lambda's has. */

import type { HandlerCall } from "../executor/wire/to_executor.ts";
import { type Language, traitsOf } from "../languages.ts";

/** A caller's wish that the program's handler be called. */
export interface HandlerRequest {
  /** JSON of the handler's first argument. */
  readonly event: string;
  /** More fields of its second. */
  readonly context: Readonly<Record<string, unknown>>;
  /** Whether it is an error if there is no handler. If not, only one that this run has defined is called. */
  readonly required: boolean;
}

/** The execution that the call is part of. */
export interface Invocation {
  readonly language: Language;
  readonly executionId: string;
  readonly sessionId: string;
  readonly memoryBytes: number;
  readonly timeoutMs: number;
}

const FUNCTION_NAME = "handler";
const FUNCTION_VERSION = "$LATEST";

export function handlerCallOf(request: HandlerRequest, invocation: Invocation): HandlerCall {
  return {
    event: request.event,
    context: JSON.stringify({ ...contextOf(invocation), ...request.context }),
    timeoutMs: invocation.timeoutMs,
    required: request.required,
  };
}

/** As each language's handlers know it. */
function contextOf({ language, executionId, sessionId, memoryBytes }: Invocation): Record<string, unknown> {
  const memory = Math.floor(memoryBytes / 2 ** 20);
  return traitsOf(language).handlerStyle === "snake_case"
    ? {
      function_name: FUNCTION_NAME,
      function_version: FUNCTION_VERSION,
      aws_request_id: executionId,
      memory_limit_in_mb: memory,
      log_stream_name: sessionId,
    }
    : {
      functionName: FUNCTION_NAME,
      functionVersion: FUNCTION_VERSION,
      awsRequestId: executionId,
      memoryLimitInMB: memory,
      logStreamName: sessionId,
    };
}
