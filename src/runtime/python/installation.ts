/**
 * Installs what can be imported: where the newest release of a project can't, for a reason that an older one may not have,
 * older ones are tried.
 */

import * as z from "zod/mini";
import type { RunOutcome, RuntimeHost, SynchronousRuntime } from "../runtime.ts";
import { normalized } from "../../project_name.ts";
import { isOpen, olderThan } from "./older.ts";
import { newlyInstalled, pipExitCode, requirementsIn, runPip } from "./pip.ts";
import { type ImportFailure, tryOut } from "./tryout.ts";

/** Older releases that are tried of what can't be imported. */
const MAX_TRIES = 3;

/** What is read of pip's report; all of it goes on. */
const report = z.looseObject({
  installed: z.array(z.looseObject({ name: z.string(), version: z.string() })),
});
type Report = z.infer<typeof report>;

export interface Installation {
  /** Of pip. */
  readonly args: readonly string[];
  readonly fuelBudget?: number;
  /** Whether there is time for another attempt. */
  readonly hasTime?: () => boolean;
}

interface Makers {
  readonly pip: (host: RuntimeHost) => SynchronousRuntime;
  readonly python: (host: RuntimeHost) => SynchronousRuntime;
}

type Completed = Extract<RunOutcome, { readonly status: "completed" }>;

/** What one attempt has made of the session's files. */
interface Attempt {
  readonly outcome: RunOutcome;
  /** If pip succeeded. */
  readonly done?: {
    readonly outcome: Completed;
    readonly report: Report;
    readonly failures: readonly ImportFailure[];
  };
}

/**
 * Runs `pip install`. As {@link runPip}, it succeeds, or the files are as they were.
 *
 * @returns Whose `result` is pip's report, with `unimportable`: what was asked for and can't be imported after all.
 */
export function installWorking(
  host: RuntimeHost,
  makers: Makers,
  { args, fuelBudget = Infinity, hasTime = () => true }: Installation,
): RunOutcome {
  let fuelConsumed = 0;
  const attempt = (more: readonly string[]): Attempt => {
    const left = fuelBudget - fuelConsumed;
    const bound = left < Infinity ? { fuelBudget: left } : {};
    const outcome = runPip(host, makers.pip, { args: [...args, ...more], ...bound });
    fuelConsumed += outcome.fuelConsumed;
    const report = outcome.status === "completed" && pipExitCode(outcome) === 0 && reportOf(outcome);
    if (!report) return { outcome };
    const wanted = newlyInstalled(args, outcome);
    const tried = tryOut(host, makers.python, wanted, fuelBudget - fuelConsumed);
    fuelConsumed += tried.fuelConsumed;
    return { outcome, done: { outcome, report, failures: tried.failures } };
  };

  const before = host.fs.snapshot();
  const { outcome, done: first } = attempt([]);
  if (!first) return { ...outcome, fuelConsumed };
  const cures = first.failures.filter(({ name, curable }) => curable && isOpen(name, requirementsIn(args)));
  const searched = new Map<string, string[]>();
  const after = host.fs.snapshot();
  let { report } = first;
  for (let tries = 0; tries < MAX_TRIES && cures.length > 0; tries++) {
    const bounds = cures.flatMap(({ name }) => olderThan(versionOf(report, name), tries) ?? []);
    if (bounds.length < cures.length || !hasTime() || fuelConsumed >= fuelBudget) break;
    host.fs.restore(before);
    const latest = attempt(cures.map(({ name }, at) => `${name}${bounds[at]}`));
    if (latest.outcome.status === "stopped") return { ...latest.outcome, fuelConsumed };
    if (!latest.done) break;
    report = latest.done.report;
    const failing = new Set(latest.done.failures.map(({ name }) => name));
    if (cures.some(({ name }) => failing.has(name))) {
      for (const { name } of cures) {
        searched.set(name, [...searched.get(name) ?? [], versionOf(report, name)]);
      }
      continue;
    }
    return {
      ...latest.done.outcome,
      fuelConsumed,
      result: JSON.stringify({
        ...report,
        installed: instead(report, first.report, cures),
        unimportable: latest.done.failures,
      }),
    };
  }
  host.fs.restore(after);
  host.fs.reap();
  const unimportable = first.failures.map((failure) => ({
    ...failure,
    older: searched.get(failure.name) ?? [],
  }));
  return { ...first.outcome, fuelConsumed, result: JSON.stringify({ ...first.report, unimportable }) };
}

/** What was installed, where each older release says instead of what it was taken. */
function instead(report: Report, newest: Report, cures: readonly ImportFailure[]): Report["installed"] {
  return report.installed.map((item) => {
    const failure = cures.find(({ name }) => normalized(name) === normalized(item.name));
    if (!failure) return item;
    const { module, error } = failure;
    const version = versionOf(newest, item.name);
    const because = `"import ${module}" of ${item.name} ${version} fails here: ${error}`;
    return { ...item, older: { newest: version, because } };
  });
}

function versionOf({ installed }: Report, name: string): string {
  return installed.find((item) => normalized(item.name) === normalized(name))?.version ?? "";
}

function reportOf({ result }: Completed): Report | undefined {
  try {
    return report.parse(JSON.parse(result ?? ""));
  } catch {
    return undefined; // an invalid report
  }
}
