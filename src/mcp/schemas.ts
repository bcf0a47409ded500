/** Pieces of schemas that several tools share. */

import { LANGUAGE_ALIAS_NAMES, LANGUAGE_NAMES } from "../languages.ts";
import * as z from "zod";
import { WasmboxError } from "../errors.ts";
import { SESSION_ID_PATTERN } from "../session/names.ts";
import type { ToolContext } from "./tool.ts";

export const languageSchema = z.enum(LANGUAGE_NAMES);

/** As callers name a language: by its name, or by one of the others that people use, which need no telling. */
export const languageInput = z.enum(LANGUAGE_ALIAS_NAMES).meta({ enum: [...LANGUAGE_NAMES, "typescript"] });

export const sessionIdSchema = z.string().regex(
  SESSION_ID_PATTERN,
  "a session_id has 1 to 100 characters out of A-Z a-z 0-9 _ -",
);

export const errorSchema = z.object({
  error_code: z.string(),
  category: z.string(),
  jsonrpc_code: z.number().int(),
  severity: z.string(),
  message: z.string(),
  recovery_suggestions: z.array(z.string()),
  context: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  type: z.string().optional(),
  traceback: z.string().optional(),
  retryable: z.boolean().optional(),
});

/**
 * The id a call is about.
 *
 * @throws {WasmboxError} INVALID_ARGUMENTS where there is neither an argument nor a default session.
 */
export function sessionIdOf(args: { session_id?: string | undefined }, context: ToolContext): string {
  const id = args.session_id ?? context.defaultSession;
  if (id === undefined) {
    throw new WasmboxError(
      "INVALID_ARGUMENTS",
      "session_id is missing: this connection has no default session.",
      {
        suggestions: ["Give the session_id that an earlier reply named, or call create_session."],
      },
    );
  }
  return id;
}

/** How an execution ends. */
export const outcomeStatusSchema = z.enum([
  "completed",
  "failed",
  "timeout",
  "cancelled",
  "out_of_fuel",
  "out_of_memory",
  "crashed",
]);

/** What becomes of a session's variables by an execution. */
export const stateSchema = z.enum(["kept", "rolled_back", "reset"]);
