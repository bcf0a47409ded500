/** poll_oneoff: the guest's way to sleep. */

import { clock, errno, type ErrnoName, eventrwflags, eventtype, subclockflags } from "./constants.ts";
import type { WasiCall, WasiContext } from "./context.ts";
import { errnoOf, WasiError } from "./errors.ts";

const SUBSCRIPTION_BYTES = 48;
const EVENT_BYTES = 32;
/** Most subscriptions in one call. */
const SUBSCRIPTIONS_MAX = 4096;

type Subscription =
  /** Never comes about: nobody but the guest itself could bring it about. */
  | { readonly kind: "never"; readonly userdata: bigint }
  | { readonly kind: "clock"; readonly userdata: bigint; readonly remaining: bigint }
  | { readonly kind: "ready"; readonly userdata: bigint; readonly event: PollEvent };

interface PollEvent {
  readonly type: number;
  readonly error?: ErrnoName;
  readonly flags?: number;
}

export function pollImports({ host, memory, descriptors }: WasiContext): Record<string, WasiCall> {
  return {
    /** Files and streams are always ready, and a pipe that is not stays so: a poll waits for clocks alone, if at all. */
    poll_oneoff(input: number, output: number, count: number, result: number) {
      if (count === 0 || count >>> 0 > SUBSCRIPTIONS_MAX) throw new WasiError("EINVAL");
      memory.check(input, count * SUBSCRIPTION_BYTES);
      memory.check(output, count * EVENT_BYTES);
      memory.check(result, 4);
      const subscriptions = Array.from(
        { length: count },
        (_, index) => subscription((input >>> 0) + index * SUBSCRIPTION_BYTES),
      );
      const elapsed = subscriptions.some(({ kind }) => kind === "ready") ? 0n : sleep(subscriptions);
      let events = 0;
      for (const one of subscriptions) {
        if (one.kind === "never" || one.kind === "clock" && one.remaining > elapsed) continue;
        const event = one.kind === "clock" ? { type: eventtype.clock } : one.event;
        writeEvent((output >>> 0) + events++ * EVENT_BYTES, one.userdata, event);
      }
      memory.setU32(result, events);
    },
  };

  /** Sleeps until the first clock. @returns Which clocks count as elapsed: those with no more than that remaining. */
  function sleep(subscriptions: readonly Subscription[]): bigint {
    let first: bigint | undefined;
    for (const one of subscriptions) {
      if (one.kind === "clock" && (first === undefined || one.remaining < first)) first = one.remaining;
    }
    if (first === undefined && subscriptions.length > 0) throw new WasiError("EDEADLK");
    if (first === undefined || first <= 0n) return 0n;
    if (host.wait(Number(first) / 1e6) === "interrupted") host.onInterrupt?.();
    return first;
  }

  function subscription(at: number): Subscription {
    const userdata = memory.u64(at);
    const type = memory.u8(at + 8);
    if (type === eventtype.clock) return clockSubscription(at, userdata);
    if (type !== eventtype.fdRead && type !== eventtype.fdWrite) throw new WasiError("EINVAL");
    const fd = memory.u32(at + 16);
    return isReady(type, fd)
      ? { kind: "ready", userdata, event: readiness(type, fd) }
      : { kind: "never", userdata };
  }

  function clockSubscription(at: number, userdata: bigint): Subscription {
    const id = memory.u32(at + 16);
    const timeout = memory.u64(at + 24);
    if (id !== clock.realtime && id !== clock.monotonic) {
      return { kind: "ready", userdata, event: { type: eventtype.clock, error: "ENOTSUP" } };
    }
    const absolute = (memory.u16(at + 40) & subclockflags.absolute) !== 0;
    const now = absolute ? id === clock.realtime ? host.realtime() : host.monotonic() : 0n;
    return { kind: "clock", userdata, remaining: timeout > now ? timeout - now : 0n };
  }

  /** Whether a read or write would not wait. */
  function isReady(type: number, fd: number): boolean {
    const descriptor = descriptors.has(fd) ? descriptors.get(fd) : undefined;
    if (descriptor?.kind !== "pipe") return true; // or fails at once
    const { pipe, end } = descriptor;
    if (type === eventtype.fdWrite) {
      return end === "read" || !pipe.isFull || !descriptors.hasEnd(pipe, "read");
    }
    return end === "write" || pipe.bytes.length > 0 || !descriptors.hasEnd(pipe, "write");
  }

  function readiness(type: number, fd: number): PollEvent {
    try {
      const descriptor = descriptors.get(fd);
      const atEnd = descriptor.kind === "stream" && descriptor.stream === "stdin";
      return { type, flags: atEnd && type === eventtype.fdRead ? eventrwflags.hangup : 0 };
    } catch (error) {
      errnoOf(error);
      return { type, error: "EBADF" };
    }
  }

  function writeEvent(at: number, userdata: bigint, event: PollEvent): void {
    memory.bytes(at, EVENT_BYTES).fill(0);
    memory.setU64(at, userdata);
    memory.setU16(at + 8, event.error === undefined ? errno.SUCCESS : errno[event.error]);
    memory.setU8(at + 10, event.type);
    memory.setU16(at + 24, event.flags ?? 0);
  }
}
