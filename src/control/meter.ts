/** Fuel accounting on the host's side of the metering rewrite (`wasm/metering`). */

import type { ControlCell } from "./cell.ts";

/** Fuel handed to the guest at a time. The host looks at the control cell once per slice: about once a millisecond. */
const SLICE = 50_000;

/** Fuel that a program gets after its budget to end by an interrupt, which keeps its heap: about 100 ms. */
export const FUEL_GRACE = 10_000_000;

/** Thrown out of the guest when its budget and its grace are used up. Wasm frames are not unwound: discard the instance. */
export class OutOfFuel extends Error {
  override name = "OutOfFuel";
  constructor(readonly budget: number) {
    super(`the fuel budget of ${budget} is used up`);
  }
}

/**
 * Refills one wasm instance's fuel in slices and counts what was consumed.
 *
 * Bind {@link refill} to the import `sandbox.out_of_fuel`, then {@link attach} the instance's exported global
 * `sandbox_fuel`: an i32 that the rewritten code counts down and that calls the import when it falls below zero.
 */
export class FuelMeter {
  #fuel: WebAssembly.Global | undefined;
  #granted = 0;
  #charged = 0;
  #budget = Infinity;
  #exhausted = false;

  constructor(readonly cell: ControlCell) {}

  attach(fuel: WebAssembly.Global): void {
    this.#fuel = fuel;
    this.begin();
  }

  /** Starts a new count. @param budget Fuel this execution may use; Infinity for no bound. */
  begin(budget = Infinity): void {
    if (!this.#fuel) return;
    this.#budget = budget;
    this.#exhausted = false;
    this.#charged = 0;
    this.#granted = Math.min(SLICE, budget);
    this.#fuel.value = this.#granted;
  }

  /** Fuel used since {@link begin}. */
  consumed(): number {
    return this.#fuel ? this.#charged + this.#granted - (this.#fuel.value as number) : 0;
  }

  /** What of the budget is there for others who work for the guest; Infinity if it has no bound. */
  left(): number {
    return Math.max(0, this.#budget - this.consumed());
  }

  /**
   * Counts work that others did for the guest. At the end of its budget it is interrupted; no more is counted then, so
   * that it has all of its grace.
   */
  charge(fuel: number): void {
    const left = Math.max(0, this.#budget - this.consumed());
    this.#charged += Math.min(fuel, left);
    if (fuel < left || this.#exhausted) return;
    this.#exhausted = true;
    this.cell.interruptRunning();
  }

  /** True once more than the budget was used. */
  get exhausted(): boolean {
    return this.#exhausted;
  }

  /**
   * The guest's fuel ran below zero, or its memory has grown: looks at the cell, and hands out the next slice if it is
   * due. At the end of its budget the running execution is interrupted, as by a soft stop, and gets {@link FUEL_GRACE}
   * more.
   *
   * @throws {Aborted} if the execution was told to abort.
   * @throws {OutOfFuel} if that is used up too.
   */
  readonly refill = (): void => {
    if (!this.#fuel) return;
    this.cell.throwIfAborted();
    if ((this.#fuel.value as number) >= 0) return;
    const granted = this.#granted + this.#charged;
    if (granted >= this.#budget && !this.#exhausted) {
      this.#exhausted = true;
      this.cell.interruptRunning();
    }
    const slice = Math.min(SLICE, this.#budget + (this.#exhausted ? FUEL_GRACE : 0) - granted);
    if (slice <= 0) throw new OutOfFuel(this.#budget);
    this.#granted += slice;
    this.cell.fuel += slice;
    this.#fuel.value = (this.#fuel.value as number) + slice;
  };
}
