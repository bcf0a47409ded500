/** What the glue says about a run. The program shares an interpreter with the glue: nothing in it is trusted. */

import * as z from "zod/mini";
import { checkReturned } from "../returned.ts";
import type { ProgramError, RunOutcome } from "../runtime.ts";

const MAX_TYPE = 200;
const MAX_MESSAGE = 10 * 1024;
const MAX_TRACEBACK = 66 * 1024;
/** A character in an escaped form that is ASCII: `\ud83d\ude00`. */
const MAX_ESCAPED = 12;

/** Characters of a command and its environment. */
const MAX_COMMAND = 1024 * 1024;

const programError = z.object({
  type: z.string().check(z.maxLength(MAX_TYPE)),
  message: z.string().check(z.maxLength(2 * MAX_MESSAGE)),
  traceback: z.string().check(z.maxLength(2 * MAX_TRACEBACK)),
  /** The program has told of it in its own way. */
  isTold: z.optional(z.boolean()),
});

/** {@link RunOutcome.ranOver}. */
const told = { ranOver: z.optional(z.boolean()) };

const answer = z.discriminatedUnion("status", [
  z.object({
    ...told,
    status: z.literal("completed"),
    result: z.nullable(z.string()),
    returned: z.nullable(z.string()),
  }),
  z.object({
    status: z.literal("waiting"),
    command: z.string().check(z.maxLength(MAX_COMMAND)),
    capture: z.boolean(),
    cwd: z.string(),
    environ: z.record(z.string(), z.string()),
  }),
  z.object({ ...told, status: z.literal("exited"), exitCode: z.int().check(z.minimum(0), z.maximum(255)) }),
  z.object({ ...told, status: z.literal("failed"), error: programError }),
  z.object({ status: z.literal("out_of_memory"), compiled: z.boolean(), error: programError }),
]);

/** The program waits for a command of the shell. */
export interface Waiting {
  readonly status: "waiting";
  readonly command: string;
  readonly capture: boolean;
  readonly cwd: string;
  readonly environ: Readonly<Record<string, string>>;
}

type Told = Pick<RunOutcome, "ranOver">;

export type Answer =
  | Waiting
  | Told & { readonly status: "completed"; readonly result: string | null; readonly returned?: string }
  | Told & { readonly status: "exited"; readonly exitCode: number }
  | Told & { readonly status: "failed"; readonly error: ProgramError }
  /** `compiled`: whether the program came to run. */
  | { readonly status: "out_of_memory"; readonly compiled: boolean; readonly error: ProgramError };

/** Longest JSON that the glue can have a reason for. */
export function maxAnswerBytes(resultMaxBytes: number): number {
  return MAX_ESCAPED * (MAX_COMMAND + 2 * resultMaxBytes + MAX_TYPE + MAX_MESSAGE + MAX_TRACEBACK) + 1024;
}

/** @returns undefined if the JSON is not an answer. */
export function parseAnswer(json: string, resultMaxBytes: number): Answer | undefined {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return undefined;
  }
  const { data } = answer.safeParse(value);
  if (!data || data.status === "waiting" || data.status === "out_of_memory") return data;
  const { ranOver, ...ending } = data;
  return {
    ...ending.status === "completed" ? completed(ending, resultMaxBytes) : ending,
    ...(ranOver && { ranOver }),
  };
}

function completed(
  { status, returned, ...rest }: { status: "completed"; result: string | null; returned: string | null },
  resultMaxBytes: number,
): Answer {
  const result = rest.result === null ? null : truncate(rest.result, resultMaxBytes);
  if (returned === null) return { status, result };
  const checked = checkReturned(returned, resultMaxBytes);
  return typeof checked === "string"
    ? { status, result, returned: checked }
    : { status: "failed", error: checked };
}

/** Cuts text to a number of bytes of UTF-8, between characters, and marks that with "…". */
function truncate(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text;
  const bytes = new Uint8Array(maxBytes);
  const encoder = new TextEncoder();
  if (encoder.encodeInto(text, bytes).read === text.length) return text;
  const mark = "…";
  const { read } = encoder.encodeInto(text, bytes.subarray(encoder.encode(mark).length));
  return text.slice(0, read) + mark;
}
