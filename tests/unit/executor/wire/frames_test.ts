import assert from "node:assert/strict";
import {
  type Frame,
  FrameDecoder,
  FrameEncoder,
  MAX_FRAME_BYTES,
  MessageAssembler,
  ProtocolViolation,
  SECRET_BYTES,
} from "../../../../src/executor/wire/frames.ts";

const secret = new Uint8Array(SECRET_BYTES).fill(7);

/** Decodes `bytes` as they might arrive: in chunks of `size`. */
function decode(bytes: Uint8Array, size: number, key?: Uint8Array): Frame[] {
  const decoder = new FrameDecoder(key);
  const frames: Frame[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    for (const frame of decoder.push(bytes.slice(at, at + size))) frames.push(frame);
  }
  return frames;
}

Deno.test("a message arrives whole however the pipe cuts its bytes", () => {
  const value = { text: "héllo".repeat(100), n: 1 };
  const bytes = new FrameEncoder(secret).message(3, value);
  for (const size of [1, 7, 64, bytes.length]) {
    const assembler = new MessageAssembler(1 << 20);
    const messages = decode(bytes, size, secret).map((frame) => assembler.push(frame));
    assert.deepEqual(messages, [value]);
  }
});

Deno.test("a long message travels in frames of at most 64 KiB and is put together again", () => {
  const value = "x".repeat(300_000);
  const frames = decode(new FrameEncoder(secret).message(1, value), 50_000, secret);
  assert.ok(frames.length > 4);
  assert.ok(frames.every((frame) => frame.payload.length < MAX_FRAME_BYTES));
  const assembler = new MessageAssembler(1 << 20);
  assert.deepEqual(frames.map((frame) => assembler.push(frame)).filter((message) => message !== undefined), [
    value,
  ]);
});

Deno.test("messages of two channels may interleave", () => {
  const encoder = new FrameEncoder();
  const [a, b] = ["a".repeat(100_000), "b".repeat(100_000)];
  const first = decode(encoder.message(1, a), 1 << 20);
  const second = decode(encoder.message(2, b), 1 << 20);
  const assembler = new MessageAssembler(1 << 20);
  const mixed = first.flatMap((frame, i) => [frame, second[i]!]);
  assert.deepEqual(mixed.map((frame) => assembler.push(frame)).filter((message) => message !== undefined), [
    a,
    b,
  ]);
});

Deno.test("bytes that don't begin with the secret are a protocol violation", () => {
  const forged = new FrameEncoder(new Uint8Array(SECRET_BYTES)).message(1, { type: "outcome" });
  assert.throws(() => decode(forged, forged.length, secret), ProtocolViolation);
  assert.throws(
    () => decode(new TextEncoder().encode("print from a guest\n".repeat(10)), 10, secret),
    ProtocolViolation,
  );
});

Deno.test("a frame that claims to be longer than allowed is refused before its bytes arrive", () => {
  const frame = new FrameEncoder(secret).bytes("stdout", 1, new Uint8Array(10));
  new DataView(frame.buffer).setUint32(SECRET_BYTES, MAX_FRAME_BYTES, true);
  assert.throws(() => decode(frame.subarray(0, SECRET_BYTES + 10), 100, secret), ProtocolViolation);
});

Deno.test("an unknown kind of frame is refused", () => {
  const frame = new FrameEncoder(secret).bytes("stdout", 1, new Uint8Array(10));
  frame[SECRET_BYTES + 4] = 200;
  assert.throws(() => decode(frame, 100, secret), ProtocolViolation);
});

Deno.test("a message that grows past its bound is refused while it grows", () => {
  const frames = decode(new FrameEncoder().message(1, "x".repeat(500_000)), 1 << 20);
  const assembler = new MessageAssembler(100_000);
  assert.throws(() => frames.forEach((frame) => assembler.push(frame)), ProtocolViolation);
});

Deno.test("unfinished messages on very many channels are refused", () => {
  const piece = (channel: number): Frame => ({
    kind: "message",
    channel,
    last: false,
    payload: new Uint8Array(1),
  });
  const assembler = new MessageAssembler(1000, 4);
  assert.throws(
    () => [1, 2, 3, 4, 5].forEach((channel) => assembler.push(piece(channel))),
    ProtocolViolation,
  );
});

Deno.test("a message that is not JSON, or not UTF-8, is refused", () => {
  const assembler = new MessageAssembler(1000);
  const frame = (payload: Uint8Array): Frame => ({ kind: "message", channel: 1, last: true, payload });
  assert.throws(() => assembler.push(frame(new TextEncoder().encode("{"))), ProtocolViolation);
  assert.throws(() => assembler.push(frame(new Uint8Array([0x22, 0xff, 0x22]))), ProtocolViolation);
});
