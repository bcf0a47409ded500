import assert from "node:assert/strict";
import fc from "fast-check";
import { OutputBuffer } from "../../../src/session/output_buffer.ts";
import { runs } from "../../fuzz/runs.ts";

const encode = (text: string) => new TextEncoder().encode(text);

Deno.test("output ends at its bound in bytes, however it comes", () => {
  const buffer = new OutputBuffer(5);
  assert.deepEqual([buffer.push(encode("abc")), buffer.push(encode("defg")), buffer.push(encode("h"))], [
    "abc",
    "de",
    "",
  ]);
  assert.equal(buffer.text(true), "abcde");
});

Deno.test("a character that the bound cuts in two is left out where the text is said to be cut", () => {
  const buffer = new OutputBuffer(4);
  assert.equal(buffer.push(encode("abcé")), "abc");
  assert.equal(buffer.text(true), "abc");
  assert.equal(buffer.text(false), "abc\ufffd", "where nothing was cut, the program wrote half a character");
});

Deno.test("bytes that are no UTF-8 are shown as such and spoil nothing else", () => {
  const buffer = new OutputBuffer(100);
  buffer.push(new Uint8Array([0x61, 0xff, 0xc3, 0x62]));
  assert.equal(buffer.text(false), "a\ufffd\ufffdb");
});

Deno.test("what is taken is kept, whatever becomes of where it was", () => {
  const buffer = new OutputBuffer(100);
  const bytes = encode("kept");
  buffer.push(bytes);
  bytes.fill(0);
  assert.equal(buffer.text(false), "kept");
});

Deno.test("who follows along hears the same text as who waits for all, wherever it is cut", () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 12 }), { maxLength: 20 });
  const cutText = fc.tuple(fc.string({ unit: "grapheme", maxLength: 40 }), fc.array(fc.nat(100))).map(
    ([text, ends]) => {
      const all = encode(text);
      const at = [0, ...ends.map((end) => Math.min(end, all.length)).sort((a, b) => a - b), all.length];
      return at.slice(1).map((end, index) => all.slice(at[index], end));
    },
  );
  fc.assert(
    fc.property(fc.oneof(pieces, cutText), fc.nat({ max: 60 }), (pieces, maxBytes) => {
      const buffer = new OutputBuffer(maxBytes);
      const heard = pieces.map((piece) => buffer.push(piece)).join("");
      assert.equal(buffer.text(true), heard);
      assert.ok(buffer.text(false).startsWith(heard));
      const total = pieces.reduce((sum, { length }) => sum + length, 0);
      const all = new Uint8Array(pieces.flatMap((piece) => [...piece])).subarray(0, maxBytes);
      assert.equal(
        buffer.text(total > maxBytes),
        new TextDecoder().decode(all, { stream: total > maxBytes }),
      );
    }),
    runs(500),
  );
});
