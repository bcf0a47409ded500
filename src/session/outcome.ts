/** How an execution ended, as the server tells it, and how that follows from what the executor reported. */

import { type ErrorInfo, errorInfo } from "../errors.ts";
import type { ChangedFiles, DisplayEntryMessage, OutcomeMessage } from "../executor/wire/from_executor.ts";
import { ExitCode } from "../exit_code.ts";
import { type Language, traitsOf } from "../languages.ts";

export type Status =
  | "completed"
  | "failed"
  | "timeout"
  | "cancelled"
  | "out_of_fuel"
  | "out_of_memory"
  | "crashed";

/** What became of the session: its variables are there, or it starts again from fresh ones. */
export type State = "kept" | "rolled_back" | "reset";

/** "ended": the session was, and nothing keeps it. */
export type StopReason = "timeout" | "cancelled" | "ended";

/** What an execution showed besides its output. */
export interface Displays {
  /** In order. Bytes where it is shown; a path, relative to /app, where it was saved instead. */
  readonly entries: readonly Display[];
  /** There was no room for so many more. */
  readonly dropped: number;
}

export interface Display extends DisplayEntryMessage {
  /** Null exactly if it has a path. */
  readonly bytes: Uint8Array | null;
}

export const NO_DISPLAYS: Displays = { entries: [], dropped: 0 };

export interface Outcome {
  readonly executionId: string;
  readonly language: Language;
  readonly status: Status;
  readonly state: State;
  /** As a shell would give it: 0, the program's own, 1 for an exception, 124 time-out, 128 + signal otherwise. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: { readonly stdout: boolean; readonly stderr: boolean };
  readonly result: string | null;
  /** JSON of what the program's handler returned; null if none was called. */
  readonly returned: string | null;
  readonly error: ErrorInfo | null;
  /** Something about the session that the caller must know besides this execution's own outcome. */
  readonly notice: string | null;
  /** What it did to the files below /app. */
  readonly changed: ChangedFiles;
  readonly displays: Displays;
  readonly executionTimeMs: number;
  readonly fuelConsumed: number;
  /** Fuel it might use; null: no bound. */
  readonly fuelBudget: number | null;
  readonly memoryBytes: number;
}

/** The part of an {@link Outcome} that says how it ended. */
export type Ending = Pick<Outcome, "status" | "state" | "exitCode" | "result" | "returned" | "error">;

const HEAP_KEPT = "The session's variables and files are kept.";
const ROLLED_BACK = "The session's variables and files are as they were before this execution.";
const ENDED = "Its session was ended meanwhile: variables and files are gone.";
const ALL_LOST = "The session's variables and files are lost; the next call starts fresh.";

/** What is said of a state that an execution did not leave by itself. */
const FATE: Record<State, string> = { kept: HEAP_KEPT, rolled_back: ROLLED_BACK, reset: ALL_LOST };

/** What is said of a language's heap that was thrown away, where all else of the session goes on. */
function fateOfHeap(language: Language, isBack: boolean): string {
  const variables = `The session's ${traitsOf(language).title} variables`;
  const rest = "its files are kept, as are the variables of its other languages.";
  return isBack
    ? `${variables} are those of an earlier call, the last whose state was not too large to be captured ` +
      `(checkpoint_max_bytes); ${rest}`
    : `${variables} are lost; ${rest}`;
}

/** What an execution was held to. */
export interface Bounds {
  readonly language: Language;
  readonly timeoutMs: number;
  /** That its language's heap may grow to. */
  readonly memoryBytes: number;
}

/** An execution that its program or its interpreter ended, or that a stop reached. */
export function endingOf(
  message: OutcomeMessage,
  stop: StopReason | undefined,
  { language, timeoutMs, memoryBytes }: Bounds,
): Ending {
  const { outcome } = message;
  const heapBack = message.heapBack ?? false;
  const wentBack = message.rolledBack || heapBack;
  const state: State = wentBack ? "rolled_back" : outcome.heap === "kept" ? "kept" : "reset";
  const fate = heapBack || state === "reset" ? fateOfHeap(language, heapBack) : FATE[state];
  const failed = (status: Status, exitCode: number, error: ErrorInfo): Ending => ({
    status,
    state,
    exitCode,
    result: null,
    returned: null,
    error,
  });
  switch (outcome.status) {
    case "completed":
      return {
        status: "completed",
        state,
        exitCode: 0,
        result: outcome.result,
        returned: outcome.returned ?? null,
        error: null,
      };
    case "exited":
      if (outcome.exitCode === 0) {
        return { status: "completed", state, exitCode: 0, result: null, returned: null, error: null };
      }
      return failed(
        "failed",
        outcome.exitCode,
        errorInfo("PROGRAM_EXIT", `The program exited with code ${outcome.exitCode}. ${fate}`),
      );
    case "failed":
      return failed("failed", 1, errorInfo("PROGRAM_ERROR", summary(outcome.error), outcome.error));
    case "stopped":
      return stopped(stop ?? "cancelled", state, fate, timeoutMs);
    case "out_of_fuel":
      return failed(
        "out_of_fuel",
        ExitCode.outOfFuel,
        errorInfo("OUT_OF_FUEL", `The fuel budget is used up. ${fate}`, {
          suggestions: [
            "Do the work in smaller steps, or ask for a larger fuel_budget if the policy allows one.",
          ],
          context: { fuel_consumed: outcome.fuelConsumed },
        }),
      );
    case "out_of_memory":
      return failed(
        "out_of_memory",
        ExitCode.killed,
        errorInfo(
          "OUT_OF_MEMORY",
          `The program ran out of memory: a session has ${inMiB(memoryBytes)} for each language. ${fate}`,
          {
            ...outcome.error,
            suggestions: [
              "Process the data in pieces, or delete variables that are no longer needed.",
              "Ask for a higher limit, if that is not enough (memory_bytes of the server's policy, or of the session's flavor).",
            ],
            context: { memory_bytes: memoryBytes },
          },
        ),
      );
    case "crashed":
      return failed(
        "crashed",
        ExitCode.crashed,
        errorInfo("INTERPRETER_CRASHED", `The interpreter failed: ${outcome.reason}. ${fate}`, {
          suggestions: [
            state === "reset"
              ? "Define the variables again before going on; avoid what the reason names."
              : "Avoid what the reason names, and go on.",
          ],
        }),
      );
  }
}

