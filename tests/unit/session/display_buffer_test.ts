import assert from "node:assert/strict";
import type { DisplayEntryMessage } from "../../../src/executor/wire/from_executor.ts";
import { DisplayBuffer } from "../../../src/session/display_buffer.ts";
import { NO_DISPLAYS } from "../../../src/session/outcome.ts";

function entry(size: number, path: string | null = null): DisplayEntryMessage {
  return { mimeType: "text/plain", source: "display", size, pixels: null, path, note: null };
}

const bytes = (...values: number[]) => new Uint8Array(values);

Deno.test("each thing that is shown gets its bytes, in order, wherever the pieces were cut", () => {
  const buffer = new DisplayBuffer(100, 10);
  buffer.push(bytes(1, 2, 3, 4));
  buffer.push(bytes(5));
  buffer.push(bytes(6));
  const { entries, dropped } = buffer.take({
    entries: [entry(1), entry(9, "saved.png"), entry(5)],
    dropped: 2,
  });
  assert.deepEqual(entries.map(({ bytes }) => bytes), [bytes(1), null, bytes(2, 3, 4, 5, 6)]);
  assert.deepEqual([entries[1]?.path, dropped], ["saved.png", 2]);
});

Deno.test("nothing is shown where sizes and bytes don't agree", () => {
  for (const sizes of [[1], [3], [2, 1], []]) {
    const buffer = new DisplayBuffer(100, 10);
    buffer.push(bytes(1, 2));
    assert.equal(buffer.take({ entries: sizes.map((size) => entry(size)), dropped: 0 }), NO_DISPLAYS);
  }
});

Deno.test("nothing is shown, and nothing kept, beyond the bound of bytes", () => {
  const buffer = new DisplayBuffer(3, 10);
  buffer.push(bytes(1, 2));
  for (let piece = 0; piece < 10; piece++) buffer.push(new Uint8Array(1_000_000));
  assert.equal(buffer.take({ entries: [entry(2), entry(10_000_000)], dropped: 0 }), NO_DISPLAYS);
  assert.deepEqual(buffer.take({ entries: [entry(2)], dropped: 0 }).entries.map(({ bytes }) => bytes), [
    bytes(1, 2),
  ]);
});

Deno.test("nothing is shown of more things than may be shown", () => {
  const many = (count: number) => {
    const buffer = new DisplayBuffer(100, 2);
    buffer.push(new Uint8Array(count));
    return buffer.take({ entries: Array.from({ length: count }, () => entry(1)), dropped: 0 });
  };
  assert.equal(many(2).entries.length, 2);
  assert.equal(many(3), NO_DISPLAYS);
});
