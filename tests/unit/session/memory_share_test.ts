import assert from "node:assert/strict";
import { DEFAULT_LIMITS } from "../../../src/config/limits.ts";
import { WasmboxError } from "../../../src/errors.ts";
import { memoryBudget } from "../../../src/session/memory_budget.ts";
import { MemoryShare } from "../../../src/session/memory_share.ts";

const HEAP = 64 << 20;
const nothing = () => false;

/** What so many heaps may share. */
const budgetOf = (heaps: number) => memoryBudget({ ...DEFAULT_LIMITS, totalMemoryBytes: heaps * HEAP });

Deno.test("a session takes the most that each of its heaps may grow to, once for each language", () => {
  const budget = budgetOf(3);
  const share = new MemoryShare(budget, HEAP, nothing);
  for (let again = 0; again < 2; again++) {
    share.take("python");
    share.take("javascript");
  }
  assert.deepEqual([budget.fits(HEAP), budget.fits(HEAP + 1)], [true, false]);
});

Deno.test("what does not fit is refused, changes nothing, and may be asked for again", () => {
  const budget = budgetOf(1);
  const other = new MemoryShare(budget, HEAP, nothing);
  other.take("python");
  const share = new MemoryShare(budget, HEAP, nothing);
  assert.throws(
    () => share.take("python"),
    (error: unknown) =>
      error instanceof WasmboxError && error.info.error_code === "OUT_OF_MEMORY" && error.info.retryable,
  );
  other[Symbol.dispose]();
  share.take("python");
  assert.equal(budget.fits(1), false);
});

Deno.test("room is made as often as it helps, and no more is given up than is needed", () => {
  const budget = budgetOf(4);
  const others = Array.from({ length: 4 }, () => new MemoryShare(budget, HEAP, nothing));
  for (const other of others) other.take("python");
  const share = new MemoryShare(budget, 2 * HEAP, () => {
    const other = others.pop();
    other?.[Symbol.dispose]();
    return other !== undefined;
  });
  share.take("python");
  assert.equal(others.length, 2);
  share.take("javascript");
  assert.equal(others.length, 0);
  assert.throws(() => share.take("shell"), WasmboxError, "nobody is left to be given up");
});

Deno.test("heaps that are no longer needed are given back, those that are stay", () => {
  const budget = budgetOf(3);
  const share = new MemoryShare(budget, HEAP, nothing);
  for (const language of ["python", "javascript", "shell"] as const) share.take(language);
  share.keep(new Set(["javascript"]));
  assert.deepEqual([budget.fits(2 * HEAP), budget.fits(2 * HEAP + 1)], [true, false]);
  share.take("python");
  assert.equal(budget.fits(HEAP + 1), false, "it is taken anew");
});

Deno.test("a session that has ended gives everything back, once, and takes nothing any more", () => {
  const budget = budgetOf(2);
  const share = new MemoryShare(budget, HEAP, nothing);
  share.take("python");
  share[Symbol.dispose]();
  share[Symbol.dispose]();
  share.take("javascript");
  assert.deepEqual([budget.fits(2 * HEAP), budget.fits(2 * HEAP + 1)], [true, false]);
});
