/** Installing packages for a program that waits for them, with no output of its own. */

import { BorrowedClock } from "../../control/guest_clock.ts";
import { ExitCode } from "../../exit_code.ts";
import type { HostCaller } from "../../host_calls/bridge.ts";
import { runNpm } from "../../runtime/npm/npm.ts";
import { installWorking } from "../../runtime/python/installation.ts";
import type { RunOutcome, RuntimeHost } from "../../runtime/runtime.ts";
import type { Interpreters } from "../../runtime/shell/programs/program.ts";
import { ProcExit } from "../../wasi/wasi.ts";

/** What the session has. Looked up when something is installed. */
export interface Installing {
  readonly host: RuntimeHost;
  readonly interpreters: Interpreters;
  /** Fuel that the program may use, and all that works for it; null: any. */
  readonly fuelBudget: number | null;
}

export class QuietInstalls {
  constructor(readonly caller: HostCaller, readonly session: () => Installing) {}

  /** Runs pip. @param waitMs How long it may wait for an index in all: the program's own time and fuel bound its work. */
  pip(args: readonly string[], waitMs: number): RunOutcome {
    const { interpreters, fuelBudget, host: { cell } } = this.session();
    const { host, hasTime } = this.#host(waitMs);
    const hostCall: RuntimeHost["hostCall"] = (...call) => {
      try {
        return host.hostCall(...call);
      } catch (error) {
        // pip's own way out of an interrupt takes most of the time that the program has for its own.
        if (cell.requested() === "interrupt") throw new ProcExit(ExitCode.interrupted);
        throw error;
      }
    };
    return installWorking({ ...host, hostCall }, interpreters, {
      args,
      hasTime,
      ...(fuelBudget !== null && { fuelBudget }),
    });
  }

  /** Installs one of npm's packages. @param waitMs As of {@link pip}. */
  npm(requirement: string, waitMs: number): RunOutcome {
    const { host } = this.#host(waitMs);
    return runNpm(host, { kind: "install", requirements: [requirement], upgrade: false });
  }

  #host(waitMs: number): { host: RuntimeHost; hasTime: () => boolean } {
    const { host: own } = this.session();
    let waited = 0;
    const host: RuntimeHost = {
      ...own,
      clock: new BorrowedClock(own.clock),
      write: () => {},
      hostCall: (operation, request, bytes) => {
        const since = performance.now();
        const timeoutMs = Math.max(0, waitMs - waited);
        try {
          return this.caller.exchange(operation, request, { timeoutMs, ...(bytes && { bytes }) });
        } finally {
          waited += performance.now() - since;
        }
      },
    };
    return { host, hasTime: () => waited < waitMs };
  }
}
