/** A request that is not served: its HTTP status, and a JSON-RPC error with the project's error object as data. */

import {
  type ErrorCode,
  type ErrorDetails,
  type ErrorInfo,
  errorInfo,
  type WasmboxError,
} from "../../errors.ts";

/** JSON-RPC 2.0 section 5.1, and the SDKs' code for an unknown MCP session. */
export const JSON_RPC = {
  parseError: -32700,
  invalidRequest: -32600,
  internalError: -32603,
  refused: -32000,
  sessionNotFound: -32001,
} as const;

export type RequestId = string | number;

export interface RefusalDetails extends ErrorDetails {
  /** The request's id, if it could be read. */
  readonly id?: RequestId | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The status with which an error of an operation is answered; 500 if it is none of these. */
const STATUS: Partial<Record<ErrorCode, number>> = {
  INVALID_ARGUMENTS: 400,
  INVALID_PATH: 400,
  PATH_NOT_WRITABLE: 403,
  FILE_NOT_FOUND: 404,
  SESSION_NOT_FOUND: 404,
  FILE_EXISTS: 409,
  NOT_A_FILE: 409,
  NOT_A_DIRECTORY: 409,
  DIRECTORY_NOT_EMPTY: 409,
  FILE_CHANGED: 412,
  FILE_TOO_LARGE: 413,
  WORKSPACE_FULL: 413,
  SESSION_BUSY: 429,
  SESSION_CLOSED: 503,
  EXECUTOR_LOST: 503,
  EXECUTOR_UNAVAILABLE: 503,
  SHUTTING_DOWN: 503,
  AUDIT_UNAVAILABLE: 503,
};

/** Thrown by whatever finds that a request must not be served. */
export class Refusal extends Error {
  override name = "Refusal";
  readonly info: ErrorInfo;

  constructor(
    readonly status: number,
    code: ErrorCode,
    message: string,
    readonly details: RefusalDetails = {},
  ) {
    super(message);
    this.info = errorInfo(code, message, { rpcCode: JSON_RPC.refused, ...details });
  }

  /** @returns The refusal of a caller that should try again. @param seconds How long to wait. */
  static later(status: 429 | 503, code: ErrorCode, message: string, seconds: number): Refusal {
    const wait = Math.max(1, Math.ceil(seconds));
    return new Refusal(status, code, message, {
      suggestions: [`Try again in ${wait} s.`],
      context: { retry_after_seconds: wait },
      retryable: true,
      headers: { "retry-after": String(wait) },
    });
  }

  /** @returns The refusal of a request whose operation failed. */
  static of({ info }: WasmboxError, headers: Readonly<Record<string, string>> = {}): Refusal {
    const { error_code: code, message, recovery_suggestions: suggestions, context, retryable } = info;
    return new Refusal(STATUS[code] ?? 500, code, message, {
      suggestions,
      context,
      ...(retryable !== undefined && { retryable }),
      headers,
    });
  }

  withHeaders(headers: Readonly<Record<string, string>>): Refusal {
    const all = { ...this.details.headers, ...headers };
    return new Refusal(this.status, this.info.error_code, this.message, { ...this.details, headers: all });
  }

  toResponse(): Response {
    const { id = null, headers = {} } = this.details;
    const error = { code: this.info.jsonrpc_code, message: this.message, data: this.info };
    return Response.json({ jsonrpc: "2.0", error, id }, { status: this.status, headers });
  }
}

export function sessionNotFound(): Refusal {
  return new Refusal(404, "SESSION_NOT_FOUND", "Session not found", {
    rpcCode: JSON_RPC.sessionNotFound,
    suggestions: ["Initialize again: the MCP session has ended, or it was never there."],
  });
}
