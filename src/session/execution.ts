/** One run of code in a session: its output, its clock, and the ladder by which it is stopped. */

import type { Limits } from "../config/limits.ts";
import type { InstalledPackage, OutcomeMessage } from "../executor/wire/from_executor.ts";
import { olderNotices } from "./older_packages.ts";
import type { Dialect, Language } from "../languages.ts";
import { type Observer, UNOBSERVED } from "../telemetry/events.ts";
import type { HandlerRequest } from "./handler_call.ts";
import {
  type Ending,
  endingOf,
  endingOfEvicted,
  endingOfKilled,
  endingOfLost,
  endingOfQueued,
  endingOfTooLarge,
  endingWithoutFuel,
  NO_DISPLAYS,
  type Outcome,
  type State,
  type StopReason,
} from "./outcome.ts";
import type { Loss } from "../checkpoints/loss.ts";
import { nextNumber } from "./numbers.ts";
import { DisplayBuffer } from "./display_buffer.ts";
import { OutputBuffer } from "./output_buffer.ts";

/** What is to be run. */
export interface ExecutionRequest {
  readonly language: Language;
  readonly dialect?: Dialect;
  /** What `code` is: of the language, unless this says that it is a command in JSON for pip or npm. */
  readonly program?: "pip" | "npm";
  readonly code: string;
  readonly timeoutMs: number;
  /** Fuel it may use; null: no bound of its own. */
  readonly fuelBudget: number | null;
  /** What a run that does not succeed leaves behind: its state so far, or that of before. */
  readonly onFailure: "keep" | "rollback";
  /** How the program's handler is called after it has run; absent for no such call. */
  readonly handler?: HandlerRequest;
  /** Called with each piece of output as it arrives. */
  readonly onOutput?: (stream: "stdout" | "stderr", text: string, executionId: string) => void;
}

/** How an execution reaches the place where it runs. */
export interface Seat {
  stop(execution: number, how: "interrupt" | "abort"): void;
  /** Last resort: ends the process in which it runs. @returns The state to which the session comes back. */
  kill(): State;
}

const MOVED = "For its imports the session went on in another interpreter, which has those packages: " +
  "its variables, functions, classes and own modules came along; modules of libraries were imported afresh.";

const RAN_OVER =
  "int32 arrays of numpy ran over in this program: a sum, product, power, shift or matrix product did not " +
  "fit in 32 bits, and what came of it is wrong, unless that was meant. .astype('int64') before gives it room; what libraries " +
  "take for indices has 32 bits here.";

const NOT_ROLLED_BACK =
  "The session could not be rolled back: it is larger than a checkpoint may be (checkpoint_max_bytes).";

/** What became of a session before an execution of it ended, as far as that is told with it. */
export interface Circumstances {
  /** The outcome's `state` is the worse of the two. */
  readonly loss: Loss | undefined;
  /** Programs that scripts had left running. */
  readonly programsLost: number;
  /** That the heap might grow to. */
  readonly memoryBytes: number;
}

export class Execution {
  readonly id = crypto.randomUUID();
  /** The number that the control cell compares; unique in this server. */
  readonly number = nextNumber();
  readonly outcome: Promise<Outcome>;
  readonly #settle: (outcome: Outcome) => void;
  readonly #output: Record<"stdout" | "stderr", OutputBuffer>;
  readonly #displays: DisplayBuffer;
  readonly #created = performance.now();
  #started: number | undefined;
  #seat: Seat | undefined;
  #stop: StopReason | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #settled = false;
  #fuelBudget: number | null = null;

