import assert from "node:assert/strict";
import fc from "fast-check";
import {
  type Frame,
  FrameDecoder,
  FrameEncoder,
  type FrameKind,
  MAX_FRAME_BYTES,
  ProtocolViolation,
  SECRET_BYTES,
} from "../../src/executor/wire/frames.ts";
import { MAX_IMAGE_BATCH_BYTES } from "../../src/executor/wire/bounds.ts";
import { Demultiplexer } from "../../src/executor/wire/demultiplexer.ts";
import { PieceAssembler } from "../../src/executor/wire/piece_assembler.ts";
import { runs } from "./runs.ts";

const HEADER_BYTES = 10;
const MAX_WHOLE_BYTES = 200_000;

const kind = fc.constantFrom<FrameKind>("message", "stdout", "stderr", "image");
const channel = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 2 ** 32 - 1 }));
const secret = fc.constantFrom(new Uint8Array(0), new Uint8Array(SECRET_BYTES).fill(9));
/** Sizes of chunks, over and over. */
const cuts = fc.array(
  fc.oneof(
    fc.integer({ min: 1, max: 40 }),
    fc.integer({ min: 1000, max: 100_000 }),
    fc.constant(MAX_FRAME_BYTES),
  ),
  { minLength: 1, maxLength: 6 },
);
const payload = fc.oneof(
  fc.uint8Array({ maxLength: 100 }),
  // Up to the largest that is sent of every kind.
  fc.tuple(fc.integer({ min: 60_000, max: MAX_IMAGE_BATCH_BYTES }), fc.nat(255)).map(([size, byte]) =>
    new Uint8Array(size).fill(byte)
  ),
);

function* chunks(bytes: Uint8Array, sizes: readonly number[]): Generator<Uint8Array> {
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = bytes.length > 10_000 ? Math.max(sizes[i % sizes.length]!, 500) : sizes[i % sizes.length]!;
    yield bytes.slice(at, at + size);
    at += size;
  }
}

function decode(bytes: Uint8Array, sizes: readonly number[], key: Uint8Array): Frame[] {
  const decoder = new FrameDecoder(key);
  return [...chunks(bytes, sizes)].flatMap((chunk) => [...decoder.push(chunk)]);
}

Deno.test("whatever the kinds, channels, sizes and cuts: what was encoded is decoded", () => {
  const sent = fc.array(fc.record({ kind, channel, payload }), { maxLength: 8 });
  fc.assert(
    fc.property(sent, secret, cuts, fc.infiniteStream(fc.nat()), (sent, key, cuts, picks) => {
      const encoder = new FrameEncoder(key);
      // Frames of different channels interleave in any order; those of one channel stay in theirs.
      const queues = new Map<number, Uint8Array[]>();
      for (const { kind, channel, payload } of sent) {
        const frames = split(encoder.bytes(kind, channel, payload), key.length);
        queues.set(channel, [...queues.get(channel) ?? [], ...frames]);
      }
      const mixed: Uint8Array[] = [];
      while (queues.size > 0) {
        const channels = [...queues.keys()];
        const turn = channels[picks.next().value! % channels.length]!;
        mixed.push(queues.get(turn)!.shift()!);
        if (queues.get(turn)!.length === 0) queues.delete(turn);
      }
      const frames = decode(new Uint8Array(mixed.flatMap((frame) => [...frame])), cuts, key);
      const received = new Map<string, Uint8Array[]>();
      const assemblers = new Map<string, PieceAssembler>();
      for (const frame of frames) {
        const key = `${frame.kind}:${frame.channel}`;
        const assembler = assemblers.get(key) ?? assemblerOf(MAX_WHOLE_BYTES);
        assemblers.set(key, assembler);
        const whole = assembler.push(frame);
        if (whole) received.set(key, [...received.get(key) ?? [], whole.slice()]);
      }
      const expected = Map.groupBy(sent, ({ kind, channel }) => `${kind}:${channel}`);
      assert.deepEqual([...received.keys()].sort(), [...expected.keys()].sort());
      for (const [key, wholes] of received) {
        const payloads = expected.get(key)!.map(({ payload }) => payload);
        assert.equal(hash(wholes), hash(payloads));
        // Output is cut as it likes; messages and batches are not.
        if (!key.startsWith("std")) {
          assert.deepEqual(
            wholes.map((it) => it.length),
            payloads.map((it) => it.length),
          );
        }
      }
    }),
    runs(60),
  );
});

