import assert from "node:assert/strict";
import { ArrivingImages } from "../../../../src/executor/process/arriving_images.ts";

Deno.test("batches that follow one another on a channel are passed on as one, in a buffer of its own", () => {
  const passed: [number, string][] = [];
  const images = new ArrivingImages((channel, batch) => {
    assert.equal(batch.byteOffset, 0);
    assert.equal(batch.buffer.byteLength, batch.length);
    passed.push([channel, String.fromCharCode(...batch)]);
  });
  const read = new TextEncoder().encode("abcdefgh");
  const view = (from: number, to: number) => read.subarray(from, to);
  images.push(1, view(0, 2));
  images.push(1, view(2, 3));
  images.push(2, view(3, 4));
  images.push(1, view(4, 6));
  images.flush();
  images.flush();
  read.fill(0); // as the next read does
  images.push(1, new TextEncoder().encode("ij"));
  images.flush();
  assert.deepEqual(passed, [[1, "abc"], [2, "d"], [1, "ef"], [1, "ij"]]);
});
