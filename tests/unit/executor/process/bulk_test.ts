import assert from "node:assert/strict";
import { BulkQueue } from "../../../../src/executor/process/bulk.ts";
import { BULK_WINDOW_BYTES } from "../../../../src/executor/wire/bounds.ts";

const KIB = 1024;

/** A queue that tells what it writes: the channel, which is each frame's first byte, and its length. */
class Recorder {
  readonly written: [channel: number, length: number][] = [];
  readonly queue = new BulkQueue((frame) => this.written.push([frame[0]!, frame.length]));

  push(channel: number, length: number, cost = length): void {
    this.queue.push(channel, new Uint8Array(length).fill(channel, 0, 1), cost);
  }

  /** Lets the queue's turns pass until it would have written more. */
  async settle(): Promise<void> {
    for (let before = -1; before !== this.written.length;) {
      before = this.written.length;
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
  }
}

Deno.test("a small image does not wait behind all of a large one", async () => {
  const recorder = new Recorder();
  const frame = 64 * KIB;
  const window = BULK_WINDOW_BYTES / frame;
  for (let i = 0; i < window + 40; i++) recorder.push(1, frame);
  recorder.push(2, 100);
  recorder.push(2, 50);
  await recorder.settle();
  assert.equal(recorder.written.length, window);
  recorder.queue.grant(BULK_WINDOW_BYTES);
  await recorder.settle();
  assert.equal(recorder.written.length, window + 42);
  const small = recorder.written.slice(window).flatMap(([channel], at) => channel === 2 ? [at] : []);
  assert.deepEqual(small, [1, 3]);
  assert.equal(recorder.written[window + 1]![1], 100);
});

Deno.test("no more is under way than the server granted, and messages cost nothing", async () => {
  const recorder = new Recorder();
  const frame = 64 * KIB;
  const window = BULK_WINDOW_BYTES / frame;
  for (let i = 0; i < 3 * window; i++) recorder.push(1, frame);
  await recorder.settle();
  assert.equal(recorder.written.length, window);
  recorder.queue.grant(5 * frame);
  await recorder.settle();
  assert.equal(recorder.written.length, window + 5);
  recorder.queue.grant(BULK_WINDOW_BYTES * 3);
  await recorder.settle();
  assert.equal(recorder.written.length, 3 * window);
});

Deno.test("credit does not leak away with headers and messages, however many there are", async () => {
  const recorder = new Recorder();
  const rounds = 300;
  for (let i = 0; i < rounds; i++) {
    recorder.push(1, 40 * KIB + 26, 40 * KIB);
    recorder.push(1, 30 * KIB, 0); // far more than the window in all
    recorder.queue.grant(40 * KIB);
  }
  await recorder.settle();
  assert.equal(recorder.written.length, 2 * rounds);
});
