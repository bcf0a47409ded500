/** Runs an interpreter of another language as a process of the script: fresh, fed by a pipe, thrown away at its end. */

import { type HostReply, replyOf } from "../../../host_calls/bridge.ts";
import type { RunOutcome, Runtime, RuntimeHost } from "../../runtime.ts";
import { DISPLAY_OPERATION, parseDisplay } from "../../../host_calls/display.ts";
import { concatBytes } from "../../../bytes.ts";
import { bytesOfText } from "../bytes.ts";
import { LIMITS } from "../limits.ts";
import type { CommandOutput, Interpreters, Invocation, Tools } from "./tools.ts";

/** One piece of code to be run; those after one that did not complete are left out. */
export interface Part {
  readonly code: string;
  readonly filename: string;
}

const NO_BYTES = new Uint8Array(0);

export interface Process {
  readonly language: Exclude<keyof Interpreters, "pip">;
  readonly parts: readonly Part[];
  readonly stdin: Uint8Array;
  /** Whether the error with which the program ends is only its way to end. */
  ended?(): boolean;
  /** Answers the program's host calls; undefined for those that are for the server. */
  hostCall?(operation: string, request: Uint8Array, output: Output): HostReply | undefined;
}

/** What a process has printed. Bounded: what is more than a script may print at all is dropped. */
export class Output {
  readonly #pieces = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  #room: number = LIMITS.maxOutputSize;

  write(stream: "stdout" | "stderr", bytes: Uint8Array): void {
    const piece = bytes.slice(0, this.#room);
    this.#room -= piece.length;
    this.#pieces[stream].push(piece);
  }

  bytes(stream: "stdout" | "stderr"): Uint8Array {
    return concatBytes(this.#pieces[stream]);
  }
}

/** @returns What it printed, and its exit code as a shell sees it. */
export async function runProcess(
  tools: Tools,
  { env, cwd }: Invocation,
  process: Process,
): Promise<CommandOutput & { readonly result: string | null }> {
  const output = new Output();
  let position = 0;
  const host: RuntimeHost = {
    ...tools.host,
    env,
    cwd,
    read(buffer) {
      const piece = process.stdin.subarray(position, position + buffer.length);
      buffer.set(piece);
      position += piece.length;
      return piece.length;
    },
    write: (stream, bytes) => output.write(stream, bytes),
    hostCall: (operation, request, bytes) => {
      const answer = process.hostCall?.(operation, request, output);
      if (answer) return answer;
      // The value of a file's last expression is nothing that a process shows.
      const unasked = operation === DISPLAY_OPERATION &&
        parseDisplay(request, bytes ?? NO_BYTES)?.source === "result";
      return unasked ? replyOf(null) : tools.host.hostCall(operation, request, bytes);
    },
  };
  const runtime = tools.interpreters[process.language](host);
  const outcome = await runParts(tools, runtime, process.parts);
  runtime.discard();
  if (!outcome) return { stderr: "the fuel budget is used up\n", exitCode: 152, result: null };
  const { exitCode, message } = ending(outcome);
  if (!process.ended?.()) output.write("stderr", bytesOfText(message));
  return {
    stdout: output.bytes("stdout"),
    stderr: new TextDecoder().decode(output.bytes("stderr")),
    exitCode,
    result: outcome.status === "completed" ? outcome.result : null,
  };
}

/** @returns undefined if there was no fuel left to start with. */
async function runParts(
  tools: Tools,
  runtime: Runtime,
  parts: readonly Part[],
): Promise<RunOutcome | undefined> {
  const run = tools.run();
  let outcome: RunOutcome | undefined;
  for (const [at, part] of parts.entries()) {
    const fuelBudget = run.fuelBudget - run.fuelConsumed;
    if (fuelBudget <= 0) {
      run.outOfFuel = true;
      return undefined;
    }
    const budget = Number.isFinite(fuelBudget) ? { fuelBudget } : {};
    const next = parts.slice(at + 1).map(({ code }) => code).join("\n");
    outcome = await runtime.execute({ ...part, next, resultMaxBytes: LIMITS.maxOutputSize, ...budget });
    run.fuelConsumed += outcome.fuelConsumed;
    if (outcome.status === "out_of_fuel") run.outOfFuel = true;
    if (outcome.status !== "completed") break;
  }
  return outcome;
}

function ending(outcome: RunOutcome): { readonly exitCode: number; readonly message: string } {
  switch (outcome.status) {
    case "completed":
      return { exitCode: 0, message: "" };
    case "exited":
      return { exitCode: outcome.exitCode, message: "" };
    case "failed":
      return { exitCode: 1, message: `${outcome.error.traceback.trimEnd()}\n` };
    case "stopped":
      return { exitCode: 130, message: "" };
    case "out_of_fuel":
      return { exitCode: 152, message: "" };
    case "out_of_memory":
      return { exitCode: 137, message: `${outcome.error?.traceback.trimEnd() ?? "out of memory"}\n` };
    case "crashed":
      return { exitCode: 134, message: `${outcome.reason}\n` };
  }
}
