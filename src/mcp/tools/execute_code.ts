import * as z from "zod";
import { meantBy, traitsOf } from "../../languages.ts";
import type { Limits } from "../../config/limits.ts";
import { WasmboxError } from "../../errors.ts";
import type { Execution, ExecutionRequest } from "../../session/execution.ts";
import type { Outcome } from "../../session/outcome.ts";
import type { Session } from "../../session/session.ts";
import { checkRoomForTask, keep } from "../background.ts";
import { artifactLinks, changedFilesOutput, changedFilesView } from "../changed_files.ts";
import { displayBlocks, displaysOutput, displaysView } from "../displays.ts";
import { executionText, runningText } from "../execution_text.ts";
import { withoutFence } from "../fenced.ts";
import { fuelView, fuelViewOf } from "../fuel_view.ts";
import { handlerInput, handlerRequestOf } from "../handler_input.ts";
import { leaveOut } from "../left_out.ts";
import { longOutput, outputLines, outputLinks, shortened } from "../long_output.ts";
import { errorSchema, languageInput, languageSchema, sessionIdSchema } from "../schemas.ts";
import { liveSession, runIn, sessionFor, stored, type StoredOutcome, timeoutOf } from "../running.ts";
import {
  branchesInput,
  branchesOutput,
  branchesText,
  branchesView,
  type Keep,
  runBranches,
} from "../branches.ts";
import { defineTool, type ToolContext, type ToolResult } from "../tool.ts";

/** What every execution can be told, besides what is to be run. */
export const executionInput = {
  session_id: sessionIdSchema.optional().describe("A new name makes a session. Absent: the default one."),
  on_failure: z.enum(["keep", "rollback"]).default("keep").describe(
    "rollback: a run that fails leaves no trace, in variables or files.",
  ),
  timeout: z.number().positive().optional().describe("Seconds."),
  background: z.boolean().default(false).describe(
    "Reply at once; get_execution has the rest. The session's other calls wait for its end.",
  ),
  fuel_budget: z.number().int().positive().optional().describe(
    "Metered work to stop after, about 100,000 a millisecond.",
  ),
};

/** Of what nobody waits for, unless another time is asked for. */
const BACKGROUND_TIMEOUT_MS = 600_000;
/** How much longer than it may run a task is kept, unless its client wants less. */
const TASK_KEPT_MS = 600_000;

const input = z.strictObject({
  code: z.string(),
  language: languageInput.default("python"),
  ...executionInput,
  ...branchesInput,
  ...handlerInput,
});

/**
 * The one shape of an execution's reply; fields may be added, never changed. Optional are those of {@link leaveOut}, and
 * those of its end while it runs in the background.
 */
