/** What the server's tools answer, as far as the page uses it; docs/REPLIES.md has all of it. */

export const LANGUAGES = ["python", "javascript", "shell"] as const;
export type Language = typeof LANGUAGES[number];

export interface SessionInfo {
  readonly session_id: string;
  readonly created_at: string;
  readonly last_used_at: string;
  readonly executions: number;
  readonly state: "live" | "asleep" | "hibernated";
  readonly memory_bytes: number;
  readonly fuel_consumed: number;
  readonly running: readonly {
    readonly execution_id: string;
    readonly language: Language;
    readonly phase: "queued" | "running" | "ended";
    readonly running_ms: number;
  }[];
}

export interface Display {
  /** Whether it is the last expression's value. */
  readonly source?: "display" | "result";
  readonly mime_type: string;
  readonly size: number;
  readonly text?: string | null;
  /** Which of the reply's pictures it is. */
  readonly image?: number | null;
  readonly path?: string | null;
  readonly note?: string | null;
}

export interface ChangedFile {
  readonly path: string;
  readonly change: "created" | "modified" | "deleted";
}

export interface Picture {
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
}

/** Of an execution; absent, or null under the profile compat, is what has nothing to say. */
export interface ExecutionReply {
  readonly execution_id: string;
  readonly status: string;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly result?: string | null;
  readonly error?: ErrorInfo | null;
  readonly notice?: string | null;
  readonly execution_time_ms: number;
  readonly fuel_consumed?: number;
  readonly memory_bytes?: number;
  readonly displays?: readonly Display[];
  readonly displays_dropped?: number;
  readonly files_changed?: readonly ChangedFile[];
  readonly artifacts?: readonly { readonly uri: string; readonly mime_type: string; readonly size: number }[];
}

export interface ErrorInfo {
  readonly error_code: string;
  readonly message: string;
  readonly recovery_suggestions?: readonly string[];
  readonly traceback?: string;
}

/** What the resource `variables://SESSION` has. */
export interface LanguageVariables {
  readonly language: Language;
  readonly variables: readonly { readonly name: string; readonly type: string; readonly value: string }[];
  /** That are not among them. */
  readonly more: number;
}

export interface FileEntry {
  /** Relative to /app. */
  readonly path: string;
  readonly type: "file" | "directory" | "symlink" | "device";
  readonly size: number;
  readonly modified: string;
  readonly mime_type?: string | null;
}

/** `GET /`, for programs. */
export interface ServerFacts {
  readonly status: "healthy" | "unhealthy";
  readonly version: string;
  readonly endpoint: string;
}
