/** What pip reported of a command, and what a client is told when it failed. The report is the guest's word. */

import * as z from "zod";
import { WasmboxError } from "../errors.ts";
import type { Outcome } from "../session/outcome.ts";
import { alternativeTo } from "../package_alternatives.ts";
import { normalized } from "../project_name.ts";

const MAX_TEXT = 2000;

const text = z.string().max(20_000);
export const packageSchema = z.object({ name: text, version: text });

const page = z.object({
  files: z.number(),
  sources: z.number(),
  native: z.number(),
  unhashed: z.number(),
  denied: z.number(),
});

const pipReport = z.object({
  exitCode: z.number(),
  installed: z.array(packageSchema.extend({
    /** If it is not the newest release that was to be taken. */
    older: z.object({ newest: text, because: text }).optional(),
  })),
  removed: z.array(packageSchema),
  /** Of what was asked for, what is there now and can't be imported. */
  unimportable: z.array(z.object({
    name: text,
    module: text,
    error: text,
    /** Other releases that can't be imported either. */
    older: z.array(text).default([]),
  })).default([]),
  satisfied: z.array(packageSchema),
  /** Of what was asked for, what something stands for that is built in, in words. */
  instead: z.array(text).default([]),
  error: z.object({
    type: text,
    message: text,
    requirements: z.array(z.object({ project: text, requirement: text, parent: text.nullable() })),
  }).nullable(),
  /** By normalized name. */
  pages: z.record(text, page),
  refusals: z.array(z.object({ reason: text, message: text, name: text.nullish() })),
});
export type PipReport = z.infer<typeof pipReport>;

/**
 * The report of a command that was run.
 *
 * @throws {WasmboxError} if it was stopped, or its report is invalid.
 */
export function reportOf(outcome: Outcome): PipReport {
  if (outcome.error && outcome.status !== "failed") {
    const { error_code, message, ...details } = outcome.error;
    throw new WasmboxError(error_code, message, { ...details, suggestions: details.recovery_suggestions });
  }
  const { data } = pipReport.safeParse(unlessBroken(outcome.result));
  if (data) return data;
  throw new WasmboxError("PACKAGE_FAILED", `pip failed. ${UNCHANGED}`, {
    suggestions: ["Try again; if it fails again, try in a new session."],
    ...(outcome.error?.traceback !== undefined && { traceback: outcome.error.traceback }),
  });
}

/** Why an installation failed. */
export function failureOf(report: PipReport, { stdout, stderr }: Outcome): WasmboxError {
  return refused(report) ?? discarded(report, stdout) ?? notPure(report) ?? unresolved(report, stderr) ??
    broken(report, stderr);
}

const UNCHANGED = "Nothing was changed.";

/** Refusals after which nothing could go on, the most telling first. */
const REFUSALS = [
  ["disabled", "PACKAGES_DISABLED", "What is bundled can be imported without installing: see list_packages."],
  ["quota", "PACKAGE_LIMIT", "Use a new session, or ask the operator for more (packages.session_bytes)."],
  ["too_large", "PACKAGE_LIMIT", "Ask the operator for more (packages.file_max_bytes)."],
  ["hash_mismatch", "PACKAGE_CORRUPT", "Do not use it; tell the index's operator."],
  [
    "offline",
    "PACKAGE_INDEX_UNREACHABLE",
    "Try again later. Packages that were downloaded before need no network.",
  ],
  [
    "bad_index",
    "PACKAGE_INDEX_UNREACHABLE",
    "Tell the operator: it is a matter of the index or of its configuration.",
  ],
  ["denied", "PACKAGE_DENIED", "Use another package, or ask the operator (packages.allow, packages.deny)."],
  [
    "not_found",
    "PACKAGE_NOT_FOUND",
    "Check the name: that of the import can differ from that of the package.",
  ],
] as const;

function refused({ refusals }: PipReport): WasmboxError | undefined {
  for (const [reason, code, suggestion] of REFUSALS) {
    const refusal = refusals.find((refusal) => refusal.reason === reason);
    if (!refusal) continue;
    const alternative = refusal.name ? alternativeTo(refusal.name) : undefined;
    return new WasmboxError(code, `${capital(cut(refusal.message))}. ${UNCHANGED}`, {
      suggestions: [suggestion, ...(alternative ? [alternative] : [])],
      retryable: reason === "offline",
    });
  }
  return undefined;
}

