/** The Worker's answers to the host operation `imports`: packages for what a program imports, and advice where none helps. */

import * as z from "zod/mini";
import { HostCallError, type HostReply, replyOf } from "../../host_calls/bridge.ts";
import { type NpmArrival, parseImportsRequest } from "../../host_calls/imports.ts";
import { isWellKnown } from "../../npm_imports.ts";
import { npmAlternativeTo } from "../../package_alternatives.ts";
import { normalized } from "../../project_name.ts";
import { companionOf, isNative, projectOf } from "../../python_imports.ts";
import { pipExitCode } from "../../runtime/python/pip.ts";
import { adviceOnScience } from "../../runtime/python/science.ts";
import type { LargerBase } from "../../runtime/python/state.ts";
import type { RunOutcome } from "../../runtime/runtime.ts";
import { MAX_BECAUSE, MAX_INSTALLED, MAX_PACKAGE_NAME, MAX_VERSION } from "../wire/bounds.ts";
import type { NpmReport } from "../wire/npm_command.ts";
import type { InstalledPackage } from "../wire/from_executor.ts";
import type { PackagesMode } from "../wire/to_executor.ts";
import { adviceOn } from "./import_advice.ts";

/** How long a program may be kept waiting for an index: it has a time-out, and its own error to tell. */
const WAIT_MS = 12_000;
/** After a failure that need not last, ms until it is tried again. */
const RETRY_MS = 60_000;

const older = z.object({ newest: z.string(), because: z.string() });
const installed = z.array(z.object({ name: z.string(), version: z.string(), older: z.optional(older) }));
const page = z.object({ files: z.number(), sources: z.number(), native: z.number() });
/** What is used of pip's report. */
const pipReport = z.object({
  installed,
  error: z.nullable(z.object({
    message: z.string(),
    requirements: z.array(z.object({ project: z.string(), parent: z.nullable(z.string()) })),
  })),
  /** The last error that it told. */
  said: z.optional(z.nullable(z.string())),
  pages: z.record(z.string(), page),
  refusals: z.array(z.object({ reason: z.string(), message: z.string() })),
});
type PipReport = z.infer<typeof pipReport>;

/** Runs pip in the session, silently. @param waitMs How long it may wait for the index in all. */
export type RunPip = (args: readonly string[], waitMs: number) => RunOutcome;

/** Installs one of npm's packages in the session, silently. @param waitMs As of {@link RunPip}. */
export type RunNpm = (requirement: string, waitMs: number) => RunOutcome;

export class Imports {
  #installed: InstalledPackage[] = [];
  /** Why projects could not be installed, by name, and until when they are not asked for again. */
  readonly #failures = new Map<string, { readonly reason: string; readonly until: number }>();

  /** Whether there is an interpreter with numpy and what stands on it. */
  readonly science: boolean;

  /** @param there The interpreters with more packages. */
  constructor(
    readonly mode: PackagesMode,
    readonly there: readonly LargerBase[],
    readonly pip: RunPip,
    readonly npm: RunNpm,
  ) {
    this.science = there.includes("science");
  }

  /** An execution begins. */
  begin(): void {
    this.#installed = [];
  }

  /** What the execution has made to be installed. */
  get installed(): readonly InstalledPackage[] {
    return this.#installed;
  }

