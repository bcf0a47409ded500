/** The fuel of one of several programs that work by turns: what it does is taken from what is there for all as it does it. */

import { FUEL_GRACE, type FuelMeter, OutOfFuel } from "../../../control/meter.ts";
import type { FuelPurse } from "./program.ts";

export class FuelShare implements FuelPurse {
  readonly #purse: FuelPurse;
  #meter: FuelMeter | undefined;
  /** What the meter has counted of what was taken. */
  #counted = 0;
  /** What was taken and not yet told by {@link spend}. */
  #ahead = 0;
  /** What it has done since there was nothing left. */
  #overdrawn = 0;

  constructor(purse: FuelPurse) {
    this.#purse = purse;
  }

  left(): number {
    return this.#purse.left();
  }

  /** @param fuel Of a run that has ended; most of it was taken while it went on. */
  spend(fuel: number): void {
    this.#purse.spend(Math.max(0, fuel - this.#ahead));
    this.#ahead = 0;
    this.#counted = 0;
  }

  /** What the meter counts from now on is the program's work. */
  begin(meter: FuelMeter): void {
    this.#meter = meter;
    this.#counted = meter.consumed();
  }

  end(): void {
    this.#take();
    this.#meter = undefined;
  }

  /** @throws {OutOfFuel} where it goes on though all is used up. */
  look(): void {
    this.#take();
    if (this.#overdrawn > FUEL_GRACE) throw new OutOfFuel(this.#overdrawn);
  }

  /** As {@link look}, where a meter has counted the whole of a run. */
  lookAt(meter: FuelMeter): void {
    this.#meter = meter;
    try {
      this.look();
    } finally {
      this.#meter = undefined;
    }
  }

  #take(): void {
    if (!this.#meter) return;
    const consumed = this.#meter.consumed();
    const done = consumed - this.#counted;
    this.#counted = consumed;
    if (this.left() <= 0) this.#overdrawn += done;
    else this.#overdrawn = 0;
    this.#purse.spend(done);
    this.#ahead += done;
  }
}
