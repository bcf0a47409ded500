/** Commands of the shell that a program of another language waits for: each in a shell of its own, as a process has it. */

import { GrowingBytes } from "../../bytes.ts";
import { BorrowedClock } from "../../control/guest_clock.ts";
import { FsError } from "../../fs/errors.ts";
import type { RunOutcome, RuntimeHost, ShellCommand, ShellCommandOutcome } from "../runtime.ts";
import { createShellRuntime, type ShellAssets } from "./shell.ts";

/** As shells say it of a process that was ended by a signal, or ran out of memory. */
const FAILED = 134;

/**
 * @param host That of the program; where its commands write.
 * @param level How many shells will wait for them.
 */
export function commandRunner(
  host: RuntimeHost,
  assets: ShellAssets,
  level: number,
): (command: ShellCommand) => ShellCommandOutcome {
  return ({ script, capture, files = {}, timeoutMs = Infinity, ...budget }) => {
    const captured = new GrowingBytes();
    let lost = false;
    const write: RuntimeHost["write"] = (stream, bytes) => {
      const file = files[stream];
      if (file !== undefined) lost ||= !append(host, file, bytes);
      else if (stream === "stderr" || !capture) host.write(stream, bytes);
      else if (captured.length + bytes.length > assets.captureMaxBytes) lost = true;
      else captured.push(bytes);
    };
    const { read: _, ...rest } = host;
    const shell = assets.census(
      createShellRuntime({ ...rest, clock: new BorrowedClock(host.clock), write }, assets, level),
    );
    const begun = host.clock.elapsed;
    const left = () => timeoutMs - Number(host.clock.elapsed - begun) / 1e6;
    const request = { code: script, filename: "<shell>", resultMaxBytes: 0, ...budget };
    const outcome = timeoutMs === Infinity
      ? shell.executeNow(request)
      : host.cell.within(left, () => shell.executeNow(request));
    shell.discard();
    const { fuelConsumed } = outcome;
    const output = new TextDecoder().decode(captured.view);
    if (outcome.status === "stopped" && host.cell.requested() === "none") {
      return { fuelConsumed, output, ending: "timed_out", exitCode: FAILED, complete: !lost };
    }
    if (outcome.status === "stopped" || outcome.status === "out_of_fuel") {
      return { fuelConsumed, output, ending: outcome.status, exitCode: FAILED, complete: false };
    }
    const { exitCode, message } = exitOf(outcome);
    if (message) host.write("stderr", new TextEncoder().encode(`bash: ${message}\n`));
    return { fuelConsumed, output, ending: "exited", exitCode, complete: !lost };
  };
}

/** Whether there was room. */
function append({ fs }: RuntimeHost, path: string, bytes: Uint8Array): boolean {
  try {
    fs.appendFile(path, bytes);
    return true;
  } catch (error) {
    if (!(error instanceof FsError)) throw error;
    return false;
  }
}

function exitOf(outcome: RunOutcome): { readonly exitCode: number; readonly message?: string } {
  switch (outcome.status) {
    case "completed":
      return { exitCode: 0 };
    case "exited":
      return { exitCode: outcome.exitCode };
    case "out_of_memory":
      return { exitCode: FAILED, message: outcome.error?.message ?? "out of memory" };
    case "crashed":
      return { exitCode: FAILED, message: outcome.reason };
    default:
      return { exitCode: FAILED };
  }
}