export const executionOutput = z.object({
  execution_id: z.string(),
  status: z.enum([
    "completed",
    "failed",
    "timeout",
    "cancelled",
    "out_of_fuel",
    "out_of_memory",
    "crashed",
    "queued",
    "running",
  ]),
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
  state: z.enum(["kept", "rolled_back", "reset"]).optional().describe(
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

/** Of one program. */
type SingleInput = Omit<z.infer<typeof input>, keyof typeof branchesInput>;

export const executeCode = defineTool({
  name: "execute_code",
  title: "Execute code",
  description: [
    "Runs Python 3.13, JavaScript, TypeScript (types are not checked) or shell (bash) in a sandbox without network or access to the host.",
    "Variables, functions and files (in /app) stay for the session's next calls.",
    "A last expression's value comes back as `result`; top-level await works.",
    "Python: numpy, pandas, matplotlib, Pillow, lxml (unless the build is lean), scipy (in releases), sympy, openpyxl, pypdf, jinja2, yaml and more; no scikit-learn, torch.",
    "JavaScript: Node's modules, such as fs, crypto, stream, zlib.",
    "plt.show() and display(x) show charts, pictures, SVG, tables, Markdown, HTML.",
    "share(name, value) and shared(name) pass values between Python and JavaScript.",
  ].join(" "),
  input,
  output: executionOutput,
  listsOutput: true,
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  showsResult: true,
  takesTasks: true,
  run: ({ branches, keep, ...args }, context) =>
    branches ? branched(args, branches, keep, context) : execute(args, context),
});

/** Runs code in the session it is for, and waits for its end. @throws {WasmboxError} if it can't be run as asked. */
export async function execute(
  args: SingleInput,
  context: ToolContext,
): Promise<ToolResult<z.infer<typeof executionOutput>>> {
  checkCode(args.code, context.sessions.host.limits.codeMaxBytes);
  const live = liveSession(args.session_id, context);
  boundsOf(args, live?.limits ?? context.sessions.terms.limitsOfNew(context.newSessionFlavor)); // before one is made
  const { language, dialect } = meantBy(args.language);
  const hasHandlers = traitsOf(language).handlerStyle !== null;
  if (!hasHandlers && args.event !== undefined) {
    throw new WasmboxError("INVALID_ARGUMENTS", "event is given, but a shell script defines no handler.", {
      suggestions: ["Leave out event, or use Python or JavaScript."],
    });
  }
  const handler = handlerRequestOf(args, {
    callAlways: context.settings.profile === "compat" && hasHandlers,
    maxBytes: context.sessions.host.limits.codeMaxBytes,
  });
  const { session, created } = live
    ? { session: live, created: false }
    : await sessionFor(args.session_id, context);
  const request: ExecutionRequest = {
    language,
    ...(dialect && { dialect }),
    code: withoutFence(args.code),
    ...boundsOf(args, session.limits),
    onFailure: args.on_failure,
    ...(handler && { handler }),
  };
  if (args.background) return inBackground(request, session, created, context);
  const outcome = await runIn(session, context.signal, {
    ...request,
    ...(context.progress && { onOutput: (_stream, text, id) => context.progress?.(text, id) }),
  });
  const askedFor = args.on_failure === "rollback" && outcome.state === "rolled_back";
  if (!askedFor) tellOf(outcome, session, context);
  return await endedResult(outcome, session, created, context);
}

/** Begins an execution that nobody waits for. @throws {WasmboxError} TOO_MANY_TASKS, SESSION_BUSY. */
function inBackground(
  request: ExecutionRequest,
  session: Session,
  created: boolean,
  { task }: ToolContext,
): ToolResult<z.infer<typeof executionOutput>> {
  if (!task) {
    const execution = session.execute(request);
    keep(session, execution);
    return runningResult(execution, session, created);
  }
  checkRoomForTask(session);
  const execution = session.execute(request);
  const ttlMs = Math.min(task.ttlMs ?? Infinity, request.timeoutMs + TASK_KEPT_MS);
  keep(session, execution, { createdAt: new Date(), ttlMs });
  return { ...runningResult(execution, session, created), taskId: execution.id };
}

/** @throws {WasmboxError} for more than the session may have. */
function boundsOf(args: SingleInput, limits: Limits): Pick<ExecutionRequest, "timeoutMs" | "fuelBudget"> {
  const usualMs = args.background ? BACKGROUND_TIMEOUT_MS : limits.timeoutMs;
  return {
    timeoutMs: timeoutOf(args.timeout, usualMs, limits.maxTimeoutMs),
    fuelBudget: checkFuel(args.fuel_budget, limits.fuelBudget),
  };
}

/** Runs code in the session, and then programs on copies of it. */
async function branched(
  args: SingleInput,
  codes: readonly string[],
  keep: Keep,
  context: ToolContext,
): Promise<ToolResult<z.infer<typeof executionOutput>>> {
  if (args.background || args.event !== undefined) {
    throw new WasmboxError("INVALID_ARGUMENTS", "branches go with neither background nor event.");
  }
  if (typeof keep === "number" && keep >= codes.length) {
    throw new WasmboxError(
      "INVALID_ARGUMENTS",
      `keep is ${keep}: the branches are 0 to ${codes.length - 1}.`,
    );
  }
  for (const code of codes) checkCode(code, context.sessions.host.limits.codeMaxBytes);
  if (args.code.trim() !== "") {
    const first = await execute(args, context);
    if (!("status" in first.output) || first.output.status !== "completed") return first; // there is nothing to try
  }
  const { session, created } = await sessionFor(args.session_id, context);
  const { language, dialect } = meantBy(args.language);
  const requests = codes.map((code): ExecutionRequest => ({
    language,
    ...(dialect && { dialect }),
    code: withoutFence(code),
    ...boundsOf(args, session.limits),
    onFailure: "keep",
  }));
  const all = await runBranches(session, requests, keep, context);
  const shown = all.outcomes[all.kept ?? 0]!;
  const { output, ...rest } = await endedResult(await stored(shown, session), session, created, context);
  return { ...rest, output: { ...output, ...branchesView(all) }, text: branchesText(all) };
}

/** The reply of an execution that has ended. */
export async function endedResult(
  outcome: StoredOutcome,
  session: Session,
  created: boolean,
  { settings }: Pick<ToolContext, "settings">,
): Promise<ToolResult<z.infer<typeof executionOutput>>> {
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
): ToolResult<z.infer<typeof executionOutput>> {
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

function reply(outcome: StoredOutcome, session: Session, created: boolean): z.infer<typeof executionOutput> {
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

/** Tells the client's log what a session lost, which a client may watch for without reading replies. */
function tellOf(
  { executionId, status, state, notice }: Outcome,
  { id }: Session,
  { tell }: ToolContext,
): void {
  if (state === "kept" && notice === null) return;
  tell("warning", {
    session_id: id,
    execution_id: executionId,
    status,
    state,
    message: notice ?? LOST[state],
  });
}

const LOST: Record<Outcome["state"], string> = {
  kept: "The session's state is kept.",
  rolled_back: "The session went back to an earlier state.",
  reset: "The session lost its variables.",
};

/** @throws {WasmboxError} for code that no interpreter could be given unchanged. */
function checkCode(code: string, maxBytes: number): void {
  if (code.trim() === "") {
    throw new WasmboxError("INVALID_ARGUMENTS", "There is nothing to run.", {
      suggestions: ["Send the source as `code`, or the command as `command`."],
    });
  }
  const bytes = new TextEncoder().encode(code).length;
  if (bytes > maxBytes) {
    throw new WasmboxError("CODE_TOO_LARGE", `code has ${bytes} bytes; the limit is ${maxBytes}.`, {
      suggestions: ["Write data to a file in several calls and read it from there."],
      context: { code_bytes: bytes, code_max_bytes: maxBytes },
    });
  }
  const bad = code.search(/\0|\p{Surrogate}/u);
  if (bad >= 0) {
    const what = code[bad] === "\0" ? "a NUL character" : "half of a surrogate pair";
    throw new WasmboxError(
      "INVALID_ARGUMENTS",
      `code contains ${what} at offset ${bad}, which can't be source text.`,
      {
        suggestions: ["Write it as an escape, such as \\0 or \\ud800, inside a string literal."],
        context: { offset: bad },
      },
    );
  }
}

/** @returns null for no bound. @throws {WasmboxError} if more is asked for than the policy allows. */
function checkFuel(asked: number | undefined, max: number | null): number | null {
  if (asked === undefined) return max;
  if (max !== null && asked > max) {
    throw new WasmboxError("INVALID_ARGUMENTS", `fuel_budget is ${asked}; at most ${max} is allowed.`, {
      context: { max_fuel_budget: max },
    });
  }
  return asked;
}

/** The changed files that are no displays: those have links already. */
function unlinked({ changed, displays }: Outcome): Outcome["changed"] {
  const linked = new Set(displays.entries.map(({ path }) => path));
  return { ...changed, files: changed.files.filter(({ path }) => !linked.has(path)) };
}
