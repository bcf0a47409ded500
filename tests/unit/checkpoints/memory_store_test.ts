/** The budget that the images in memory share. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { imageBudget, ImageTooLarge } from "../../../src/checkpoints/image_budget.ts";
import { MemoryStore } from "../../../src/checkpoints/memory_store.ts";
import { DEFAULT_LIMITS } from "../../../src/config/limits.ts";
import { entryBytes, type ImageEntry } from "../../../src/executor/wire/entry.ts";

const KEY = { principal: "p", sessionId: "s" };
const bases = { python: "1" };

const entry = (a: number, length: number | null): ImageEntry => ({
  section: 1,
  a,
  b: 0,
  bytes: length === null ? null : new Uint8Array(length),
});

Deno.test("an image is charged for what it holds, and everything is given back", async () => {
  const change = fc.tuple(fc.nat(3), fc.option(fc.nat(60), { freq: 3 }));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(change, { maxLength: 8 }), { maxLength: 12 }), async (captures) => {
      const maxBytes = 1000;
      const budget = imageBudget({ ...DEFAULT_LIMITS, checkpointsMaxBytes: 2 * maxBytes });
      await using store = new MemoryStore(budget);
      const place = store.session(KEY, maxBytes);
      const sizes = new Map<number, number>();
      for (const [index, changes] of captures.entries()) {
        for (const [a, length] of changes) {
          if (length === null) sizes.delete(a);
          else sizes.set(a, entryBytes(length));
        }
        const entries = changes.map(([a, length]) => entry(a, length));
        await place.append({ change: index + 1, bases, entries }).catch((error) => {
          assert.ok(error instanceof ImageTooLarge, String(error));
          sizes.clear();
        });
        const left = 2 * maxBytes - [...sizes.values()].reduce((sum, size) => sum + size, 0);
        assert.ok(budget.fits(left) && !budget.fits(left + 1));
      }
      await place.delete();
      assert.ok(budget.fits(2 * maxBytes));
    }),
    { numRuns: 200 },
  );
});

Deno.test("two sessions share the budget", async () => {
  await using store = new MemoryStore(imageBudget({ ...DEFAULT_LIMITS, checkpointsMaxBytes: 10_000 }));
  const [mine, other] = [store.session(KEY, 8000), store.session({ ...KEY, sessionId: "t" }, 8000)];
  await mine.append({ change: 1, bases, entries: [entry(1, 6000)] });
  await assert.rejects(other.append({ change: 1, bases, entries: [entry(1, 6000)] }), ImageTooLarge);
  assert.equal(await other.read(), undefined);
  assert.ok(await mine.read());
  await mine.delete();
  await other.append({ change: 2, bases, entries: [entry(1, 6000)] });
});
