/** What a store keeps of an execution in the background that has ended, so that a later server can tell it. */

import * as z from "zod";
import { ERROR_CODES, type ErrorInfo } from "../errors.ts";
import type { Outcome } from "../session/outcome.ts";
import { headAndTail } from "./execution_text.ts";
import { errorSchema, languageSchema, outcomeStatusSchema, stateSchema } from "./schemas.ts";

/** Longest text of each kind, UTF-16 units: a store writes it anew with each change of the session. */
const MAX_TEXT = 4000;
const MAX_SUGGESTIONS = 10;
const MAX_FILES = 20;
const MAX_DISPLAYS = 10;

const CUT = "Of what it printed the store has the beginning and the end.";

const keptReply = z.object({
  executionId: z.string(),
  language: languageSchema,
  status: outcomeStatusSchema,
  state: stateSchema,
  exitCode: z.number(),
  stdout: z.string(),
  stderr: z.string(),
  truncated: z.object({ stdout: z.boolean(), stderr: z.boolean() }),
  result: z.string().nullable(),
  returned: z.string().nullable(),
  error: errorSchema.extend({ error_code: z.enum(ERROR_CODES) }).nullable(),
  notice: z.string().nullable(),
  changed: z.object({
    files: z.array(z.object({
      path: z.string(),
      change: z.enum(["created", "modified", "deleted"]),
      type: z.enum(["file", "symlink"]),
      size: z.number(),
    })),
    truncated: z.boolean(),
  }),
  displays: z.object({
    entries: z.array(z.object({
      mimeType: z.string(),
      source: z.enum(["display", "result"]),
      size: z.number(),
      pixels: z.object({ width: z.number(), height: z.number() }).nullable(),
      path: z.string().nullable(),
      note: z.string().nullable(),
      bytes: z.null(),
    })),
    dropped: z.number(),
  }),
  executionTimeMs: z.number(),
  fuelConsumed: z.number(),
  fuelBudget: z.number().nullable(),
  memoryBytes: z.number(),
});

/** An outcome as it is kept: long texts without their middles, and of what was shown what was saved as a file. */
export function encodeReply(outcome: Outcome): string {
  const { stdout, stderr, truncated, result, returned, error, notice, changed, displays } = outcome;
  const cut = { stdout: stdout.length > MAX_TEXT, stderr: stderr.length > MAX_TEXT };
  const files = changed.files.slice(0, MAX_FILES);
  const saved = displays.entries.filter(({ path }) => path !== null).slice(0, MAX_DISPLAYS);
  const kept: z.infer<typeof keptReply> = {
    ...outcome,
    stdout: bounded(stdout),
    stderr: bounded(stderr),
    truncated: { stdout: truncated.stdout || cut.stdout, stderr: truncated.stderr || cut.stderr },
    result: result && bounded(result),
    returned: returned && returned.length > MAX_TEXT ? JSON.stringify(bounded(returned)) : returned,
    error: error && boundedError(error),
    notice: bounded([notice, cut.stdout || cut.stderr ? CUT : null].filter(Boolean).join(" ")) || null,
    changed: { files, truncated: changed.truncated || files.length < changed.files.length },
    displays: {
      entries: saved.map((display) => ({ ...display, bytes: null })),
      dropped: displays.dropped + displays.entries.length - saved.length,
    },
  };
  return JSON.stringify(kept);
}

/** @throws {Error} if it is not what {@link encodeReply} gave. */
export function decodeReply(reply: string): Outcome {
  const { error, ...outcome } = keptReply.parse(JSON.parse(reply));
  return { ...outcome, error: error as ErrorInfo | null };
}

const bounded = (text: string) => headAndTail(text, MAX_TEXT);

function boundedError(error: ErrorInfo): ErrorInfo {
  return {
    ...error,
    message: bounded(error.message),
    recovery_suggestions: error.recovery_suggestions.slice(0, MAX_SUGGESTIONS).map(bounded),
    ...(error.type !== undefined && { type: bounded(error.type) }),
    ...(error.traceback !== undefined && { traceback: bounded(error.traceback) }),
  };
}
