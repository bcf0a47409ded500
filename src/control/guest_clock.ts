/** What guests take for time: the real one, or one that depends on nothing but what they do. */

import type { ControlCell } from "./cell.ts";
import type { FuelMeter } from "./meter.ts";

export interface GuestClock {
  /** Nanoseconds since 1970. */
  realtime(): bigint;
  /** Nanoseconds since some fixed moment. */
  monotonic(): bigint;
  /**
   * The wait of a sleep or a timer.
   *
   * @param ms May be Infinity. @throws {Aborted} on a hard stop.
   */
  wait(ms: number): "elapsed" | "interrupted";
  /** An execution begins; its work is what `meter` counts, which has just begun anew. */
  begin(meter: FuelMeter): void;
  /** That execution has ended. */
  end(): void;
  /** What {@link monotonic} says, without counting as a look. */
  readonly elapsed: bigint;
  /** Goes on as if the monotonic clock had said `elapsed` just now: a session does not notice that it moved. */
  goOn(elapsed: bigint): void;
}

export class RealClock implements GuestClock {
  #ahead = 0n;

  constructor(readonly cell: ControlCell) {}

  realtime(): bigint {
    return microseconds(performance.timeOrigin + performance.now());
  }

  monotonic(): bigint {
    return microseconds(performance.now()) + this.#ahead;
  }

  get elapsed(): bigint {
    return this.monotonic();
  }

  goOn(elapsed: bigint): void {
    this.#ahead += elapsed - this.monotonic();
  }

  wait(ms: number): "elapsed" | "interrupted" {
    return this.cell.wait(ms) === "interrupted" ? "interrupted" : "elapsed";
  }

  begin(): void {}

  end(): void {}
}

/** The time of those who work for a program while it waits: its own clock goes on when it does. */
export class BorrowedClock implements GuestClock {
  constructor(protected readonly clock: GuestClock) {}

  realtime(): bigint {
    return this.clock.realtime();
  }

  monotonic(): bigint {
    return this.clock.monotonic();
  }

  wait(ms: number): "elapsed" | "interrupted" {
    return this.clock.wait(ms);
  }

  begin(_meter: FuelMeter): void {}

  end(): void {}

  get elapsed(): bigint {
    return this.clock.elapsed;
  }

  goOn(_elapsed: bigint): void {}
}

/** 2026-01-01 in nanoseconds since 1970. */
const EPOCH = 1_767_225_600_000_000_000n;
/** Each look takes so long, so that no two see the same time. */
const LOOK = 1000n;
/** Nanoseconds for a unit of fuel: about what it takes in reality. */
const FUEL = 10n;
/** Time stands still there; no overflow in 64 bits, whatever the guest sleeps. */
const END = 200n * 365n * 86_400_000_000_000n;

/**
 * Starts at a fixed instant, and advances with the guest's work, by 10 ns for each unit of fuel, and with its waits. These
 * take no real time: they end at once, and so never reach a wall-time limit.
 */
export class VirtualClock implements GuestClock {
  #elapsed = 0n;
  #meter: FuelMeter | undefined;

  constructor(readonly cell: ControlCell) {}

  realtime(): bigint {
    return EPOCH + this.monotonic();
  }

  monotonic(): bigint {
    this.#advance(LOOK);
    return this.elapsed;
  }

  wait(ms: number): "elapsed" | "interrupted" {
    if (this.cell.wait(0) === "interrupted") return "interrupted";
    this.#advance(ms === Infinity ? END : BigInt(Math.round(ms * 1e6)));
    return "elapsed";
  }

  begin(meter: FuelMeter): void {
    this.#meter = meter;
  }

  end(): void {
    this.#advance(BigInt(this.#meter?.consumed() ?? 0) * FUEL);
    this.#meter = undefined;
  }

  get elapsed(): bigint {
    return bounded(this.#elapsed + BigInt(this.#meter?.consumed() ?? 0) * FUEL);
  }

  goOn(elapsed: bigint): void {
    this.#elapsed = bounded(elapsed);
  }

  #advance(nanoseconds: bigint): void {
    this.#elapsed = bounded(this.#elapsed + nanoseconds);
  }
}

function bounded(elapsed: bigint): bigint {
  return elapsed < END ? elapsed : END;
}

function microseconds(ms: number): bigint {
  return BigInt(Math.round(ms * 1000)) * 1000n;
}
