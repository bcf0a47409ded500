/** What every store has to do. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { imageBudget, ImageTooLarge } from "../../../src/checkpoints/image_budget.ts";
import { MemoryStore } from "../../../src/checkpoints/memory_store.ts";
import type { CheckpointStore, StoredSession } from "../../../src/checkpoints/store.ts";
import { DEFAULT_LIMITS } from "../../../src/config/limits.ts";
import { decodeEntries, entryBytes, entryKey, type ImageEntry } from "../../../src/executor/wire/entry.ts";

const MIB = 2 ** 20;
const KEY = { principal: "p", sessionId: "s" };
const bases = { python: "1" };

/** What a store holds of a session: key and bytes of each entry, in order. */
async function held(place: StoredSession): Promise<string[] | undefined> {
  const image = await place.read();
  if (!image) return undefined;
  const entries: ImageEntry[] = [];
  for await (const batch of image.batches()) entries.push(...decodeEntries(batch));
  return shown(entries);
}

function shown(entries: Iterable<ImageEntry>): string[] {
  return [...entries].map((entry) => `${entryKey(entry)}=${entry.bytes}`).sort();
}

const entry = (a: number, bytes: Uint8Array | null): ImageEntry => ({ section: 1, a, b: 0, bytes });

/** Few keys, so that later entries replace earlier ones. */
const someEntry: fc.Arbitrary<ImageEntry> = fc.record({
  section: fc.integer({ min: 1, max: 2 }),
  a: fc.nat(3),
  b: fc.nat(1),
  bytes: fc.option(fc.uint8Array({ maxLength: 60 }), { freq: 3 }),
});

const STORES: Readonly<Record<string, () => CheckpointStore>> = {
  memory: () => new MemoryStore(imageBudget({ ...DEFAULT_LIMITS, checkpointsMaxBytes: 1000 * MIB })),
};

for (const [name, makeStore] of Object.entries(STORES)) {
  Deno.test(`[${name}] an image is all that was appended, and is never larger than allowed`, async () => {
    await using store = makeStore();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(someEntry, { maxLength: 8 }), { maxLength: 12 }),
        fc.integer({ min: 500, max: 4000 }),
        async (captures, maxBytes) => {
          const place = store.session(KEY, maxBytes);
          const model = new Map<string, ImageEntry>();
          const size = () =>
            [...model.values()].reduce((sum, { bytes }) => sum + entryBytes(bytes?.length ?? 0), 0);
          assert.equal(await held(place), undefined);
          for (const [index, entries] of captures.entries()) {
            for (const each of entries) {
              if (each.bytes === null) model.delete(entryKey(each));
              else model.set(entryKey(each), each);
            }
            try {
              await place.append({ change: index + 1, bases, entries });
            } catch (error) {
              assert.ok(error instanceof ImageTooLarge, String(error));
              assert.ok(size() > maxBytes);
              model.clear();
              assert.equal(await held(place), undefined);
              continue;
            }
            assert.ok(size() <= maxBytes);
            assert.deepEqual(await held(place), shown(model.values()));
            const { change, bases: stored } = (await place.read())!;
            assert.deepEqual([change, stored], [index + 1, bases]);
          }
          await place.delete();
          assert.equal(await held(place), undefined);
        },
      ),
      { numRuns: 200 },
    );
  });

  Deno.test(`[${name}] sessions share nothing, be their names what they may`, async () => {
    await using store = makeStore();
    const keys = [
      KEY,
      { ...KEY, principal: "q" },
      { ...KEY, sessionId: "S" },
      { principal: "p/s", sessionId: ".." },
      { principal: "p".repeat(5000), sessionId: "s" },
    ];
    const places = keys.map((key) => store.session(key, MIB));
    for (const [a, place] of places.entries()) {
      await place.append({ change: 1, bases, entries: [entry(a, new Uint8Array(10))] });
    }
    await places[0]!.delete();
    for (const [a, place] of places.entries()) {
      const own = a === 0 ? undefined : shown([entry(a, new Uint8Array(10))]);
      assert.deepEqual(await held(place), own);
    }
  });

  Deno.test(`[${name}] a session has nothing to do with an earlier one of its name that still ends`, async () => {
    await using store = makeStore();
    const [earlier, later] = [store.session(KEY, MIB), store.session(KEY, MIB)];
    await earlier.append({ change: 1, bases, entries: [entry(1, new Uint8Array(10))] });
    assert.equal(await held(later), undefined);
    await later.append({ change: 1, bases, entries: [entry(2, new Uint8Array(10))] });
    await earlier.delete();
    assert.deepEqual(await held(later), shown([entry(2, new Uint8Array(10))]));
  });

  Deno.test(`[${name}] entries without bytes are charged for what holding them costs`, async () => {
    await using store = makeStore();
    const place = store.session(KEY, MIB);
    const entries = Array.from({ length: 10_000 }, (_, a) => entry(a, new Uint8Array(0)));
    await assert.rejects(place.append({ change: 1, bases, entries }), ImageTooLarge);
  });

  Deno.test(`[${name}] a large capture gives way to others while it is merged`, async () => {
    await using store = makeStore();
    const place = store.session(KEY, 1000 * MIB);
    const entries = Array.from({ length: 20_000 }, (_, a) => entry(a, new Uint8Array(0)));
    let turns = 0;
    const others = setInterval(() => turns++, 0);
    await place.append({ change: 1, bases, entries });
    clearInterval(others);
    assert.ok(turns >= 3, `${turns} turns`);
    assert.equal((await held(place))?.length, 20_000);
  });
}
