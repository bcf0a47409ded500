/**
 * The one shape of every error that leaves wasmbox, and the catalogue of its codes.
 *
 * Each says what happened, what became of the state where that is in question, and what to do about it.
 */

/** Where an error belongs; decides how a client should treat it. */
export type ErrorCategory =
  | "validation"
  | "authorization"
  | "not_found"
  | "limit"
  | "execution"
  | "sandbox"
  | "unavailable"
  | "internal";

/** How bad it is: a warning leaves everything usable, an error ended a call, critical cost a session its state. */
export type ErrorSeverity = "warning" | "error" | "critical";

const CATALOGUE = {
  INVALID_ARGUMENTS: ["validation", "error"],
  INVALID_REQUEST: ["validation", "error"],
  UNAUTHORIZED: ["authorization", "error"],
  FORBIDDEN: ["authorization", "error"],
  RATE_LIMITED: ["limit", "warning"],
  PAYLOAD_TOO_LARGE: ["limit", "error"],
  REQUEST_TIMEOUT: ["limit", "error"],
  SERVER_BUSY: ["unavailable", "warning"],
  NOT_FOUND: ["not_found", "error"],
  UNKNOWN_TOOL: ["not_found", "error"],
  SESSION_NOT_FOUND: ["not_found", "error"],
  SESSION_REQUIRED: ["validation", "error"],
  SESSION_EXISTS: ["validation", "error"],
  SESSION_BUSY: ["limit", "warning"],
  TOO_MANY_TASKS: ["limit", "warning"],
  SESSION_CLOSED: ["unavailable", "error"],
  SESSION_ELSEWHERE: ["unavailable", "error"],
  SESSION_REFUSED: ["sandbox", "critical"],
  IMPORT_REFUSED: ["validation", "error"],
  EXPORT_UNAVAILABLE: ["unavailable", "error"],
  STORE_UNAVAILABLE: ["unavailable", "error"],
  CHECKPOINT_NOT_FOUND: ["not_found", "error"],
  CHECKPOINT_UNAVAILABLE: ["limit", "error"],
  TOO_MANY_CHECKPOINTS: ["limit", "error"],
  TOO_MANY_SESSIONS: ["limit", "error"],
  FILE_NOT_FOUND: ["not_found", "error"],
  FILE_EXISTS: ["validation", "error"],
  FILE_CHANGED: ["validation", "error"],
  FILE_TOO_LARGE: ["limit", "error"],
  NOT_A_FILE: ["validation", "error"],
  NOT_A_DIRECTORY: ["validation", "error"],
  NOT_TEXT: ["validation", "error"],
  DIRECTORY_NOT_EMPTY: ["validation", "error"],
  INVALID_PATH: ["validation", "error"],
  PATH_NOT_WRITABLE: ["validation", "error"],
  PATH_NOT_ACCESSIBLE: ["authorization", "error"],
  VOLUME_UNAVAILABLE: ["unavailable", "error"],
  WORKSPACE_FULL: ["limit", "error"],
  CODE_TOO_LARGE: ["limit", "error"],
  PACKAGE_NOT_FOUND: ["not_found", "error"],
  PACKAGE_NOT_PURE: ["validation", "error"],
  PACKAGE_CONFLICT: ["validation", "error"],
  PACKAGE_DENIED: ["authorization", "error"],
  PACKAGE_CORRUPT: ["execution", "error"],
  PACKAGE_LIMIT: ["limit", "error"],
  PACKAGE_FAILED: ["execution", "error"],
  PACKAGES_DISABLED: ["unavailable", "error"],
  PACKAGE_INDEX_UNREACHABLE: ["unavailable", "error"],
  PROGRAM_ERROR: ["execution", "error"],
  PROGRAM_EXIT: ["execution", "error"],
  EXECUTION_TIMEOUT: ["limit", "error"],
  EXECUTION_CANCELLED: ["execution", "warning"],
  OUT_OF_FUEL: ["limit", "error"],
  OUT_OF_MEMORY: ["limit", "error"],
  INTERPRETER_CRASHED: ["sandbox", "critical"],
  EXECUTOR_LOST: ["sandbox", "critical"],
  EXECUTOR_UNAVAILABLE: ["unavailable", "critical"],
  SHUTTING_DOWN: ["unavailable", "error"],
  AUDIT_UNAVAILABLE: ["unavailable", "critical"],
  INTERNAL_ERROR: ["internal", "critical"],
} as const satisfies Record<string, readonly [ErrorCategory, ErrorSeverity]>;

export type ErrorCode = keyof typeof CATALOGUE;

export const ERROR_CODES = Object.keys(CATALOGUE) as ErrorCode[];
/** JSON-RPC's codes for what a server of another system answers so, by the error's category. */
const JSON_RPC_CODES: Readonly<Record<ErrorCategory, number>> = {
  validation: -32602,
  not_found: -32602,
  limit: -32600,
  authorization: -32600,
  execution: -32603,
  sandbox: -32603,
  unavailable: -32603,
  internal: -32603,
};

/** The wire form of an error; field names as the protocol's clients see them. */
export interface ErrorInfo {
  error_code: ErrorCode;
  category: ErrorCategory;
  /** The code of a JSON-RPC error that says the same; that of the error itself where it is one. */
  jsonrpc_code: number;
  severity: ErrorSeverity;
  message: string;
  recovery_suggestions: string[];
  context: Record<string, string | number | boolean | null>;
  /** The program's exception class, if it was the program's. */
  type?: string;
  traceback?: string;
  /** True when the same call can be sent again and may succeed. */
  retryable?: boolean;
}

export interface ErrorDetails {
  suggestions?: readonly string[];
  context?: ErrorInfo["context"];
  type?: string;
  traceback?: string;
  retryable?: boolean;
  /** JSON-RPC's code; that of the category if absent. */
  rpcCode?: number;
}

/** Builds an {@link ErrorInfo} from a code of the catalogue. */
export function errorInfo(code: ErrorCode, message: string, details: ErrorDetails = {}): ErrorInfo {
  const [category, severity] = CATALOGUE[code];
  return {
    error_code: code,
    category,
    jsonrpc_code: details.rpcCode ?? JSON_RPC_CODES[category],
    severity,
    message,
    recovery_suggestions: [...(details.suggestions ?? [])],
    context: details.context ?? {},
    ...(details.type !== undefined && { type: details.type }),
    ...(details.traceback !== undefined && { traceback: details.traceback }),
    ...(details.retryable !== undefined && { retryable: details.retryable }),
  };
}

/** An error that is meant for the caller. Everything else that is thrown is a defect and told as INTERNAL_ERROR. */
export class WasmboxError extends Error {
  override name = "WasmboxError";
  readonly info: ErrorInfo;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message);
    this.info = errorInfo(code, message, details);
  }
}

/** Any thrown value as an {@link ErrorInfo}; defects don't leak their stack to the client. */
export function toErrorInfo(error: unknown): ErrorInfo {
  if (error instanceof WasmboxError) return error.info;
  return errorInfo("INTERNAL_ERROR", "wasmbox failed to handle the call; this is a defect of wasmbox", {
    suggestions: ["Try again; if it happens again, report it with the server's log."],
    context: { cause: error instanceof Error ? error.name : typeof error },
  });
}
