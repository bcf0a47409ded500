import assert from "node:assert/strict";
import fc from "fast-check";
import { OutputBuffer } from "../../../src/session/output_buffer.ts";
import { runs } from "../../fuzz/runs.ts";

const encode = (text: string) => new TextEncoder().encode(text);

Deno.test("who follows along hears output up to its bound, and who waits gets its first and last half", () => {
  const buffer = new OutputBuffer(6);
  assert.deepEqual([buffer.push(encode("abc")), buffer.push(encode("defgh")), buffer.push(encode("i"))], [
    "abc",
    "def",
    "",
  ]);
  assert.equal(buffer.text(), "abc\n[… 3 bytes left out …]\nghi");
  assert.equal(buffer.text(100), "abc\n[… 103 bytes left out …]\nghi", "with what never came");
});

Deno.test("what is left out begins and ends between lines where these are short", () => {
  const buffer = new OutputBuffer(1000);
  for (let line = 100; line < 600; line++) buffer.push(encode(`line ${line}\n`));
  assert.match(buffer.text(), /line 154\n\[… 3510 bytes left out …\]\nline 545\n/);
});

Deno.test("a character that is cut in two is left out", () => {
  const buffer = new OutputBuffer(4);
  assert.equal(buffer.push(encode("aéb")), "aéb");
  assert.equal(buffer.text(), "aéb");
  buffer.push(encode("cé😀"));
  assert.equal(buffer.text(), "a\n[… 10 bytes left out …]\n");
  const half = new OutputBuffer(4);
  half.push(encode("abcé").subarray(0, 4));
  assert.equal(half.text(), "abc\ufffd", "where nothing was cut, the program wrote half a character");
});

Deno.test("bytes that are no UTF-8 are shown as such and spoil nothing else", () => {
  const buffer = new OutputBuffer(100);
  buffer.push(new Uint8Array([0x61, 0xff, 0xc3, 0x62]));
  assert.equal(buffer.text(), "a\ufffd\ufffdb");
});

Deno.test("what is taken is kept, whatever becomes of where it was", () => {
  const buffer = new OutputBuffer(100);
  const bytes = encode("kept");
  buffer.push(bytes);
  bytes.fill(0);
  assert.equal(buffer.text(), "kept");
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
      const all = new Uint8Array(pieces.flatMap((piece) => [...piece]));
      const within = all.subarray(0, maxBytes);
      assert.equal(heard, new TextDecoder().decode(within, { stream: true }));
      if (all.length <= maxBytes) assert.equal(buffer.text(), new TextDecoder().decode(all));
      else assert.match(buffer.text(), /\[… \d+ bytes left out …\]\n/);
    }),
    runs(500),
  );
});
