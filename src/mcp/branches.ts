/** Several programs tried on copies of one session, side by side, of which one may take its place. */

import * as z from "zod";
import { WasmboxError } from "../errors.ts";
import type { ExecutionRequest } from "../session/execution.ts";
import type { Outcome } from "../session/outcome.ts";
import type { Session } from "../session/session.ts";
import { logger } from "../telemetry/log.ts";
import { executionText } from "./execution_text.ts";
import { withoutMiddles } from "./long_output.ts";
import { runIn } from "./running.ts";
import { errorSchema } from "./schemas.ts";
import type { ToolContext } from "./tool.ts";

const log = logger("branches");
const MAX_BRANCHES = 8;

/** Their numbers as texts, so that the parameter has one plain type. */
const NUMBERS = Array.from({ length: MAX_BRANCHES }, (_, number) => `${number}` as const);

export const branchesInput = {
  branches: z.array(z.string()).min(1).max(MAX_BRANCHES).optional().describe(
    "Programs to try side by side after `code` (which may be empty), each on a copy of the session.",
  ),
  keep: z.enum(["first_success", "best", "none", ...NUMBERS]).default("first_success").describe(
    "Which copy the session becomes; best: of the highest number as result.",
  ),
};

export const branchesOutput = {
  branches: z.array(z.object({
    status: z.string(),
    exit_code: z.number().int(),
    stdout: z.string(),
    stderr: z.string(),
    result: z.string().nullable(),
    error: errorSchema.nullable(),
    execution_time_ms: z.number(),
  })),
  kept: z.number().int().nullable().describe("Which of them the session is now; null: none."),
};

export type Keep = z.infer<typeof branchesInput.keep>;

/** What came of all of them. */
export interface Branched {
  readonly outcomes: readonly Outcome[];
  /** The one that the session is now; undefined: it is as it was. */
  readonly kept: number | undefined;
  /** Why it is not the one that was to be kept. */
  readonly notice: string | null;
}

/**
 * Runs each program on a copy of the session. The copies are gone when this returns.
 *
 * @throws {WasmboxError} if not all copies can be made; then nothing has run.
 */
export async function runBranches(
  session: Session,
  requests: readonly ExecutionRequest[],
  keep: Keep,
  { sessions, principal, signal }: ToolContext,
): Promise<Branched> {
  const forks: Session[] = [];
  using staying = new DisposableStack();
  try {
    for (const _ of requests) {
      const fork = await sessions.fork(session);
      forks.push(fork);
      session.copies.add(fork);
      staying.use(fork.stay()); // else the next one might take its room
    }
    const { generation } = session.history; // of what the copies are of
    const outcomes = await Promise.all(
      requests.map((request, number) => runIn(forks[number]!, signal, request)),
    );
    const chosen = choose(outcomes, keep);
    if (chosen === undefined) return { outcomes, kept: undefined, notice: null };
    if (await session.history.become(forks[chosen]!.history, generation)) {
      return { outcomes, kept: chosen, notice: null };
    }
    const notice = `No branch was kept: the session was changed by another call meanwhile.`;
    return { outcomes, kept: undefined, notice };
  } finally {
    staying.dispose();
    for (const fork of forks) session.copies.delete(fork);
    await Promise.all(forks.map((fork) => sessions.destroy(principal, fork.id).catch(tellLeft)));
  }
}

/** @returns undefined if it is not told by its number which one is to be kept. */
export function numberOf(keep: Keep): number | undefined {
  return NUMBERS.some((number) => number === keep) ? Number(keep) : undefined;
}

/** @returns undefined if none is to be kept. */
function choose(outcomes: readonly Outcome[], keep: Keep): number | undefined {
  if (keep === "none") return undefined;
  const number = numberOf(keep);
  if (number !== undefined) return number;
  const done = outcomes.flatMap(({ status }, number) => status === "completed" ? [number] : []);
  if (keep === "first_success") return done[0];
  const scored = done.map((number) => ({ number, score: Number(outcomes[number]!.result ?? NaN) }))
    .filter(({ score }) => !Number.isNaN(score));
  return scored.sort((a, b) => b.score - a.score)[0]?.number;
}

export function branchesView({ outcomes, kept }: Branched): z.infer<z.ZodObject<typeof branchesOutput>> {
  return {
    branches: outcomes.map(withoutMiddles).map((
      { status, exitCode, stdout, stderr, result, error, executionTimeMs },
    ) => ({
      status,
      exit_code: exitCode,
      stdout,
      stderr,
      result,
      error,
      execution_time_ms: Math.round(executionTimeMs * 1000) / 1000,
    })),
    kept: kept ?? null,
  };
}

export function branchesText({ outcomes, kept, notice }: Branched): string {
  const parts = outcomes.map((outcome, number) =>
    `[branch ${number}: ${outcome.status}${number === kept ? ", kept" : ""}]\n${executionText(outcome)}`
  );
  const none = kept === undefined ? ["[the session is as it was before the branches]"] : [];
  return [...parts, ...notice === null ? none : [`[${notice}]`]].join("\n");
}

/** What the branches gave is told all the same. */
function tellLeft(error: unknown): void {
  if (error instanceof WasmboxError && error.info.error_code === "SESSION_NOT_FOUND") return;
  log.warning("a copy of a session was left behind: {error}", { error });
}
