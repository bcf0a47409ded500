import * as z from "zod";
import { PACKAGED_LANGUAGES } from "../../languages.ts";
import { type ErrorCode, WasmboxError } from "../../errors.ts";
import type { NpmCommand } from "../../executor/wire/npm_command.ts";
import type { Outcome } from "../../session/outcome.ts";
import { failureOf, packageSchema, readable, reportOf } from "../pip_report.ts";
import { type NpmReport, npmReportOf } from "../npm_report.ts";
import { liveSession, runIn, sessionFor, timeoutOf } from "../running.ts";
import { sessionIdSchema } from "../schemas.ts";
import { isWellKnown } from "../../npm_imports.ts";
import { olderNotices } from "../../session/older_packages.ts";
import { settled, withoutSteps } from "../terminal_text.ts";
import { defineTool, type ToolContext } from "../tool.ts";

/** An installation takes longer than most programs. */
const USUAL_TIMEOUT_MS = 120_000;
const MAX_REQUIREMENTS = 100;

const requirement = z.string().min(1).max(500).regex(
  /^[^\p{Cc}\p{Surrogate}]+$/u,
  "a requirement is one line of text",
);

const input = z.strictObject({
  package_name: requirement.optional().describe(
    'Such as "attrs>=23", or "lodash@^4".',
  ),
  requirements: z.array(requirement).min(1).max(MAX_REQUIREMENTS).optional().describe(
    "Instead of package_name: several.",
  ),
  session_id: sessionIdSchema.optional(),
  language: z.enum(PACKAGED_LANGUAGES).default("python"),
  upgrade: z.boolean().default(false),
  timeout: z.number().positive().optional().describe("Seconds."),
});

const output = z.object({
  session_id: z.string(),
  session_created: z.boolean(),
  installed: z.array(packageSchema).describe("What is new, dependencies included."),
  already_satisfied: z.array(packageSchema).describe(
    "What was asked for and was there, installed or bundled.",
  ),
  output: z.string().describe("What was said while installing, without its steps."),
  execution_time_ms: z.number(),
  notice: z.string().nullable(),
});

export const installPackage = defineTool({
  name: "install_package",
  title: "Install packages",
  description: [
    "Installs Python packages (pip) or JavaScript's (npm) into the session, dependencies included, all or nothing.",
    "Only pure Python (py3-none-any) and plain JavaScript work. What list_packages shows as bundled needs no installing.",
    "`pip uninstall` and `npm uninstall` are there in execute_command.",
  ].join(" "),
  input,
  output,
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  translate: withRequirements,
  async run(args, context) {
    const requirements = requirementsOf(args);
    const live = liveSession(args.session_id, context);
    const { session, created } = live
      ? { session: live, created: false }
      : await sessionFor(args.session_id, context);
    const { limits } = session;
    const outcome = await runIn(session, context.signal, {
      ...commandFor(args, requirements),
      timeoutMs: timeoutOf(args.timeout, USUAL_TIMEOUT_MS, limits.maxTimeoutMs),
      fuelBudget: limits.fuelBudget,
      onFailure: "keep",
      ...progressOf(context),
    });
    const { notice } = outcome;
    const report = noting(
      notice,
      () => args.language === "python" ? pipReportOf(outcome, requirements) : npmReportOf(outcome),
    );
    const reply = {
      session_id: session.id,
      session_created: created,
      installed: report.installed,
      already_satisfied: report.satisfied,
      output: withoutSteps(settled(readable(outcome.stdout))),
      execution_time_ms: Math.round(outcome.executionTimeMs * 1000) / 1000,
      notice: [
        notice,
        ...report.warnings.map((warning) => `${warning}.`),
      ].filter(Boolean).join(" ") || null,
    };
    return { output: reply, text: notice ? `[${notice}]\n${textOf(report)}` : textOf(report) };
  },
});

/** What is told of the session once is told of it where the installation failed, too. */
function noting<T>(notice: string | null, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!notice || !(error instanceof WasmboxError)) throw error;
    const { error_code, message, recovery_suggestions: suggestions, ...details } = error.info;
    throw new WasmboxError(error_code, `${message} ${notice}`, { ...details, suggestions });
  }
}

/** What other systems' tools call {@link input}'s `package_name` and `requirements`. */
const OTHER_NAMES =
  /^(?:packages?|package_?names?|names?|modules?|dependencies|librar(?:y|ies)|requirement)$/i;
