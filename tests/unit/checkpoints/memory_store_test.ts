/** The budget that the images in memory share. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { imageBudget, ImageTooLarge } from "../../../src/checkpoints/image_budget.ts";
import { MemoryStore } from "../../../src/checkpoints/memory_store.ts";
import { DEFAULT_LIMITS } from "../../../src/config/limits.ts";
import { entryBytes } from "../../../src/executor/wire/entry.ts";
import { BASES, entry, held, KEY, openHistory, shown } from "./histories.ts";

function memory(checkpointsMaxBytes: number) {
  const budget = imageBudget({ ...DEFAULT_LIMITS, checkpointsMaxBytes });
  return { budget, store: new MemoryStore(budget) };
}

Deno.test("an image is kept as long as it fits into the budget, and everything is given back", async () => {
  const change = fc.tuple(fc.nat(3), fc.option(fc.nat(60), { freq: 3 }));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(change, { maxLength: 8 }), { maxLength: 12 }), async (captures) => {
      const maxBytes = 1000;
      const { budget, store } = memory(maxBytes);
      const history = await openHistory(store, { maxBytes, budget });
      const sizes = new Map<number, number>();
      for (const changes of captures) {
        for (const [a, length] of changes) {
          if (length === null) sizes.delete(a);
          else sizes.set(a, entryBytes(length));
        }
        const size = [...sizes.values()].reduce((sum, size) => sum + size, 0);
        await history.append(BASES, changes.map(([a, length]) => entry(a, length))).catch(async (error) => {
          assert.ok(error instanceof ImageTooLarge, String(error));
          assert.ok(size > maxBytes, "there was room for it without its history");
          sizes.clear();
          await history.clear();
        });
        assert.ok(!budget.fits(maxBytes + 1));
      }
      await history.delete();
      assert.ok(budget.fits(maxBytes));
    }),
    { numRuns: 300 },
  );
});

Deno.test("two sessions share the budget", async () => {
  const { budget, store } = memory(10_000);
  const [mine, other] = [
    await openHistory(store, { budget }),
    await openHistory(store, { budget, key: { ...KEY, sessionId: "t" } }),
  ];
  await mine.append(BASES, [entry(1, 6000)]);
  await assert.rejects(other.append(BASES, [entry(1, 6000)]), ImageTooLarge);
  await other.clear();
  assert.equal(await held(other), undefined);
  assert.ok(await held(mine));
  await mine.delete();
  await other.append(BASES, [entry(1, 6000)]);
});

Deno.test("a fork takes nothing of the budget until it differs, and keeps what its origin gives up", async () => {
  const { budget, store } = memory(10_000);
  const origin = await openHistory(store, { budget });
  await origin.append(BASES, [entry(1, 6000)]);
  const forks = [];
  for (const sessionId of ["a", "b", "c"]) {
    const fork = await origin.fork({ ...origin.options, key: { ...KEY, sessionId } });
    forks.push(fork!);
  }
  assert.ok(budget.fits(3000));
  await forks[0]!.append(BASES, [entry(2, 1000)]);
  await origin.delete();
  assert.deepEqual(await held(forks[1]!), shown([entry(1, 6000)]));
  for (const fork of forks) await fork.delete();
  assert.ok(budget.fits(10_000));
});