const inMiB = (bytes: number) => `${Math.floor(bytes / 2 ** 20)} MiB`;

/** A stop that had its effect, gently or not. */
function stopped(reason: StopReason, state: State, fate: string, timeoutMs: number): Ending {
  if (reason === "timeout") {
    return {
      status: "timeout",
      state,
      exitCode: ExitCode.timedOut,
      result: null,
      returned: null,
      error: errorInfo(
        "EXECUTION_TIMEOUT",
        `The execution was stopped after ${timeoutMs / 1000} s. ${fate}`,
        {
          suggestions: ["Give a larger timeout, or do the work in smaller steps across calls."],
          context: { timeout_seconds: timeoutMs / 1000 },
        },
      ),
    };
  }
  const ended = reason === "ended";
  return {
    status: "cancelled",
    state: ended ? "reset" : state,
    exitCode: ExitCode.interrupted,
    result: null,
    returned: null,
    error: errorInfo("EXECUTION_CANCELLED", `The execution was cancelled. ${ended ? ENDED : fate}`),
  };
}

/** The executor had to be killed because this execution answered to nothing else. */
export function endingOfKilled(reason: StopReason, timeoutMs: number, state: State): Ending {
  return stopped(reason, state, FATE[state], timeoutMs);
}

/** A queued execution that was cancelled before its turn came. */
export function endingOfQueued(reason: StopReason, timeoutMs: number): Ending {
  return stopped(reason, "kept", "It had not started.", timeoutMs);
}

/** An execution for which its session has no fuel left. */
export function endingWithoutFuel(): Ending {
  return {
    status: "out_of_fuel",
    state: "kept",
    exitCode: ExitCode.outOfFuel,
    result: null,
    returned: null,
    error: errorInfo("OUT_OF_FUEL", `The session's total fuel is used up. It had not started. ${HEAP_KEPT}`, {
      suggestions: ["Go on in another session, with the files and data that it needs."],
    }),
  };
}

/** Code that, with what goes with it, is more than the session's process takes in one message. */
export function endingOfTooLarge(): Ending {
  return {
    status: "crashed",
    state: "kept",
    exitCode: ExitCode.notRun,
    result: null,
    returned: null,
    error: errorInfo(
      "CODE_TOO_LARGE",
      `The code and its event are too large to be handed over. It had not started. ${HEAP_KEPT}`,
      { suggestions: ["Write data to files of the session and read them from the code."] },
    ),
  };
}

/** The executor went away during this execution, for a reason that is not this execution's stop. */
export function endingOfLost(reason: string, state: State, retryable: boolean): Ending {
  return {
    status: "crashed",
    state,
    exitCode: ExitCode.killed,
    result: null,
    returned: null,
    error: errorInfo("EXECUTOR_LOST", `The execution was lost: ${reason}. ${FATE[state]}`, {
      suggestions: [
        "Send the call again; if it is lost again, its own code is the cause.",
      ],
      retryable,
    }),
  };
}

/** Memory was short, and the session had to leave its executor. @param why For people. @param started Its turn had come. */
export function endingOfEvicted(why: string, state: State, started: boolean): Ending {
  const what = started ? "The execution was stopped" : "The execution could not be started";
  return {
    status: "out_of_memory",
    state,
    exitCode: ExitCode.killed,
    result: null,
    returned: null,
    error: errorInfo("OUT_OF_MEMORY", `${what}, because memory was short: ${why}. ${FATE[state]}`, {
      suggestions: [
        "Process the data in smaller pieces, and delete files and variables that are no longer needed.",
        "Destroy sessions that are no longer needed, or try again later: memory is shared with other sessions.",
      ],
      retryable: true,
    }),
  };
}

function summary(error: { readonly type: string; readonly message: string }): string {
  return error.message === "" ? error.type : `${error.type}: ${error.message}`;
}
