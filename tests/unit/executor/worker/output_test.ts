import assert from "node:assert/strict";
import fc from "fast-check";
import { OutputSink } from "../../../../src/executor/worker/output.ts";
import { OutputBuffer } from "../../../../src/session/output_buffer.ts";
import { LineReader } from "../../../../src/transport/line_reader.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

Deno.test("output is sent in chunks of 4 KiB and completed by a flush", () => {
  const chunks: Uint8Array[] = [];
  const sink = new OutputSink(100_000, (bytes) => chunks.push(bytes));
  for (let i = 0; i < 1000; i++) sink.write(encode("0123456789"));
  sink.flush();
  assert.equal(chunks.map(decode).join(""), "0123456789".repeat(1000));
  assert.ok(chunks.length <= 4 && chunks.every((chunk) => chunk.length <= 4096));
});

Deno.test("of output past its bound the last bytes come at the end, and the next execution starts anew", () => {
  const chunks: Uint8Array[] = [];
  const sink = new OutputSink(10, (bytes) => chunks.push(bytes));
  sink.write(encode("12345678"));
  sink.write(encode("9012"));
  sink.write(encode("more"));
  sink.flush();
  assert.equal(chunks.map(decode).join(""), "1234567890", "what runs is followed up to the bound");
  assert.equal(sink.finish(), 1);
  assert.equal(chunks.map(decode).join(""), "12345678902more");
  sink.begin();
  sink.write(encode("next"));
  assert.equal(sink.finish(), 0);
  assert.equal(decode(chunks.at(-1)!), "next");
});

Deno.test("however much is written, and in whatever pieces, first and last bytes arrive and the rest is counted", () => {
  fc.assert(fc.property(fc.array(fc.nat(30), { maxLength: 40 }), fc.nat(40), (sizes, maxBytes) => {
    const buffer = new OutputBuffer(maxBytes);
    const sink = new OutputSink(maxBytes, (bytes) => void buffer.push(bytes));
    let written = "";
    for (const size of sizes) {
      const piece = Array.from({ length: size }, (_, at) => String((written.length + at) % 10)).join("");
      written += piece;
      sink.write(encode(piece));
    }
    const text = buffer.text(sink.finish());
    if (written.length <= maxBytes) return assert.equal(text, written);
    const half = Math.floor(maxBytes / 2);
    const head = written.slice(0, maxBytes - half);
    const mark = `[… ${written.length - maxBytes} bytes left out …]\n`;
    const tail = half === 0 ? "" : written.slice(-half);
    assert.equal(text, `${head}${head === "" ? "" : "\n"}${mark}${tail}`);
  }));
});

Deno.test("a character cut by two chunks is whole for those who follow along", () => {
  const buffer = new OutputBuffer(100);
  const [first, second] = [encode("é").slice(0, 1), encode("é").slice(1)];
  assert.equal(buffer.push(first) + buffer.push(second), "é");
  assert.equal(buffer.text(), "é");
});

Deno.test("bytes that are not UTF-8 become replacement characters, and a cut character is left out", () => {
  const invalid = new OutputBuffer(100);
  invalid.push(new Uint8Array([0x61, 0xff, 0x62]));
  assert.equal(invalid.text(), "a\ufffdb");
  const cut = new OutputBuffer(4);
  cut.push(encode("aébcdé"));
  assert.equal(cut.text(), "a\n[… 5 bytes left out …]\né");
});

Deno.test("what an executor sends beyond the bound is not kept", () => {
  const buffer = new OutputBuffer(5);
  for (let i = 0; i < 1000; i++) buffer.push(encode("abcd"));
  assert.equal(buffer.text(), "abc\n[… 3995 bytes left out …]\ncd");
});

Deno.test("lines are cut wherever the chunks end", () => {
  const text = "one\ntwo\n\nthree\nrest";
  for (const size of [1, 2, 5, text.length]) {
    const reader = new LineReader(100);
    const lines: (Uint8Array | "too long")[] = [];
    for (let at = 0; at < text.length; at += size) {
      lines.push(...reader.push(encode(text.slice(at, at + size))));
    }
    assert.deepEqual(lines.map((line) => line === "too long" ? line : decode(line)), [
      "one",
      "two",
      "",
      "three",
    ]);
  }
});

Deno.test("a line that is too long is reported once, and the next one is read", () => {
  const reader = new LineReader(10);
  const lines = [encode("x".repeat(8)), encode("x".repeat(8)), encode("xx\nnext\n")].flatMap((
    chunk,
  ) => [...reader.push(chunk)]);
  assert.deepEqual(lines.map((line) => line === "too long" ? line : decode(line)), ["too long", "next"]);
});
