import assert from "node:assert/strict";
import fc from "fast-check";
import { imageBudget, ImageTooLarge } from "../../../src/checkpoints/image_budget.ts";
import { MemoryStore } from "../../../src/checkpoints/memory_store.ts";
import type { StoredSession } from "../../../src/checkpoints/store.ts";
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

Deno.test("an image is all that was appended, is charged for what it holds, and is never larger than allowed", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(someEntry, { maxLength: 8 }), { maxLength: 12 }),
      fc.integer({ min: 500, max: 4000 }),
      async (captures, maxBytes) => {
        const budget = imageBudget({ ...DEFAULT_LIMITS, checkpointsMaxBytes: 2 * maxBytes });
        await using store = new MemoryStore(budget);
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
          assert.equal((await place.read())?.change, index + 1);
          assert.throws(() => budget.take(2 * maxBytes - size() + 1), ImageTooLarge);
        }
        await place.delete();
        assert.equal(await held(place), undefined);
        budget.take(2 * maxBytes); // all was given back
      },
    ),
    { numRuns: 200 },
  );
});

Deno.test("two sessions share the budget and nothing else", async () => {
  await using store = new MemoryStore(imageBudget({ ...DEFAULT_LIMITS, checkpointsMaxBytes: 10_000 }));
  const [mine, other] = [store.session(KEY, 8000), store.session({ ...KEY, sessionId: "t" }, 8000)];
  await mine.append({ change: 1, bases, entries: [entry(1, new Uint8Array(6000))] });
  await assert.rejects(
    other.append({ change: 1, bases, entries: [entry(1, new Uint8Array(6000))] }),
    ImageTooLarge,
  );
  assert.equal(await held(other), undefined);
  assert.equal((await held(mine))?.length, 1);
  await mine.delete();
  await other.append({ change: 2, bases, entries: [entry(1, new Uint8Array(6000))] });
});

Deno.test("entries without bytes are charged for what holding them costs", async () => {
  await using store = new MemoryStore(imageBudget({ ...DEFAULT_LIMITS, checkpointsMaxBytes: 100 * MIB }));
  const place = store.session(KEY, MIB);
  const entries = Array.from({ length: 10_000 }, (_, a) => entry(a, new Uint8Array(0)));
  await assert.rejects(place.append({ change: 1, bases, entries }), ImageTooLarge);
});

Deno.test("a large capture gives way to others while it is merged", async () => {
  await using store = new MemoryStore(imageBudget({ ...DEFAULT_LIMITS, checkpointsMaxBytes: 1000 * MIB }));
  const place = store.session(KEY, 1000 * MIB);
  const entries = Array.from({ length: 20_000 }, (_, a) => entry(a, new Uint8Array(0)));
  let turns = 0;
  const others = setInterval(() => turns++, 0);
  await place.append({ change: 1, bases, entries });
  clearInterval(others);
  assert.ok(turns >= 3, `${turns} turns`);
  assert.equal((await held(place))?.length, 20_000);
});
