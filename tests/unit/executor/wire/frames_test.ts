import assert from "node:assert/strict";
import {
  type Frame,
  FrameDecoder,
  FrameEncoder,
  MAX_FRAME_BYTES,
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

Deno.test("batches that are encoded together are the frames that each of them has by itself", () => {
  const encoder = new FrameEncoder(secret);
  const batches = [0, 1, 60_000, 70_000, 3].map((length, index) => new Uint8Array(length).fill(index));
  const together = encoder.all("image", 5, batches);
  assert.deepEqual(
    together,
    new Uint8Array(batches.flatMap((batch) => [...encoder.bytes("image", 5, batch)])),
  );
  const lasts = decode(together, 1000, secret).filter(({ last }) => last);
  assert.equal(lasts.length, batches.length);
});
