import assert from "node:assert/strict";
import fc from "fast-check";
import {
  decodeEntries,
  encodeEntries,
  ENTRY_HEADER_BYTES,
  ENTRY_MAX_BYTES,
  type ImageEntry,
} from "../../src/executor/wire/entry.ts";
import { ImageError } from "../../src/executor/wire/image_error.ts";
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