  constructor(
    readonly request: ExecutionRequest,
    readonly limits: Limits,
    readonly observe: Observer = UNOBSERVED,
  ) {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    this.outcome = promise;
    this.#settle = resolve;
    this.#displays = new DisplayBuffer(limits.displayMaxBytes, limits.maxDisplays);
    this.#output = {
      stdout: new OutputBuffer(limits.stdoutMaxBytes),
      stderr: new OutputBuffer(limits.stderrMaxBytes),
    };
  }

  /** It waits for its turn now. */
  queued(): void {
    this.observe({ type: "execution_queued", executionId: this.id, language: this.request.language });
  }

  /** "queued" until its turn, "running" until its outcome is known. */
  get phase(): "queued" | "running" | "ended" {
    if (this.#settled) return "ended";
    return this.#seat ? "running" : "queued";
  }

  /** Fuel that it was given; null: no bound, or its turn has not come. */
  get fuelGranted(): number | null {
    return this.#fuelBudget;
  }

  get runningMs(): number {
    return performance.now() - (this.#started ?? this.#created);
  }

  /** What it has printed so far, as its outcome would have it. */
  get printed(): Pick<Outcome, "stdout" | "stderr"> {
    const { stdout, stderr } = this.#output;
    return { stdout: stdout.text(), stderr: stderr.text() };
  }

  /** Its turn has come: the clock of its time-out starts. @param fuelBudget Fuel it was given. */
  start(seat: Seat, fuelBudget: number | null): void {
    this.#seat = seat;
    this.#fuelBudget = fuelBudget;
    this.#started = performance.now();
    this.observe({
      type: "execution_started",
      executionId: this.id,
      language: this.request.language,
      waitedMs: this.#started - this.#created,
    });
    this.#timer = setTimeout(() => this.stop("timeout"), this.request.timeoutMs);
  }

  /**
   * Stops it: gently first, then by force, then by killing its process, each after its grace period.
   *
   * @returns False if it had ended or was being stopped already.
   */
  stop(reason: StopReason): boolean {
    if (this.#settled) return false;
    if (this.#stop) {
      if (reason === "ended") this.#stop = reason; // what becomes of the session is another thing now
      return false;
    }
    this.#stop = reason;
    clearTimeout(this.#timer);
    const seat = this.#seat;
    if (!seat) {
      this.#finish(endingOfQueued(reason, this.request.timeoutMs));
      return true;
    }
    const { interruptGraceMs, abortGraceMs } = this.limits;
    seat.stop(this.number, "interrupt");
    this.#timer = setTimeout(() => {
      seat.stop(this.number, "abort");
      this.#timer = setTimeout(() => {
        this.#finish(endingOfKilled(this.#stop ?? reason, this.request.timeoutMs, seat.kill()));
      }, abortGraceMs);
    }, interruptGraceMs);
    return true;
  }

  /** Its turn has come, but its session's fuel is used up. */
  refuseFuel(): void {
    this.#fuelBudget = 0;
    this.#finish(endingWithoutFuel());
  }

  /** Its turn has come, but it is more than can be sent to where it would run. */
  refuseSize(): void {
    this.#finish(endingOfTooLarge());
  }

  output(stream: "stdout" | "stderr", bytes: Uint8Array): void {
    const text = this.#output[stream].push(bytes);
    if (text !== "") this.request.onOutput?.(stream, text, this.id);
  }

  /** A piece of what it shows has arrived. */
  displayed(piece: Uint8Array): void {
    this.#displays.push(piece);
  }

  /**
   * The executor reported its end.
   *
   * @param before What had become of the session before this execution, which is told with the outcome.
   */
  ended(message: OutcomeMessage, { loss, programsLost, memoryBytes }: Circumstances): void {
    const { language, timeoutMs } = this.request;
    const ending = endingOf(message, this.#stop, { language, timeoutMs, memoryBytes });
    const { outcome, dropped, changed, displays, installed } = message;
    const wanted = this.request.onFailure === "rollback" && ending.status !== "completed";
    const notice = wanted && ending.state === "kept" ? NOT_ROLLED_BACK : null;
    this.#finish(loss && ending.state !== "reset" ? { ...ending, state: loss.state } : ending, {
      notice: noticeOf([
        loss?.notice ?? notice,
        outcome.moved ? MOVED : null,
        timersNotice(outcome.timersDropped),
        jobsNotice(message.rolledBack ? undefined : outcome.jobsLeft, language),
        lostNotice(programsLost),
        outcome.ranOver ? RAN_OVER : null,
        installedNotice(installed),
      ]),
      dropped,
      changed,
      displays: this.#displays.take(displays),
      fuelConsumed: outcome.fuelConsumed,
      memoryBytes: outcome.memoryBytes,
    });
  }

  /** The place where it ran, or should have run, is gone. */
  lost(
    reason: string,
    state: State,
    { loss, retryable = true }: { readonly loss?: Loss | undefined; readonly retryable?: boolean } = {},
  ): void {
    this.#finish(endingOfLost(reason, state, retryable), { notice: loss?.notice ?? null });
  }

  /** Memory was short, and its session had to leave its place. */
  evicted(why: string, state: State, loss?: Loss): void {
    this.#finish(endingOfEvicted(why, state, this.#seat !== undefined), { notice: loss?.notice ?? null });
  }

  #finish(
    ending: Ending,
    more:
      & Partial<Pick<Outcome, "notice" | "changed" | "displays" | "fuelConsumed" | "memoryBytes">>
      & Partial<Pick<OutcomeMessage, "dropped">> = {},
  ): void {
    if (this.#settled) return;
    this.#settled = true;
    clearTimeout(this.#timer);
    const { stdout, stderr } = this.#output;
    const dropped = more.dropped ?? { stdout: 0, stderr: 0 };
    const outcome: Outcome = {
      ...ending,
      executionId: this.id,
      language: this.request.language,
      stdout: stdout.text(dropped.stdout),
      stderr: stderr.text(dropped.stderr),
      truncated: {
        stdout: stdout.isTruncated(dropped.stdout),
        stderr: stderr.isTruncated(dropped.stderr),
      },
      notice: more.notice ?? null,
      changed: more.changed ?? { files: [], truncated: false },
      displays: more.displays ?? NO_DISPLAYS,
      executionTimeMs: this.#started === undefined ? 0 : performance.now() - this.#started,
      fuelConsumed: more.fuelConsumed ?? 0,
      fuelBudget: this.#fuelBudget,
      memoryBytes: more.memoryBytes ?? 0,
    };
    this.#settle(outcome);
    this.#tell(outcome);
  }

  #tell(
    { executionId, language, status, state, truncated, fuelConsumed, memoryBytes, ...rest }: Outcome,
  ): void {
    const started = this.#started !== undefined;
    const durationMs = rest.executionTimeMs;
    const ended = {
      executionId,
      language,
      status,
      state,
      started,
      durationMs,
      fuelConsumed,
      memoryBytes,
      truncated,
    };
    this.observe({ type: "execution_ended", ...ended });
  }
}

