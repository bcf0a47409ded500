import assert from "node:assert/strict";
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

Deno.test("output past its bound is dropped and said so, and the next execution starts anew", () => {
  const chunks: Uint8Array[] = [];
  const sink = new OutputSink(10, (bytes) => chunks.push(bytes));
  sink.write(encode("12345678"));
  assert.equal(sink.truncated, false);
  sink.write(encode("9012"));
  sink.write(encode("more"));
  sink.flush();
  assert.equal(chunks.map(decode).join(""), "1234567890");
  assert.equal(sink.truncated, true);
  sink.begin();
  sink.write(encode("next"));
  sink.flush();
  assert.equal(sink.truncated, false);
  assert.equal(decode(chunks.at(-1)!), "next");
});

Deno.test("a character cut by two chunks is whole for those who follow along", () => {
  const buffer = new OutputBuffer(100);
  const [first, second] = [encode("é").slice(0, 1), encode("é").slice(1)];
  assert.equal(buffer.push(first) + buffer.push(second), "é");
  assert.equal(buffer.text(false), "é");
});

Deno.test("bytes that are not UTF-8 become replacement characters, and a cut character is left out", () => {
  const invalid = new OutputBuffer(100);
  invalid.push(new Uint8Array([0x61, 0xff, 0x62]));
  assert.equal(invalid.text(false), "a\ufffdb");
  const cut = new OutputBuffer(2);
  cut.push(encode("aé"));
  assert.equal(cut.text(true), "a");
});

Deno.test("what an executor sends beyond the bound is not kept", () => {
  const buffer = new OutputBuffer(5);
  for (let i = 0; i < 1000; i++) buffer.push(encode("abcd"));
  assert.equal(buffer.text(false), "abcda");
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
