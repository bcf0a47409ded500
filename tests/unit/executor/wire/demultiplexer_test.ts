import assert from "node:assert/strict";
import {
  MAX_HELD_BYTES,
  MAX_IMAGE_BATCH_BYTES,
  MAX_MESSAGE_BYTES,
} from "../../../../src/executor/wire/bounds.ts";
import { type Arrival, Demultiplexer } from "../../../../src/executor/wire/demultiplexer.ts";
import {
  FrameEncoder,
  type FrameKind,
  MAX_FRAME_BYTES,
  ProtocolViolation,
  SECRET_BYTES,
} from "../../../../src/executor/wire/frames.ts";
import { PIECE_BYTES } from "../../../../src/host_calls/bounds.ts";

const secret = new Uint8Array(SECRET_BYTES).fill(7);
const encoder = new FrameEncoder();

/** What arrives of `bytes` if they come in chunks of `size`. */
function arrivals(pipe: Demultiplexer, bytes: Uint8Array, size = bytes.length): Arrival[] {
  const arrived: Arrival[] = [];
  for (let at = 0; at < bytes.length; at += size) arrived.push(...pipe.push(bytes.slice(at, at + size)));
  return arrived;
}

const messages = (arrived: readonly Arrival[]) =>
  arrived.flatMap((arrival) => arrival.kind === "message" ? [arrival.value] : []);

/** A frame that does not end what it belongs to. */
function begun(kind: FrameKind, channel: number, payload: Uint8Array): Uint8Array {
  const frame = encoder.bytes(kind, channel, payload);
  frame[5] = 0;
  return frame;
}

/** Frames of `payload`, each on its own. */
function framesOf(kind: FrameKind, channel: number, payload: Uint8Array): Uint8Array[] {
  const all = encoder.bytes(kind, channel, payload);
  const frames: Uint8Array[] = [];
  for (let at = 0; at < all.length;) {
    const end = at + 10 + new DataView(all.buffer).getUint32(at, true);
    frames.push(all.slice(at, end));
    at = end;
  }
  return frames;
}

Deno.test("a message arrives whole however the pipe cuts its bytes", () => {
  const value = { text: "héllo".repeat(100), n: 1 };
  const bytes = new FrameEncoder(secret).message(3, value);
  for (const size of [1, 7, 64, bytes.length]) {
    assert.deepEqual(messages(arrivals(new Demultiplexer({ secret }), bytes, size)), [value]);
  }
});

Deno.test("a message longer than a frame is put together again, also between the pieces of another channel's", () => {
  const [a, b] = ["a".repeat(300_000), "b".repeat(300_000)];
  const text = (value: string) => new TextEncoder().encode(JSON.stringify(value));
  const [first, second] = [framesOf("message", 1, text(a)), framesOf("message", 2, text(b))];
  assert.ok(first.length > 4 && first.every((frame) => frame.length <= MAX_FRAME_BYTES));
  const pipe = new Demultiplexer();
  const mixed = first.flatMap((frame, i) => [frame, second[i]!]);
  assert.deepEqual(messages(mixed.flatMap((frame) => arrivals(pipe, frame))), [a, b]);
});

Deno.test("bytes go with the next message of their channel, and with that one only", () => {
  const pipe = new Demultiplexer();
  const arrived = [
    encoder.bytes("bytes", 1, new Uint8Array([1, 2, 3])),
    encoder.message(2, "two"),
    encoder.message(1, "one"),
    encoder.message(1, "again"),
  ].flatMap((bytes) => arrivals(pipe, bytes));
  assert.deepEqual(arrived.map(({ channel, bytes }) => [channel, [...bytes]]), [[2, []], [1, [1, 2, 3]], [
    1,
    [],
  ]]);
});

Deno.test("a message that is not JSON, or not UTF-8, is a protocol violation", () => {
  for (const bytes of [new TextEncoder().encode("{"), new Uint8Array([0x22, 0xff, 0x22])]) {
    const frame = encoder.bytes("message", 1, bytes);
    assert.throws(() => arrivals(new Demultiplexer(), frame), ProtocolViolation);
  }
});

for (
  const [kind, bound] of [
    ["message", MAX_MESSAGE_BYTES],
    ["image", MAX_IMAGE_BATCH_BYTES],
    ["bytes", PIECE_BYTES],
  ] as const
) {
  Deno.test(`what is too long as "${kind}" is refused while it grows`, () => {
    const pipe = new Demultiplexer();
    const piece = begun(kind, 1, new Uint8Array(60_000));
    const most = Math.ceil(bound / 60_000);
    let taken = 0;
    assert.throws(() => {
      for (; taken <= most; taken++) arrivals(pipe, piece);
    }, ProtocolViolation);
    assert.ok(taken <= most, `${taken} pieces were taken`);
  });
}

Deno.test("what is begun on many channels is bounded together, whatever it is", () => {
  for (const size of [60_000, 1]) {
    for (const kinds of [["message"], ["bytes"], ["message", "image", "bytes"]] as const) {
      const pipe = new Demultiplexer();
      let held = 0;
      assert.throws(() => {
        for (let channel = 1; channel < 500_000; channel++) {
          for (const kind of kinds) {
            arrivals(pipe, begun(kind, channel, new Uint8Array(size)));
            held += size;
          }
        }
      }, ProtocolViolation);
      assert.ok(held <= MAX_HELD_BYTES + 60_000, `${held} bytes were held`);
    }
  }
});

Deno.test("whole pieces that wait for a message count as held until it comes or their channel is closed", () => {
  const pipe = new Demultiplexer();
  const piece = (channel: number) =>
    arrivals(pipe, encoder.bytes("bytes", channel, new Uint8Array(PIECE_BYTES)));
  const channels = MAX_HELD_BYTES / PIECE_BYTES - 1; // room for one that is being put together
  for (let round = 0; round < 3; round++) {
    for (let channel = 1; channel <= channels; channel++) piece(channel);
    for (let channel = 1; channel <= channels; channel++) {
      if (channel % 2 === 0) pipe.drop(channel);
      else arrivals(pipe, encoder.message(channel, null));
    }
  }
  for (let channel = 1; channel <= channels; channel++) piece(channel);
  assert.throws(() => [1, 2].forEach((more) => piece(channels + more)), ProtocolViolation);
});

Deno.test("what comes on an unknown channel is dropped, is not held, and is told to whoever counts frames", () => {
  let seen = 0;
  const pipe = new Demultiplexer({
    knows: (channel) => channel === 1,
    seen: ({ payload }) => seen += payload.length,
  });
  for (let channel = 2; channel < 2000; channel++) {
    assert.deepEqual(arrivals(pipe, begun("message", channel, new Uint8Array(60_000))), []);
    assert.deepEqual(arrivals(pipe, encoder.message(channel, "x")), []);
  }
  assert.equal(seen, 1998 * (60_000 + '"x"'.length));
  assert.deepEqual(messages(arrivals(pipe, encoder.message(1, "known"))), ["known"]);
});

Deno.test("a channel that is closed and used again begins anew", () => {
  const pipe = new Demultiplexer();
  arrivals(pipe, begun("message", 1, new TextEncoder().encode('"half')));
  pipe.drop(1);
  assert.deepEqual(messages(arrivals(pipe, encoder.message(1, "whole"))), ["whole"]);
});
