/** What the session's own programs share with those that its shell runs: time, `localhost`, and the processes that they start there. */

import type { GuestClock } from "../../control/guest_clock.ts";
import type { FuelMeter } from "../../control/meter.ts";
import { HostCallError } from "../../host_calls/bridge.ts";
import type { RuntimeHost } from "../../runtime/runtime.ts";
import { performOn, PROCESS_GOES_ON } from "../../runtime/shell/processes.ts";
import type { FuelPurse } from "../../runtime/shell/programs/program.ts";
import { SharedClock } from "../../runtime/shell/programs/process.ts";
import type { ShellRuntime } from "../../runtime/shell/shell.ts";
import { NO_OTHERS, Sockets, SOCKETS_PREFIX } from "../../runtime/sockets.ts";

/** They have a turn so often, and for so long, of the guest's own time. */
const TENDED_NS = 2_000_000n;
const TURN_MS = 20;

/** That of one runtime. @param host Of the session. @param shell Whose programs go on while its own ones wait, with their fuel. */
export function besideShell(host: RuntimeHost, shell: ShellRuntime): RuntimeHost {
  // What they listen on nobody could ask for: scripts don't run while they do. A connection is a call's: its heap may be another
  // one in the next.
  const sockets = host.loopback &&
    new Sockets(host.loopback, () => false, () => Number(host.clock.elapsed / 1000n));
  const clock = new TendingClock(host.clock, shell, () => sockets?.close());
  const processes = shell.processesOf(() => clock.purse);
  return {
    ...host,
    clock,
    hostCall: (operation, request, bytes) => {
      if (operation.startsWith(SOCKETS_PREFIX)) {
        const answer = shell.programs > 0 && sockets?.perform(operation, request, bytes);
        if (!answer) throw new HostCallError(NO_OTHERS);
        return answer;
      }
      const answer = performOn(processes, operation, request, bytes);
      if (answer && PROCESS_GOES_ON.has(operation)) clock.tendSoon();
      return answer ?? host.hostCall(operation, request, bytes);
    },
  };
}

/** While its programs wait the shell's go on. */
class TendingClock extends SharedClock {
  readonly #ended: () => void;
  #purse: FuelPurse | undefined;
  #tended = -TENDED_NS;

  constructor(clock: GuestClock, shell: ShellRuntime, ended: () => void) {
    const tend = (ms: number) => {
      const purse = this.#purse;
      const begun = clock.elapsed;
      // A program may wait for no time at all, often.
      if (!purse || begun - this.#tended < TENDED_NS) return;
      const most = Math.max(1, Math.min(ms, TURN_MS));
      shell.tend(purse, most);
      const now = clock.elapsed;
      // Those that have more to do have the next wait, too.
      this.#tended = Number(now - begun) < most * 1e6 ? now : -TENDED_NS;
    };
    super(clock, { giveWay: tend, hasOthers: () => shell.programs > 0 });
    this.#ended = ended;
  }

  /** With the next wait, however short, they have their turn. */
  tendSoon(): void {
    this.#tended = -TENDED_NS;
  }

  /** The fuel of the program that runs now. */
  get purse(): FuelPurse | undefined {
    return this.#purse;
  }

  override begin(meter: FuelMeter): void {
    this.#purse = { left: () => meter.left(), spend: (fuel) => meter.charge(fuel) };
    this.clock.begin(meter);
  }

  override end(): void {
    this.#purse = undefined;
    this.#ended();
    this.clock.end();
  }

  override goOn(elapsed: bigint): void {
    this.clock.goOn(elapsed);
  }
}
