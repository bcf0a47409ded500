/** How a run of a program ended: what it came to, told in bounds, whatever the guest has made of its heap. */

import { checkReturned } from "../returned.ts";
import type { ProgramError, RunOutcome, RunRequest } from "../runtime.ts";
import type { Value } from "./abi.ts";
import { describedError, UNDESCRIBABLE } from "./described_error.ts";
import type { Engine } from "./engine.ts";
import { ANSWER_MAX_BYTES, type Hooks } from "./hooks.ts";
import { PRELUDE_NAME } from "./names.ts";
import { EXITED, type Failure, isValue, type RunState, STOPPED, UNSETTLED } from "./run_state.ts";
import type { Thrown } from "./values.ts";

/** An outcome without what the runtime adds to each. */
export type Ending<T = RunOutcome> = T extends unknown ? Omit<T, "fuelConsumed" | "memoryBytes"> : never;

/** What was run. */
export interface Ran extends RunRequest {
  /** The text that QuickJS was given of it. */
  readonly ran: string;
}

/** Characters of a result that are made: with this many, cutting to its bound in bytes never cuts short. */
const RESULT_SLACK = 16;
const ELLIPSIS_BYTES = 3;
const UNSETTLED_MESSAGE =
  "What is awaited can never settle: no timer and no job is left that could settle it";
const OUT_OF_MEMORY: ProgramError = {
  type: "InternalError",
  message: "out of memory",
  traceback: "InternalError: out of memory",
};

const decoder = new TextDecoder();

export class Endings {
  readonly #engine: Engine;
  readonly #hooks: Hooks;
  readonly #run: RunState;
  /** Linear memory that can't grow any more, bytes. */
  readonly #largest: number;

  constructor(engine: Engine, hooks: Hooks, run: RunState, largest: number) {
    this.#engine = engine;
    this.#hooks = hooks;
    this.#run = run;
    this.#largest = largest;
  }

  /** @param returned JSON of what a handler returned, or what ended its call early. */
  of(program: Ran, value: Value | Failure, returned: Value | Failure | undefined): Ending {
    if (returned === undefined) return this.#of(program, value);
    if (!isValue(returned)) {
      if (isValue(value)) this.#engine.values.free(value);
      return this.#of(program, returned);
    }
    const ending = this.#of(program, value);
    const json = this.#engine.values.takeBoundedString(returned, program.resultMaxBytes);
    const checked = checkReturned(json, program.resultMaxBytes);
    if (ending.status !== "completed") return ending;
    return typeof checked === "string"
      ? { ...ending, returned: checked }
      : { status: "failed", heap: ending.heap, error: checked };
  }

  #of(program: Ran, value: Value | Failure): Ending {
    const heap = "kept";
    if (value === STOPPED) return { status: "stopped", heap };
    if (value === EXITED) return { status: "exited", heap, exitCode: this.#run.exitCode ?? 0 };
    if (value === UNSETTLED) {
      const error = { type: "Error", message: UNSETTLED_MESSAGE, traceback: `Error: ${UNSETTLED_MESSAGE}` };
      return { status: "failed", heap, error };
    }
    if (typeof value === "object") return this.#failed(program, value);

    const { values } = this.#engine;
    const bound = values.number(program.resultMaxBytes + RESULT_SLACK);
    const shown = this.#hooks.attempt("result", value, bound);
    values.free(value);
    values.free(bound);
    if (!isValue(shown)) return this.#of(program, shown);
    const isText = values.typeOf(shown) === "string";
    const bytes = isText ? values.toUtf8(shown) : undefined;
    values.free(shown);
    return { status: "completed", heap, result: bytes ? cut(bytes, program.resultMaxBytes) : null };
  }

  #failed(program: Ran, { thrown }: Thrown): Ending {
    const { values } = this.#engine;
    const name = values.string(program.filename);
    const source = values.string(program.code);
    const ran = values.string(program.ran);
    const json = this.#hooks.call("describeError", thrown, name, source, ran);
    // QuickJS throws null where there is no room for the error itself.
    const full = this.#isOutOfMemory(thrown) ||
      typeof json === "object" && (this.#isOutOfMemory(json.thrown) || !this.#works());
    for (const value of [thrown, name, source, ran]) values.free(value);
    const described = this.#hooks.unlessStopped(json);
    if (typeof described === "symbol") return this.#of(program, described);
    let error: ProgramError | undefined;
    if (typeof described === "object") values.free(described);
    else error = describedError(values.takeBoundedString(described, ANSWER_MAX_BYTES) ?? "");
    if (!full) return { status: "failed", heap: "kept", error: error ?? UNDESCRIBABLE };
    const heap = this.#works() ? "kept" : "discarded";
    return {
      status: "out_of_memory",
      heap,
      error: !error || error.message === "null" ? OUT_OF_MEMORY : error,
    };
  }

  #isOutOfMemory(thrown: Value): boolean {
    const { values } = this.#engine;
    const grown = values.number(this.#engine.memory.buffer.byteLength >= this.#largest ? 1 : 0);
    const answer = this.#hooks.call("isOutOfMemory", thrown, grown);
    values.free(grown);
    // A heap that has no room for this call is full.
    const full = typeof answer === "object" || values.toNumber(answer) === 1;
    values.free(answer);
    return full;
  }

  /** Whether there is memory left to go on with. */
  #works(): boolean {
    const made = this.#engine.evaluate("new Array(10000).fill(0).length", PRELUDE_NAME);
    this.#engine.values.free(made);
    return typeof made !== "object";
  }
}

/** The first `most` bytes of UTF-8, without half a character; what is cut ends in "…". */
function cut(bytes: Uint8Array, most: number): string {
  if (bytes.byteLength <= most) return decoder.decode(bytes);
  let end = Math.max(0, most - ELLIPSIS_BYTES);
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  return decoder.decode(bytes.subarray(0, end)) + "…";
}
