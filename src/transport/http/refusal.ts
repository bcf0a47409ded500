/** A request that is not served: its HTTP status, and a JSON-RPC error with the project's error object as data. */

import { type ErrorCode, type ErrorDetails, type ErrorInfo, errorInfo } from "../../errors.ts";

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
