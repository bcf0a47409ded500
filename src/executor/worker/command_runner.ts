/** Runs commands of the session's shell for its Python, and keeps what they print if that is for the program. */

import { GrowingBytes } from "../../bytes.ts";
import type { Runtime, RuntimeHost, ShellCommand, ShellCommandOutcome } from "../../runtime/runtime.ts";

/** As shells say it of a process that was ended by a signal, or ran out of memory. */
const FAILED = 134;

export class CommandRunner {
  #captured: GrowingBytes | undefined;
  #lost = false;

  /** @param maxBytes Most that a command may print that a program captures. */
  constructor(readonly show: RuntimeHost["write"], readonly maxBytes: number) {}

  /** Where all of the session's runtimes write. */
  readonly write: RuntimeHost["write"] = (stream, bytes) => {
    const captured = this.#captured;
    if (stream === "stderr" || !captured) return this.show(stream, bytes);
    if (captured.length + bytes.length > this.maxBytes) this.#lost = true;
    else captured.push(bytes);
  };

  runnerFor(shell: Runtime): (command: ShellCommand) => Promise<ShellCommandOutcome> {
    return async ({ script, capture, ...budget }) => {
      this.#captured = capture ? new GrowingBytes() : undefined;
      this.#lost = false;
      const outcome = await shell.execute({
        code: script,
        filename: "<shell>",
        resultMaxBytes: 0,
        ...budget,
      });
      const captured = this.#captured?.view ?? new Uint8Array(0);
      this.#captured = undefined;
      const ended = { fuelConsumed: outcome.fuelConsumed, output: new TextDecoder().decode(captured) };
      switch (outcome.status) {
        case "completed":
          return { ...ended, ending: "exited", exitCode: 0, complete: !this.#lost };
        case "exited":
          return { ...ended, ending: "exited", exitCode: outcome.exitCode, complete: !this.#lost };
        case "stopped":
        case "out_of_fuel":
          return { ...ended, ending: outcome.status, exitCode: FAILED, complete: false };
        case "out_of_memory":
        case "failed":
          this.#tell(outcome.error?.message ?? "out of memory");
          break;
        case "crashed":
          this.#tell(outcome.reason);
      }
      return { ...ended, ending: "exited", exitCode: FAILED, complete: true };
    };
  }

  #tell(what: string): void {
    this.show("stderr", new TextEncoder().encode(`bash: ${what}\n`));
  }
}
