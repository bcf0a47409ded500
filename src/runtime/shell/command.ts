/** Commands of the shell that a program of another language waits for: each in a shell of its own, as a process has it. */

import { GrowingBytes } from "../../bytes.ts";
import { BorrowedClock } from "../../control/guest_clock.ts";
import { ExitCode } from "../../exit_code.ts";
import { FsError } from "../../fs/errors.ts";
import type { RunOutcome, RuntimeHost, ShellCommand, ShellCommandOutcome } from "../runtime.ts";
import { exitCodeOf } from "./exit_code.ts";
import { createShellRuntime, type ShellAssets } from "./shell.ts";

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
    const isAbandoned = shell.programs > 0 || outcome.jobsLeft !== undefined;
    shell.discard();
    if (isAbandoned) write("stderr", new TextEncoder().encode(ENDED_WITH_SHELL));
    const { fuelConsumed } = outcome;
    const output = new TextDecoder().decode(captured.view);
    const exitCode = exitCodeOf(outcome);
    if (outcome.status === "stopped" && host.cell.requested() === "none") {
      return { fuelConsumed, output, ending: "timed_out", exitCode: ExitCode.timedOut, complete: !lost };
    }
    if (outcome.status === "stopped" || outcome.status === "out_of_fuel") {
      return { fuelConsumed, output, ending: outcome.status, exitCode, complete: false };
    }
    const message = messageOf(outcome);
    if (message) host.write("stderr", new TextEncoder().encode(`bash: ${message}\n`));
    return { fuelConsumed, output, ending: "exited", exitCode, complete: !lost };
  };
}

/** Only the session's own shell has what goes on. */
const ENDED_WITH_SHELL =
  "bash: a program in the background ended with the command that a program had started: what a call of the shell itself " +
  "starts in the background goes on\n";

/** What its shell tells of its end. */
function messageOf(outcome: RunOutcome): string | undefined {
  if (outcome.status === "out_of_memory") return outcome.error?.message ?? "out of memory";
  return outcome.status === "crashed" ? outcome.reason : undefined;
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
