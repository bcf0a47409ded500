import { equal, notEqual } from "node:assert/strict";
import { holdingThemselves } from "../../../src/checkpoints/image_entries.ts";
import { decodeEntries, encodeEntries, Section } from "../../../src/executor/wire/entry.ts";

Deno.test("an entry that outlives its batch holds its own bytes alone", () => {
  const entries = [1, 2, 3].map((a) => ({
    section: Section.pythonPage,
    a,
    b: 0,
    bytes: new Uint8Array(1000 * a).fill(a),
  }));
  const [batch] = encodeEntries(entries, 1 << 20);
  const arrived = decodeEntries(batch!);
  notEqual(arrived[0]!.bytes!.buffer.byteLength, 1000, "entries of a batch are parts of it");
  const deleted = { section: Section.pythonPage, a: 4, b: 0, bytes: null };
  const kept = holdingThemselves([arrived[0]!, arrived[2]!, deleted]);
  equal(kept[0]!.bytes!.buffer.byteLength, 1000);
  equal(kept[1]!.bytes!.buffer.byteLength, 3000);
  equal(kept[1]!.bytes!.every((byte) => byte === 3), true);
  equal(kept[1]!.a, 3);
  equal(kept[2]!.bytes, null);
});
