/** The reply of an execution: its one shape, and how it comes of what an execution ended with, or has printed so far. */

import * as z from "zod";
import type { Execution } from "../session/execution.ts";
import type { Outcome } from "../session/outcome.ts";
import type { Session } from "../session/session.ts";
import { branchesOutput } from "./branches.ts";
import { artifactLinks, changedFilesOutput, changedFilesView } from "./changed_files.ts";
import { displayBlocks, displaysOutput, displaysView } from "./displays.ts";
import { executionText, runningText } from "./execution_text.ts";
import { fuelView, fuelViewOf } from "./fuel_view.ts";
import { leaveOut } from "./left_out.ts";
import { longOutput, outputLines, outputLinks, shortened } from "./long_output.ts";
import type { StoredOutcome } from "./running.ts";
import { errorSchema, languageSchema, outcomeStatusSchema, stateSchema } from "./schemas.ts";
import type { ToolContext, ToolResult } from "./tool.ts";

/**
 * The one shape of an execution's reply; fields may be added, never changed. Optional are those of {@link leaveOut}, and
 * those of its end while it runs in the background.
 */
export const executionOutput = z.object({
  execution_id: z.string(),
  status: z.enum([...outcomeStatusSchema.options, "queued", "running"]),
  success: z.boolean().optional(),
  exit_code: z.number().int().optional(),
  stdout: z.string(),
  stderr: z.string().optional(),
  truncated: z.object({ stdout: z.boolean(), stderr: z.boolean() }).optional(),
  result: z.string().nullable().optional().describe("The last expression's value, as the language shows it."),
  return_value: z.unknown().optional().describe("What a handler returned; null if none was called."),
  error: errorSchema.nullable().optional(),
  session_id: z.string(),
  session_created: z.boolean(),
  language: languageSchema,
  state: stateSchema.optional().describe(
    "What became of the session's variables.",
  ),
  durable: z.boolean().nullable().optional().describe("Whether it outlives the server."),
  notice: z.string().nullable().optional().describe("Something about the session that you should know."),
  execution_time_ms: z.number(),
  fuel_consumed: z.number().optional(),
  fuel: fuelView.optional(),
  memory_bytes: z.number().int().optional(),
  ...z.object({ ...displaysOutput, ...changedFilesOutput, ...longOutput, ...branchesOutput }).partial().shape,
});

export type ExecutionOutput = z.infer<typeof executionOutput>;

/** The reply of an execution that has ended. */
export async function endedResult(
  outcome: StoredOutcome,
  session: Session,
  created: boolean,
  { settings }: Pick<ToolContext, "settings">,
): Promise<ToolResult<ExecutionOutput>> {
  // Programs written for other systems expect all fields, and all that was printed.
  const isCompat = settings.profile === "compat";
  const short = isCompat ? { outcome, files: [] } : await shortened(outcome, session);
  const output = { ...reply(short.outcome, session, created), output_files: short.files };
  return {
    output: isCompat ? output : leaveOut(output),
    text: executionText(outcome) + outputLines(short.files),
    blocks: [
      ...displayBlocks(outcome.displays, session.id),
      ...artifactLinks(unlinked(outcome), session.id),
      ...outputLinks(short.files),
    ],
    isError: outcome.status !== "completed" && outcome.status !== "failed",
  };
}

/** The reply of an execution that has not ended: what it has printed so far. */
export function runningResult(
  execution: Execution,
  session: Session,
  created: boolean,
): ToolResult<ExecutionOutput> {
  const { id, phase, runningMs, request } = execution;
  const status = phase === "queued" ? phase : "running";
  const printed = runningText(execution.printed);
  return {
    output: {
      execution_id: id,
      status,
      session_id: session.id,
      session_created: created,
      language: request.language,
      stdout: printed.stdout,
      ...printed.stderr !== "" && { stderr: printed.stderr },
      execution_time_ms: phase === "queued" ? 0 : Math.round(runningMs),
    },
    text: `${printed.text}[${status} for ${
      Math.round(runningMs / 1000)
    } s: get_execution({execution_id: "${id}"}) has its output and its end]`,
  };
}

function reply(outcome: StoredOutcome, session: Session, created: boolean): ExecutionOutput {
  return {
    execution_id: outcome.executionId,
    status: outcome.status,
    success: outcome.status === "completed",
    exit_code: outcome.exitCode,
    stdout: outcome.stdout,
    stderr: outcome.stderr,
    truncated: outcome.truncated,
    result: outcome.result,
    return_value: outcome.returned === null ? null : JSON.parse(outcome.returned),
    error: outcome.error,
    session_id: session.id,
    session_created: created,
    language: outcome.language,
    state: outcome.state,
    durable: outcome.durable,
    notice: outcome.notice,
    execution_time_ms: Math.round(outcome.executionTimeMs * 1000) / 1000,
    fuel_consumed: outcome.fuelConsumed,
    fuel: fuelViewOf(outcome, session),
    memory_bytes: outcome.memoryBytes,
    ...displaysView(outcome.displays, session.id),
    ...changedFilesView(outcome.changed, session.id),
  };
}

/** The changed files that are no displays: those have links already. */
function unlinked({ changed, displays }: Outcome): Outcome["changed"] {
  const linked = new Set(displays.entries.map(({ path }) => path));
  return { ...changed, files: changed.files.filter(({ path }) => !linked.has(path)) };
}