Deno.test("messages are the values that were sent", () => {
  fc.assert(
    fc.property(fc.jsonValue(), channel, secret, cuts, (value, channel, key, cuts) => {
      const pipe = new Demultiplexer({ secret: key });
      const sent = new FrameEncoder(key).message(channel, value);
      const arrived = [...chunks(sent, cuts)].flatMap((chunk) => [...pipe.push(chunk)]);
      const got = arrived.map((arrival) => arrival.kind === "message" ? arrival.value : arrival);
      assert.deepEqual(got, [JSON.parse(JSON.stringify(value))]);
    }),
    runs(300),
  );
});

/** Bytes that look like frames more often than not. */
const hostileBytes = fc.array(
  fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.record({
      length: fc.oneof(fc.nat(40), fc.integer({ min: 0, max: 2 ** 32 - 1 })),
      kind: fc.nat(5),
      last: fc.nat(2),
      channel,
      payload: fc.uint8Array({ maxLength: 40 }),
      honest: fc.boolean(),
    }).map(({ length, kind, last, channel, payload, honest }) => {
      const bytes = new Uint8Array(HEADER_BYTES + payload.length);
      const view = new DataView(bytes.buffer);
      view.setUint32(0, honest ? payload.length : length, true);
      bytes.set([kind, last], 4);
      view.setUint32(6, channel, true);
      bytes.set(payload, HEADER_BYTES);
      return bytes;
    }),
  ),
  { maxLength: 20 },
).map((pieces) => new Uint8Array(pieces.flatMap((piece) => [...piece])));

Deno.test("any bytes are frames and messages or a protocol violation", () => {
  fc.assert(
    fc.property(hostileBytes, secret, cuts, fc.boolean(), (bytes, key, cuts, begun) => {
      let payloads = 0;
      const pipe = new Demultiplexer({ secret: key, seen: ({ payload }) => payloads += payload.length });
      try {
        for (const chunk of begun ? [key, ...chunks(bytes, cuts)] : chunks(bytes, cuts)) {
          for (const arrival of pipe.push(chunk)) assert.ok(arrival.bytes.length <= bytes.length);
        }
      } catch (error) {
        assert.ok(error instanceof ProtocolViolation, String(error));
      }
      assert.ok(payloads <= bytes.length + key.length);
    }),
    runs(2000),
  );
});

Deno.test("how frames are cut makes no difference, not even to where a violation is seen", () => {
  const outcome = (bytes: Uint8Array, sizes: readonly number[]) => {
    const decoder = new FrameDecoder();
    const seen: unknown[] = [];
    try {
      for (const chunk of chunks(bytes, sizes)) {
        for (const { kind, channel, last, payload } of decoder.push(chunk)) {
          seen.push([kind, channel, last, [...payload]]);
        }
      }
    } catch (error) {
      assert.ok(error instanceof ProtocolViolation);
      seen.push(error.message);
    }
    return seen;
  };
  fc.assert(
    fc.property(hostileBytes, cuts, cuts, (bytes, one, other) => {
      assert.deepEqual(outcome(bytes, one), outcome(bytes, other));
    }),
    runs(1000),
  );
});

Deno.test("an unfinished message holds no more than its bound, in however small pieces it comes", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 64 }), (size) => {
      const assembler = assemblerOf(1 << 20);
      const frame: Frame = { kind: "message", channel: 1, last: false, payload: new Uint8Array(size) };
      assert.throws(() => {
        for (let i = 0; i < 5000; i++) assembler.push(frame);
      }, ProtocolViolation);
    }),
    runs(20),
  );
});

function assemblerOf(maxBytes: number): PieceAssembler {
  return new PieceAssembler(maxBytes, { bytes: 0, maxBytes: Infinity });
}

/** The frames of which `bytes` consists. */
function split(bytes: Uint8Array, secretBytes: number): Uint8Array[] {
  const frames: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = new DataView(bytes.buffer, at + secretBytes).getUint32(0, true);
    const end = at + secretBytes + HEADER_BYTES + length;
    frames.push(bytes.slice(at, end));
    at = end;
  }
  return frames;
}

/** Of all pieces together, so that it does not tell where they were cut. */
function hash(pieces: readonly Uint8Array[]): number {
  let value = 0;
  for (const piece of pieces) for (const byte of piece) value = (Math.imul(value, 31) + byte + 1) | 0;
  return value;
}
