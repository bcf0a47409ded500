import assert from "node:assert/strict";
import fc from "fast-check";
import {
  decodeEntries,
  encodeEntries,
  ENTRY_HEADER_BYTES,
  ENTRY_MAX_BYTES,
  entryKey,
  type ImageEntry,
} from "../../src/image/entry.ts";
import { DEFAULT_LIMITS } from "../../src/config/limits.ts";
import { ImageError } from "../../src/image/image_error.ts";
import { imageBudget, ImageTooLarge } from "../../src/session/budget.ts";
import { StoredImage } from "../../src/session/stored_image.ts";
import { runs } from "./runs.ts";

const entry: fc.Arbitrary<ImageEntry> = fc.record({
  section: fc.integer({ min: 1, max: 255 }),
  a: fc.oneof(fc.nat(4), fc.maxSafeNat()),
  b: fc.oneof(fc.nat(4), fc.integer({ min: 0, max: 2 ** 32 - 1 })),
  bytes: fc.option(
    fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc.constantFrom(4096, ENTRY_MAX_BYTES).map((size) => new Uint8Array(size).fill(3)),
    ),
    { freq: 4 },
  ),
});
/** Few keys, so that later entries replace earlier ones. */
const smallEntry: fc.Arbitrary<ImageEntry> = fc.record({
  section: fc.integer({ min: 1, max: 2 }),
  a: fc.nat(3),
  b: fc.nat(1),
  bytes: fc.option(fc.uint8Array({ maxLength: 60 }), { freq: 3 }),
});

function plain(entries: readonly ImageEntry[]) {
  return entries.map(({ section, a, b, bytes }) => [section, a, b, bytes && [...bytes]]);
}

Deno.test("entries are the same after encoding and decoding, in batches of any size", () => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 12 }), fc.integer({ min: 1, max: 200_000 }), (entries, size) => {
      const batches = [...encodeEntries(entries, size)];
      assert.deepEqual(plain(batches.flatMap((batch) => decodeEntries(batch))), plain(entries));
      for (const batch of batches) {
        assert.ok(batch.length <= Math.max(size, ENTRY_HEADER_BYTES + ENTRY_MAX_BYTES));
      }
    }),
    runs(100),
  );
});

Deno.test("any bytes are entries within their bounds or an ImageError", () => {
  const damaged = fc.tuple(
    fc.array(smallEntry, { maxLength: 5 }),
    fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }),
    fc.nat(),
  )
    .map(([entries, changes, cut]) => {
      const [bytes = new Uint8Array(0)] = encodeEntries(entries, Infinity);
      for (const [at, byte] of changes) if (bytes.length > 0) bytes[at % bytes.length] = byte;
      return cut % 3 === 0 ? bytes.subarray(0, cut % (bytes.length + 1)) : bytes;
    });
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 100 }), damaged), (bytes) => {
      let entries: ImageEntry[];
      try {
        entries = decodeEntries(bytes);
      } catch (error) {
        assert.ok(error instanceof ImageError, String(error));
        return;
      }
      assert.ok(
        entries.reduce((sum, it) => sum + ENTRY_HEADER_BYTES + (it.bytes?.length ?? 0), 0) === bytes.length,
      );
      for (const { section, a } of entries) assert.ok(section > 0 && Number.isSafeInteger(a));
      const [again = new Uint8Array(0)] = encodeEntries(entries, Infinity);
      assert.deepEqual([...again], [...bytes]); // one set of entries has one encoding
    }),
    runs(2000),
  );
});

Deno.test("a stored image is what was committed, is charged for it, and is never larger than allowed", () => {
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.array(smallEntry, { maxLength: 6 }).map((entries) => ({
        kind: "receive" as const,
        entries,
      })),
    },
    { weight: 3, arbitrary: fc.constant({ kind: "commit" as const }) },
    { weight: 1, arbitrary: fc.constant({ kind: "drop" as const }) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.integer({ min: 200, max: 1500 }), (steps, maxBytes) => {
      const budget = imageBudget({ ...DEFAULT_LIMITS, checkpointsMaxBytes: 2 * maxBytes }, () => Infinity);
      const image = new StoredImage(maxBytes, budget);
      const committed = new Map<string, ImageEntry>();
      let pending: ImageEntry[] = [];
      let number = 0;
      const size = (entries: Iterable<ImageEntry>) =>
        [...entries].reduce((sum, { bytes }) => sum + ENTRY_HEADER_BYTES + (bytes?.length ?? 0), 0);
      for (const step of steps) {
        try {
          if (step.kind === "receive") {
            for (const batch of encodeEntries(step.entries, Infinity)) {
              pending.push(...step.entries);
              image.receive(batch);
              batch.fill(0); // it keeps no views
            }
          } else if (step.kind === "drop") {
            image.dropPending();
            pending = [];
          } else {
            for (const entry of pending) {
              if (entry.bytes === null) committed.delete(entryKey(entry));
              else committed.set(entryKey(entry), entry);
            }
            pending = [];
            image.commit(++number);
          }
        } catch (error) {
          assert.ok(error instanceof ImageTooLarge, String(error));
          assert.ok(size(committed.values()) > maxBytes || size(pending) > maxBytes);
          break;
        }
        assert.ok(size(pending) <= maxBytes);
        assert.equal(image.bytes, size(committed.values()));
        assert.equal(image.checkpoint, number === 0 ? undefined : number);
        const held = [...image.batches()].flatMap((batch) => decodeEntries(batch));
        const sorted = (entries: Iterable<ImageEntry>) => plain([...entries]).map(String).sort();
        assert.deepEqual(sorted(held), sorted(committed.values()));
        assert.throws(() => budget.take(2 * maxBytes - image.bytes + 1), ImageTooLarge);
      }
      image[Symbol.dispose]();
      budget.take(2 * maxBytes); // all was given back
    }),
    runs(300),
  );
});