/** @param count Timers that a program had set when it ended early. */
function timersNotice(count: number | undefined): string | null {
  if (count === undefined) return null;
  const what = count === 1 ? "A timer" : `${count} timers`;
  return `${what} that the program had set (setTimeout, setInterval) ended with it: nothing of a program goes on after its call.`;
}

function lostNotice(count: number): string | null {
  if (count === 0) return null;
  const [what, them] = count === 1
    ? ["A background program", "it"]
    : [`${count} background programs`, "them"];
  return `${what} of an earlier call ended: the session went on from a checkpoint, which has none. Start ${them} again.`;
}

function jobsNotice(count: number | undefined, language: Language): string | null {
  if (count === undefined) return null;
  const isShell = language === "shell";
  const [one, many] = isShell ? ["background job", "background jobs"] : ["process", "processes"];
  const [what, them] = count === 1 ? [`A ${one} goes`, "it"] : [`${count} ${many} go`, "them"];
  const end = isShell
    ? `jobs lists ${them}, kill %1 ends one`
    : `the program's own kill() ends one, and that of the shell, where ps lists ${them}`;
  return `${what} on: while later calls run or wait, not between them (${end}).`;
}

function noticeOf(parts: readonly (string | null)[]): string | null {
  const said = parts.filter((part) => part !== null);
  return said.length > 0 ? said.join(" ") : null;
}

/** What a program's imports have brought with them. */
function installedNotice(installed: readonly InstalledPackage[]): string | null {
  if (installed.length === 0) return null;
  const shown = installed.slice(0, 30).map(({ name, version }) => `${name} ${version}`).join(", ");
  return [
    `Installed for the program's imports: ${shown}${installed.length > 30 ? ", and more" : ""}.`,
    ...olderNotices(installed),
  ].join(" ");
}
