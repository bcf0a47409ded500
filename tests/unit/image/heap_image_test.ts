import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { captureHeap, parseHeap, restoreHeap } from "../../../src/image/heap_image.ts";
import { ImageError } from "../../../src/executor/wire/image_error.ts";

const PAGE = 4096;

function memory(pages: number, contents: Record<number, number> = {}): WebAssembly.Memory {
  const memory = new WebAssembly.Memory({ initial: pages, maximum: 16 });
  const bytes = new Uint8Array(memory.buffer);
  for (const [address, value] of Object.entries(contents)) bytes[Number(address)] = value;
  return memory;
}

const sample = () =>
  captureHeap(memory(2, { 0: 1, [PAGE * 2 - 1]: 2, [PAGE * 31 + 5]: 3 }), 65_536, memory(1));

Deno.test("a captured memory comes back as it was, grown to its size", () => {
  const image = parseHeap(sample());
  equal(image.stackPointer, 65_536);
  const restored = memory(1);
  restoreHeap(image, restored);
  const bytes = new Uint8Array(restored.buffer);
  equal(bytes.length, 2 * 65_536);
  deepEqual([bytes[0], bytes[PAGE * 2 - 1], bytes[PAGE * 31 + 5]], [1, 2, 3]);
  equal(bytes.reduce((sum, byte) => sum + byte, 0), 6);
});

Deno.test("only pages that are not zero are kept, neighbours in one part", () => {
  const bytes = sample();
  deepEqual(parseHeap(bytes).parts.map(({ address, bytes }) => [address, bytes.length]), [
    [0, 2 * PAGE],
    [31 * PAGE, PAGE],
  ]);
  ok(bytes.length < 3 * PAGE + 100);
});

Deno.test("what a fresh instance sets and the captured one cleared is zero after a restore", () => {
  const image = captureHeap(memory(1), 0, memory(1, { 5: 9 }));
  const restored = memory(1, { 5: 9 });
  restoreHeap(parseHeap(image), restored);
  equal(new Uint8Array(restored.buffer)[5], 0);
});

Deno.test("an image is read in place, also from the middle of shared memory", () => {
  const bytes = sample();
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length + 10), 3, bytes.length);
  shared.set(bytes);
  const { parts } = parseHeap(shared);
  equal(parts[0]?.bytes.buffer, shared.buffer);
  const restored = memory(1);
  restoreHeap(parseHeap(shared), restored);
  equal(new Uint8Array(restored.buffer)[PAGE * 31 + 5], 3);
});

Deno.test("every cut and every out-of-bounds number in an image is refused", () => {
  const bytes = sample();
  for (let length = 0; length < bytes.length; length += length < 64 ? 1 : 997) {
    throws(() => parseHeap(bytes.subarray(0, length)), ImageError, `${length} bytes`);
  }
  throws(() => parseHeap(new Uint8Array([...bytes, 0])), ImageError);
  // Version; memory; stack pointer; number of runs; first page and count of the runs.
  for (
    const [offset, value] of [
      [7, 2],
      [8, 70_000],
      [12, 2 ** 31],
      [16, 2 ** 32 - 1],
      [16, 1],
      [16, 3],
      [20, 30],
      [20, 2 ** 32 - 1],
      [24, 0],
      [24, 40],
      [24, 2 ** 32 - 1],
      [28, 1],
      [28, 32],
      [32, 2],
    ] as const
  ) {
    const damaged = bytes.slice();
    if (offset === 7) damaged[7] = value;
    else new DataView(damaged.buffer).setUint32(offset, value, true);
    throws(() => parseHeap(damaged), ImageError, `${value} at ${offset}`);
  }
});

Deno.test("an image is refused by a memory that is bigger, or can't grow", () => {
  throws(() => restoreHeap(parseHeap(sample()), memory(3)), ImageError);
  const fixed = new WebAssembly.Memory({ initial: 1, maximum: 1 });
  throws(() => restoreHeap(parseHeap(sample()), fixed), ImageError);
});
