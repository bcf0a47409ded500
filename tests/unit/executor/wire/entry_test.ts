import { deepEqual, equal, ok, throws } from "node:assert/strict";
import fc from "fast-check";
import { runs } from "../../../fuzz/runs.ts";
import {
  decodeEntries,
  encodeEntries,
  ENTRY_HEADER_BYTES,
  ENTRY_MAX_BYTES,
  entryKey,
  type ImageEntry,
} from "../../../../src/executor/wire/entry.ts";
import { ImageError } from "../../../../src/executor/wire/image_error.ts";

const entries: ImageEntry[] = [
  { section: 1, a: 0, b: 0, bytes: new Uint8Array([1, 2, 3]) },
  { section: 255, a: 2 ** 53 - 1, b: 2 ** 32 - 1, bytes: new Uint8Array(0) },
  { section: 7, a: 2 ** 32, b: 5, bytes: null },
  { section: 2, a: 2 ** 32 - 1, b: 6, bytes: new Uint8Array(ENTRY_MAX_BYTES).fill(9) },
];

Deno.test("entries come back as they were, in batches of about the size asked for", () => {
  for (const size of [1, 100, 70_000, Infinity]) {
    const batches = [...encodeEntries(entries, size)];
    deepEqual(batches.flatMap(decodeEntries), entries);
    ok(batches.every((batch) => batch.length <= Math.max(size, ENTRY_HEADER_BYTES + ENTRY_MAX_BYTES)));
  }
  deepEqual([...encodeEntries([], 100)], []);
  deepEqual(decodeEntries(new Uint8Array(0)), []);
});

Deno.test("no two keys share a text", () => {
  const keys = entries.map(entryKey);
  equal(new Set(keys).size, keys.length);
});

Deno.test("bytes are copied when their batch is asked for, not before", () => {
  const bytes = new Uint8Array([1]);
  const batches = encodeEntries([{ section: 1, a: 0, b: 0, bytes }, { section: 1, a: 1, b: 0, bytes }], 1);
  const [first] = decodeEntries(batches.next().value!);
  bytes[0] = 2;
  const [second] = decodeEntries(batches.next().value!);
  deepEqual([first?.bytes?.[0], second?.bytes?.[0]], [1, 2]);
});

Deno.test("an entry that is too long, or has no section, is not encoded", () => {
  const encode = (entry: Partial<ImageEntry>) => [
    ...encodeEntries([{ section: 1, a: 0, b: 0, bytes: null, ...entry }], 100),
  ];
  throws(() => encode({ bytes: new Uint8Array(ENTRY_MAX_BYTES + 1) }), ImageError);
  throws(() => encode({ section: 0 }), ImageError);
  throws(() => encode({ section: 256 }), ImageError);
});

Deno.test("every cut of a batch is refused, except between entries", () => {
  const [batch] = encodeEntries(entries.slice(0, 3), Infinity);
  const ends = [0, 23, 43, 63];
  for (let length = 0; length <= batch!.length; length++) {
    const cut = batch!.subarray(0, length);
    if (ends.includes(length)) equal(decodeEntries(cut).length, ends.indexOf(length));
    else throws(() => decodeEntries(cut), ImageError, `${length} bytes`);
  }
});

Deno.test("a damaged header is refused or is another entry within bounds; nothing else is thrown", () => {
  const [batch] = encodeEntries(entries.slice(0, 3), Infinity);
  fc.assert(
    fc.property(fc.nat(batch!.length - 1), fc.nat(255), (at, value) => {
      const damaged = batch!.slice();
      damaged[at] = value;
      let decoded: ImageEntry[] = [];
      try {
        decoded = decodeEntries(damaged);
      } catch (error) {
        ok(error instanceof ImageError);
      }
      for (const { a, b, bytes } of decoded) {
        ok(Number.isSafeInteger(a) && b < 2 ** 32 && (bytes?.length ?? 0) <= ENTRY_MAX_BYTES);
      }
    }),
    runs(100),
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      try {
        decodeEntries(bytes);
      } catch (error) {
        ok(error instanceof ImageError);
      }
    }),
    runs(100),
  );
});
