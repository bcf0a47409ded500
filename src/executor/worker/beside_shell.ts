/** What the session's own programs share with those that scripts of its shell have left running: time, and `localhost`. */

import type { FuelMeter } from "../../control/meter.ts";
import type { GuestClock } from "../../control/guest_clock.ts";
import { HostCallError } from "../../host_calls/bridge.ts";
import type { RuntimeHost } from "../../runtime/runtime.ts";
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
  return {
    ...host,
    clock: new TendingClock(host.clock, shell, () => sockets?.close()),
    hostCall: (operation, request, bytes) => {
      if (!operation.startsWith(SOCKETS_PREFIX)) return host.hostCall(operation, request, bytes);
      const answer = shell.programs > 0 && sockets?.perform(operation, request, bytes);
      if (!answer) throw new HostCallError(NO_OTHERS);
      return answer;
    },
  };
}

/** While its programs wait the shell's go on. */
class TendingClock extends SharedClock {
  readonly #ended: () => void;
  #meter: FuelMeter | undefined;

  constructor(clock: GuestClock, shell: ShellRuntime, ended: () => void) {
    let tended = -TENDED_NS;
    const tend = (ms: number) => {
      const meter = this.#meter;
      // A program may wait for no time at all, often.
      if (!meter || clock.elapsed - tended < TENDED_NS) return;
      const purse = { left: () => meter.left(), spend: (fuel: number) => meter.charge(fuel) };
      shell.tend(purse, Math.max(1, Math.min(ms, TURN_MS)));
      tended = clock.elapsed;
    };
    super(clock, { giveWay: tend, hasOthers: () => shell.programs > 0 });
    this.#ended = ended;
  }

  override begin(meter: FuelMeter): void {
    this.#meter = meter;
    this.clock.begin(meter);
  }

  override end(): void {
    this.#meter = undefined;
    this.#ended();
    this.clock.end();
  }

  override goOn(elapsed: bigint): void {
    this.clock.goOn(elapsed);
  }
}