  /** Answers the host call. @throws {HostCallError} */
  take(bytes: Uint8Array): HostReply {
    const request = parseImportsRequest(bytes);
    if (!request) throw new HostCallError("the request is invalid");
    if (request.kind === "install") return this.#install(request.names);
    if (request.kind === "install_npm") return replyOf(this.#installNpm(request.name, request.versions));
    const elsewhere = adviceOnScience(request.name, this.there, request.stays);
    if (elsewhere !== undefined) return replyOf({ advice: elsewhere, native: false });
    const project = projectOf(request.name);
    const failure = project && this.#failures.get(project.name)?.reason;
    return replyOf({
      advice: adviceOn(request.name, request.standard, this.mode, this.science, failure),
      native: project !== undefined && isNative(project, this.science),
    });
  }

  /** @param names Of what a program imports; the first one is what it waits for. */
  #install(names: readonly string[]): HostReply {
    const projects = [...names.map((name) => installable(name, this.science)), ...names.map(companionOf)];
    const [first, ...others] = this.mode === "on_import" ? [...new Set(projects)] : [];
    if (first === undefined || this.#hasFailed(first)) return replyOf({ installed: false });
    const more = others.filter((name) => name !== undefined).filter((name) => !this.#hasFailed(name));
    const together = this.#attempt([first, ...more]);
    if (together.done || more.length === 0) return answerOf(together);
    const alone = this.#attempt([first]);
    return answerOf({ done: alone.done, fuel: together.fuel + alone.fuel });
  }

  #installNpm(name: string, versions = ""): NpmArrival {
    if (this.mode !== "on_import" || !isWellKnown(name)) {
      return { installed: false, reason: npmAlternativeTo(name) };
    }
    const key = `npm:${name}`;
    if (this.#hasFailed(key)) return { installed: false, reason: this.#failures.get(key)!.reason };
    const outcome = this.npm(versions === "" ? name : `${name}@${versions}`, WAIT_MS);
    if (outcome.status !== "completed") return { installed: false };
    const { error, installed }: NpmReport = JSON.parse(outcome.result ?? "{}");
    if (!error) {
      this.#installed = [...this.#installed, ...installed.map(told)].slice(0, MAX_INSTALLED);
      return { installed: true };
    }
    const reason = error.message.slice(0, MAX_REASON);
    const until = LASTING.has(error.reason) ? Infinity : performance.now() + RETRY_MS;
    this.#failures.set(key, { reason, until });
    return { installed: false, reason };
  }

  #attempt(projects: readonly string[]): Attempt {
    const outcome = this.pip(["install", "--", ...projects], WAIT_MS);
    const done = pipExitCode(outcome) === 0;
    const report = reportOf(outcome);
    if (done) {
      this.#installed = [...this.#installed, ...report?.installed.map(told) ?? []].slice(0, MAX_INSTALLED);
    } else if (projects.length === 1 && report) {
      const { reason, lasting } = failureOf(report);
      const until = lasting ? Infinity : performance.now() + RETRY_MS;
      this.#failures.set(projects[0]!, { reason, until });
    }
    return { done, fuel: outcome.fuelConsumed };
  }

  #hasFailed(project: string): boolean {
    const failure = this.#failures.get(project);
    return failure !== undefined && performance.now() < failure.until;
  }
}

/** As the server takes it: packages and the guest's own pip say what they like. */
function told({ older, name, version }: PipReport["installed"][number]): InstalledPackage {
  const { newest = "", because = "" } = older ?? {};
  const cut = { newest: newest.slice(0, MAX_VERSION), because: because.slice(0, MAX_BECAUSE) };
  return {
    name: name.slice(0, MAX_PACKAGE_NAME),
    version: version.slice(0, MAX_VERSION),
    ...(older && { older: cut }),
  };
}

interface Attempt {
  readonly done: boolean;
  readonly fuel: number;
}

function answerOf({ done, fuel }: Attempt): HostReply {
  return { ...replyOf({ installed: done }), fuel };
}

/** The project that an imported name comes from, if it can run here. */
function installable(imported: string, science: boolean): string | undefined {
  const project = projectOf(imported);
  return project && !isNative(project, science) ? project.name : undefined;
}

function reportOf({ status, ...outcome }: RunOutcome): PipReport | undefined {
  if (status !== "completed" || !("result" in outcome)) return undefined;
  try {
    return pipReport.safeParse(JSON.parse(outcome.result ?? "")).data;
  } catch {
    return undefined;
  }
}

/** The beginning of pip's own words, where nothing shorter says it. */
const MAX_REASON = 300;
const LASTING = new Set(["denied", "not_found", "native"]);

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1)!.replace(/\.$/, "");
}

interface Failure {
  readonly reason: string;
  /** Whether another attempt would end the same. */
  readonly lasting: boolean;
}

function failureOf({ refusals: [refusal], error, said, pages }: PipReport): Failure {
  if (refusal) return { reason: refusal.message.slice(0, MAX_REASON), lasting: LASTING.has(refusal.reason) };
  for (const { project, parent } of error?.requirements ?? []) {
    const page = pages[normalized(project)];
    if (!page || page.files > 0 || page.native + page.sources === 0) continue;
    const what = parent === null ? "it" : `${project}, which it needs,`;
    return { reason: `${what} has native code, or no wheel in pure Python`, lasting: true };
  }
  return { reason: lastLine(error?.message ?? said ?? "pip failed").slice(0, MAX_REASON), lasting: false };
}
