import assert from "node:assert/strict";
import fc from "fast-check";
import { Budget } from "../../src/budget.ts";
import { runs } from "../fuzz/runs.ts";

class TooMuch extends Error {
  constructor(readonly max: number) {
    super();
  }
}

const budgetOf = (max: number | null) => new Budget(() => max, (max) => new TooMuch(max));

Deno.test("a budget is taken to its last byte, and what does not fit is refused and takes nothing", () => {
  const budget = budgetOf(10);
  budget.take(7);
  assert.deepEqual([budget.fits(3), budget.fits(4)], [true, false]);
  assert.throws(() => budget.take(4), (error: unknown) => error instanceof TooMuch && error.max === 10);
  budget.take(3);
  assert.throws(() => budget.take(1), TooMuch);
  budget.take(0);
});

Deno.test("what is given back can be taken again", () => {
  const budget = budgetOf(10);
  budget.take(10);
  budget.take(-4);
  budget.take(4);
  assert.equal(budget.fits(1), false);
});

Deno.test("without a bound everything fits", () => {
  const budget = budgetOf(null);
  budget.take(2 ** 52);
  assert.equal(budget.fits(2 ** 52), true);
});

Deno.test("a bound that is lowered takes nothing back, and lets nothing more be taken until enough is given back", () => {
  let max = 10;
  const budget = new Budget(() => max, (max) => new TooMuch(max));
  budget.take(8);
  max = 5;
  assert.throws(() => budget.take(1), (error: unknown) => error instanceof TooMuch && error.max === 5);
  budget.take(-4);
  budget.take(1);
  assert.equal(budget.fits(1), false);
});

Deno.test("whatever is taken and given back, no more is out than there is, and all that fits is given", () => {
  fc.assert(
    fc.property(fc.nat(100), fc.array(fc.integer({ min: -60, max: 60 }), { maxLength: 40 }), (max, steps) => {
      const budget = budgetOf(max);
      let out = 0;
      for (const step of steps) {
        const bytes = Math.max(step, -out); // nobody gives back what was not taken
        const fits = bytes <= 0 || out + bytes <= max;
        if (fits) budget.take(bytes);
        else assert.throws(() => budget.take(bytes), TooMuch);
        out += fits ? bytes : 0;
        assert.deepEqual([budget.fits(max - out), budget.fits(max - out + 1)], [true, false]);
      }
    }),
    runs(200),
  );
});
