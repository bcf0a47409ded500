/** What the session's own programs share with those that scripts of its shell have left running: time, and `localhost`. */

import type { FuelMeter } from "../../control/meter.ts";
import type { GuestClock } from "../../control/guest_clock.ts";
import { HostCallError } from "../../host_calls/bridge.ts";
import type { RuntimeHost } from "../../runtime/runtime.ts";
import { SharedClock } from "../../runtime/shell/programs/process.ts";
import type { ShellRuntime } from "../../runtime/shell/shell.ts";
import { NO_OTHERS, Sockets, SOCKETS_PREFIX } from "../../runtime/sockets.ts";

/** @param host Of the session. @param shell Whose programs go on while the host's own ones wait, with their fuel. */
export function besideShell(host: RuntimeHost, shell: ShellRuntime): RuntimeHost {
  // What they listen on nobody could ask for: scripts don't run while they do.
  const sockets = host.loopback && new Sockets(host.loopback, () => false);
  return {
    ...host,
    clock: new TendingClock(host.clock, shell),
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
  #meter: FuelMeter | undefined;

  constructor(clock: GuestClock, shell: ShellRuntime) {
    const tend = () => {
      const meter = this.#meter;
      if (meter) shell.tend({ left: () => meter.left(), spend: (fuel) => meter.charge(fuel) });
    };
    super(clock, { giveWay: tend, hasOthers: () => shell.programs > 0 });
  }

  override begin(meter: FuelMeter): void {
    this.#meter = meter;
    this.clock.begin(meter);
  }

  override end(): void {
    this.#meter = undefined;
    this.clock.end();
  }

  override goOn(elapsed: bigint): void {
    this.clock.goOn(elapsed);
  }
}