/** A package of which the index has only files that can't run here. */
function notPure({ error, pages }: PipReport): WasmboxError | undefined {
  for (const { project, parent } of error?.requirements ?? []) {
    const name = normalized(project);
    const page = Object.hasOwn(pages, name) ? pages[name] : undefined;
    if (!page || page.files > 0) continue;
    if (page.denied > 0) {
      return new WasmboxError(
        "PACKAGE_DENIED",
        `No version of ${cut(project)} may be installed. ${UNCHANGED}`,
        {
          suggestions: [REFUSALS[6][2]],
          context: { package: cut(project) },
        },
      );
    }
    if (page.native + page.sources + page.unhashed === 0) continue;
    const needed = parent === null ? "" : `, which ${cut(parent)} needs,`;
    const why = page.native + page.sources > 0
      ? "has no wheel for py3-none-any: only pure Python can run in WebAssembly"
      : "has no wheel with a SHA-256 in the index";
    const alternative = alternativeTo(name);
    return new WasmboxError("PACKAGE_NOT_PURE", `${cut(project)}${needed} ${why}. ${UNCHANGED}`, {
      suggestions: [alternative ?? "Look for a pure-Python package for the same, or see list_packages."],
      context: { package: cut(project) },
    });
  }
  return undefined;
}

/** Wheels whose metadata are not those of their names: pip goes on without them. */
function discarded({ error }: PipReport, stdout: string): WasmboxError | undefined {
  const [said] = error && /^ *Discarding [^]*? inconsistent [^\n]*/m.exec(stdout) || [];
  return said === undefined ? undefined : corrupt(said.trim());
}

function unresolved({ error }: PipReport, stderr: string): WasmboxError | undefined {
  if (error?.type !== "DistributionNotFound") return undefined;
  if (error.message.startsWith("ResolutionImpossible")) {
    const wishes = error.requirements.map(({ requirement, parent }) => `${parent ?? "you"}: ${requirement}`);
    const message = `No set of versions satisfies everything: ${
      cut([...new Set(wishes)].join("; "))
    }. ${UNCHANGED}`;
    return new WasmboxError("PACKAGE_CONFLICT", message, {
      suggestions: [
        "Loosen or drop a version, or install in a new session.",
        "upgrade: true lets installed ones move.",
      ],
    });
  }
  const [said = error.message] = /Could not find a version.*/.exec(stderr) ?? [];
  return new WasmboxError("PACKAGE_NOT_FOUND", `${cut(said)}. ${UNCHANGED}`, {
    suggestions: ["Ask for one of the versions that are there, or for none in particular."],
  });
}

const CORRUPT = new Set([
  "HashErrors",
  "InvalidWheel",
  "InvalidWheelFilename",
  "MetadataInconsistent",
  "MetadataInvalid",
  "NoneMetadataError",
  "UnsupportedWheel",
]);

function broken({ error }: PipReport, stderr: string): WasmboxError {
  const said = cut(/^ERROR: ([^]*)/m.exec(stderr)?.[1]?.trim() || error?.message || "pip failed");
  if (/No space left on device|ENOSPC|Errno 28\b/.test(said)) {
    return new WasmboxError("WORKSPACE_FULL", `The workspace has no room for it. ${UNCHANGED}`, {
      suggestions: ["Delete files that are not needed, or use a new session."],
    });
  }
  if (CORRUPT.has(error?.type ?? "") || /outside the target directory/.test(said)) return corrupt(said);
  return new WasmboxError("PACKAGE_FAILED", `pip said: ${said}\n${UNCHANGED}`, {
    suggestions: ["Check the requirement; name[extra]>=1,<2 is the form."],
  });
}

/** A file that is not the wheel it should be. */
function corrupt(said: string): WasmboxError {
  return new WasmboxError("PACKAGE_CORRUPT", `pip said: ${cut(said)}\n${UNCHANGED}`, {
    suggestions: ["Use another version or another package; tell who made it."],
  });
}

/** Pip's words without the places that it is made to believe in. */
export function readable(said: string): string {
  return said.replaceAll(/https:\/\/index\.invalid\/(simple\/|files\/[0-9a-f]{64}\/)?/g, "");
}

function cut(text: string): string {
  const said = readable(text);
  return said.length > MAX_TEXT ? `${said.slice(0, MAX_TEXT)}…` : said;
}

function capital(said: string): string {
  return said.slice(0, 1).toUpperCase() + said.slice(1);
}

function unlessBroken(json: string | null): unknown {
  try {
    return JSON.parse(json ?? "");
  } catch {
    return undefined;
  }
}