const SEVERAL = /^[\w.@/-]+(?:[\s,]+[\w.@/-]+)+$/;

function withRequirements(args: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (["package_name", "requirements"].some((name) => args[name] !== undefined && args[name] !== null)) {
    return args;
  }
  const named = Object.entries(args).filter(([name]) => OTHER_NAMES.test(name));
  const [[name, value] = [undefined, undefined]] = named;
  if (name === undefined || named.length > 1) return args;
  const { [name]: _, ...others } = args;
  if (typeof value !== "string") return { ...others, requirements: value };
  if (value.trimStart().startsWith("[")) return { ...others, requirements: value };
  return SEVERAL.test(value.trim())
    ? { ...others, requirements: value.trim().split(/[\s,]+/) }
    : { ...others, package_name: value };
}

function requirementsOf({ package_name, requirements }: z.infer<typeof input>): readonly string[] {
  if ((package_name === undefined) === (requirements === undefined)) {
    throw new WasmboxError("INVALID_ARGUMENTS", "Give either package_name or requirements.", {
      suggestions: ["package_name for one, requirements for several that are resolved together."],
    });
  }
  return requirements ?? [package_name!];
}

function commandFor({ language, upgrade }: z.infer<typeof input>, requirements: readonly string[]) {
  if (language === "python") {
    const code = JSON.stringify(["install", ...(upgrade ? ["--upgrade"] : []), "--", ...requirements]);
    return { language, program: "pip", code } as const;
  }
  const command: NpmCommand = { kind: "install", requirements, upgrade };
  return { language, program: "npm", code: JSON.stringify(command) } as const;
}

/** @throws {WasmboxError} if the installation was stopped or failed. */
function pipReportOf(outcome: Outcome, requirements: readonly string[]): Report {
  const report = reportOf(outcome);
  if (report.exitCode !== 0) throw hinting(failureOf(report, outcome), requirements);
  const warnings = report.unimportable.map(({ name, module, error, older }) => {
    const others = older.length > 0 ? `, as it does with ${older.join(" and ")}` : "";
    return `${name} is installed, but "import ${module}" fails here${others}: ${error.replace(/\.$/, "")}`;
  });
  return {
    satisfied: report.satisfied,
    installed: report.installed.map(({ name, version }) => ({ name, version })),
    warnings: [
      ...report.instead,
      ...warnings,
      ...olderNotices(report.installed).map((notice) => notice.replace(/\.$/, "")),
    ],
  };
}

/** An error of pip's, with a hint where packages of npm's were asked for: who gives no language is taken to mean Python's. */
function hinting(error: WasmboxError, requirements: readonly string[]): WasmboxError {
  const { error_code, message, recovery_suggestions: suggestions, ...details } = error.info;
  if (!PERHAPS_NPMS.includes(error_code) || !requirements.every(looksLikeNpms)) return error;
  const hint = 'If npm\'s package is meant, give language: "javascript".';
  return new WasmboxError(error_code, message, { ...details, suggestions: [hint, ...suggestions] });
}

const PERHAPS_NPMS: readonly ErrorCode[] = ["PACKAGE_NOT_FOUND", "PACKAGE_NOT_PURE", "PACKAGE_FAILED"];

/** By its form (`@scope/name`, `name@^4`), or since everybody knows it as npm's. */
function looksLikeNpms(requirement: string): boolean {
  return /^@[^/]+\/|^[\w.-]+@(?:[\^~<>=]*\d|latest$|next$)/.test(requirement) ||
    isWellKnown(/^[\w.-]*/.exec(requirement)![0]);
}

/** What is said as it goes on: what it collects, downloads and installs. */
function progressOf({ progress }: ToolContext) {
  if (!progress) return {};
  return {
    onOutput: (stream: "stdout" | "stderr", text: string, id: string) => {
      if (stream === "stdout") progress(readable(text), id);
    },
  };
}

/** What the reports of both languages have. */
type Report = Pick<NpmReport, "installed" | "satisfied" | "warnings">;

function textOf({ installed, satisfied, warnings }: Report): string {
  const list = (packages: Report["installed"]) =>
    packages.map(({ name, version }) => `${name} ${version}`).join(", ");
  return [
    installed.length > 0 ? `Installed: ${list(installed)}.` : "Nothing had to be installed.",
    ...(satisfied.length > 0 ? [`There already: ${list(satisfied)}.`] : []),
    ...warnings.map((warning) => `Warning: ${warning}.`),
  ].join(" ");
}
