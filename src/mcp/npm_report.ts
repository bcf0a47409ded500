/** What the installer of npm packages reported, and what a client is told when it failed. The report is the guest's word. */

import * as z from "zod";
import { type ErrorCode, WasmboxError } from "../errors.ts";
import type { Outcome } from "../session/outcome.ts";
import { npmAlternativeTo } from "../package_alternatives.ts";
import { packageSchema } from "./pip_report.ts";

const MAX_TEXT = 2000;
const UNCHANGED = "Nothing was changed.";

const text = z.string().max(20_000);

const npmReport = z.object({
  exitCode: z.number(),
  installed: z.array(packageSchema),
  removed: z.array(packageSchema),
  satisfied: z.array(packageSchema),
  warnings: z.array(text),
  error: z.object({ reason: text, message: text, about: text.nullable() }).nullable(),
});
export type NpmReport = z.infer<typeof npmReport>;

/** @throws {WasmboxError} if the installation was stopped or failed. */
export function npmReportOf(outcome: Outcome): NpmReport {
  if (outcome.error && outcome.status !== "failed") {
    const { error_code, message, ...details } = outcome.error;
    throw new WasmboxError(error_code, message, { ...details, suggestions: details.recovery_suggestions });
  }
  const { data } = npmReport.safeParse(unlessBroken(outcome.result));
  if (data?.error) throw failureOf(data.error);
  if (data) return data;
  throw new WasmboxError("PACKAGE_FAILED", `The installation failed. ${UNCHANGED}`, {
    suggestions: ["Try again; if it fails again, try in a new session."],
  });
}

/** Code and suggestion by reason. */
const FAILURES: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  disabled: ["PACKAGES_DISABLED", "Write it yourself, or ask the operator (packages.enabled)."],
  denied: [
    "PACKAGE_DENIED",
    "Use another package, or ask the operator (packages.npm_allow, packages.npm_deny).",
  ],
  not_found: ["PACKAGE_NOT_FOUND", "Check the name."],
  no_version: ["PACKAGE_NOT_FOUND", "Ask for one of the versions that are there, or for none in particular."],
  bad_requirement: [
    "PACKAGE_NOT_FOUND",
    'Give a name, perhaps with versions: "lodash", "lodash@^4", "@scope/name@next".',
  ],
  offline: [
    "PACKAGE_INDEX_UNREACHABLE",
    "Try again later. Packages that were downloaded before need no network.",
  ],
  bad_index: [
    "PACKAGE_INDEX_UNREACHABLE",
    "Tell the operator: it is a matter of the registry or of its configuration.",
  ],
  hash_mismatch: ["PACKAGE_CORRUPT", "Do not use it; tell the registry's operator."],
  corrupt: ["PACKAGE_CORRUPT", "Try another version of it."],
  too_large: ["PACKAGE_LIMIT", "Use a smaller package, or ask the operator (packages.file_max_bytes)."],
  quota: ["PACKAGE_LIMIT", "Use a new session, or ask the operator for more (packages.session_bytes)."],
  full: ["WORKSPACE_FULL", "Delete files that are not needed, or use a new session."],
  native: ["PACKAGE_NOT_PURE", "Look for a package in plain JavaScript for the same."],
};

function failureOf({ reason, message, about }: NonNullable<NpmReport["error"]>): WasmboxError {
  const [code, suggestion] = Object.hasOwn(FAILURES, reason)
    ? FAILURES[reason]!
    : ["PACKAGE_FAILED", "Try again."] as const;
  const alternative = about === null ? undefined : npmAlternativeTo(about);
  // A name keeps its case.
  const named = about !== null && message.startsWith(about);
  const said = message.length > MAX_TEXT ? `${message.slice(0, MAX_TEXT)}…` : message;
  const sentence = named ? said : `${said.slice(0, 1).toUpperCase()}${said.slice(1)}`;
  return new WasmboxError(code, `${sentence}. ${UNCHANGED}`, {
    suggestions: alternative && code === "PACKAGE_NOT_PURE"
      ? [alternative]
      : [suggestion, ...(alternative ? [alternative] : [])],
    retryable: reason === "offline",
    ...(about !== null && { context: { package: about.slice(0, MAX_TEXT) } }),
  });
}

function unlessBroken(json: string | null): unknown {
  try {
    return JSON.parse(json ?? "");
  } catch {
    return undefined;
  }
}
