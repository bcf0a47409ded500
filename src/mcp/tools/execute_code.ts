import * as z from "zod";
import { meantBy, traitsOf } from "../../languages.ts";
import type { Limits } from "../../config/limits.ts";
import { WasmboxError } from "../../errors.ts";
import type { ExecutionRequest } from "../../session/execution.ts";
import type { Outcome } from "../../session/outcome.ts";
import type { Session } from "../../session/session.ts";
import { checkRoomForTask, keep } from "../background.ts";
import { endedResult, type ExecutionOutput, executionOutput, runningResult } from "../execution_reply.ts";
import { withoutFence } from "../fenced.ts";
import { handlerInput, handlerRequestOf } from "../handler_input.ts";
import { languageInput, sessionIdSchema } from "../schemas.ts";
import { liveSession, runIn, sessionFor, stored, timeoutOf } from "../running.ts";
import { branchesInput, branchesText, branchesView, type Keep, numberOf, runBranches } from "../branches.ts";
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

/** Of one program. */
type SingleInput = Omit<z.infer<typeof input>, keyof typeof branchesInput>;

export const executeCode = defineTool({
  name: "execute_code",
  title: "Execute code",
  description: [
    "Runs Python 3.13, JavaScript, TypeScript (types are not checked) or shell (bash) in a sandbox without network or access to the host.",
    "Variables, functions and files (in /app) stay for the session's next calls.",
    "A last expression's value comes back as `result`; top-level await works.",
    "Python: numpy, pandas, matplotlib, Pillow, lxml (unless the build is lean), scipy and scikit-learn (in releases), sympy, openpyxl, pypdf, jinja2, yaml and more; no torch.",
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
): Promise<ToolResult<ExecutionOutput>> {
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
): ToolResult<ExecutionOutput> {
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
): Promise<ToolResult<ExecutionOutput>> {
  if (args.background || args.event !== undefined) {
    throw new WasmboxError("INVALID_ARGUMENTS", "branches go with neither background nor event.");
  }
  if ((numberOf(keep) ?? 0) >= codes.length) {
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
