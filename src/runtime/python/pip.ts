/** Pip: the real one, in an interpreter of its own (`wasm/python/glue/_wasmbox_pip.py`), over the session's files. */

import * as z from "zod/mini";
import { normalized } from "../../project_name.ts";
import type { RunOutcome, RuntimeHost, SynchronousRuntime } from "../runtime.ts";

/** Bytes that the report of a run may have. */
export const PIP_REPORT_MAX_BYTES = 256 * 1024;

export interface PipCommand {
  readonly args: readonly string[];
  /** The directory in which it runs. */
  readonly cwd?: string;
  readonly fuelBudget?: number;
}

const installed = z.object({ installed: z.array(z.object({ name: z.string() })) });
const failed = z.object({
  error: z.object({
    requirements: z.array(z.object({ project: z.string(), parent: z.nullable(z.string()) })),
  }),
  pages: z.record(z.string(), z.object({ files: z.number(), sources: z.number(), native: z.number() })),
});
const exitCode = z.object({ exitCode: z.int().check(z.minimum(0), z.maximum(255)) });

/**
 * Runs one command. It succeeds, or the files are as they were. No heap of the session is touched.
 *
 * @param host Where it runs; it has no environment.
 * @param makePip Makes an interpreter from the image that has pip loaded.
 * @returns Whose `result`, if completed, is the report as JSON.
 */
export function runPip(
  host: RuntimeHost,
  makePip: (host: RuntimeHost) => SynchronousRuntime,
  { args, cwd, fuelBudget }: PipCommand,
): RunOutcome {
  const before = host.fs.snapshot();
  const interpreter = makePip({ ...host, env: {} });
  let outcome: RunOutcome;
  try {
    outcome = interpreter.executeNow({
      code: program({ args, ...(cwd !== undefined && { cwd }) }),
      filename: "<pip>",
      resultMaxBytes: PIP_REPORT_MAX_BYTES,
      ...(fuelBudget !== undefined && { fuelBudget }),
    });
  } finally {
    interpreter.discard();
  }
  if (pipExitCode(outcome) !== 0) {
    host.fs.restore(before);
    host.fs.reap();
  }
  return { ...outcome, heap: "kept" };
}

/** As a shell would have it; 1 if pip did not come to its end. */
export function pipExitCode(outcome: RunOutcome): number {
  if (outcome.status !== "completed" || outcome.result === null) return 1;
  try {
    return exitCode.parse(JSON.parse(outcome.result)).exitCode;
  } catch {
    return 1; // an invalid report
  }
}

export interface NativeProject {
  readonly project: string;
  /** What needs it; null if it was asked for itself. */
  readonly parent: string | null;
}

/** By the report of a command that has failed: what has no file that can be used here, but others. */
export function nativeAmong({ result }: { readonly result: string | null }): readonly NativeProject[] {
  try {
    const { error, pages } = failed.parse(JSON.parse(result ?? ""));
    return error.requirements.filter(({ project }) => {
      const page = pages[normalized(project)];
      return page && page.files === 0 && page.native + page.sources > 0;
    });
  } catch {
    return []; // an invalid report, or pip has failed otherwise
  }
}

/** The projects that a command `install -- REQUIREMENTS` has asked for and installed, by pip's report. */
export function newlyInstalled(
  args: readonly string[],
  { result }: { readonly result: string | null },
): string[] {
  const wanted = new Set(requirementsIn(args).map((wish) => normalized(/^[\w.-]*/.exec(wish)![0])));
  return parseInstalled(result).map(({ name }) => name).filter((name) => wanted.has(normalized(name)));
}

/** What a command `install -- REQUIREMENTS` asks for. */
export function requirementsIn(args: readonly string[]): readonly string[] {
  return args.slice(args.indexOf("--") + 1);
}

function parseInstalled(result: string | null): z.infer<typeof installed>["installed"] {
  try {
    return installed.parse(JSON.parse(result ?? "")).installed;
  } catch {
    return []; // an invalid report
  }
}

/** A text in JSON is a literal of Python too. */
function program(options: object): string {
  return [
    "import json, _wasmbox_pip",
    `_wasmbox_pip.run(**json.loads(${JSON.stringify(JSON.stringify(options))}))`,
  ].join("\n");
}
