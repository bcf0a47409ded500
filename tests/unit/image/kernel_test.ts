import { deepEqual, equal, ok, throws } from "node:assert/strict";
import wabtModule from "wabt";
import type { BaseHeap } from "../../../src/image/base_heap.ts";
import { HeapRecorder } from "../../../src/image/heap_recorder.ts";
import { ImageError } from "../../../src/executor/wire/image_error.ts";
import { pageKernelBytes } from "../../../src/image/page_kernel.ts";

const PAGE = 4096;
const WASM_PAGE = 65_536;

/** wabt's types know neither of multi-memory nor of features in `validate`. */
interface Parsed {
  validate(features: object): void;
  toBinary(options: object): { buffer: Uint8Array };
}

Deno.test("the kernel's bytes are those of its source", async () => {
  const wabt = await wabtModule();
  const features = { multi_memory: true, threads: true, simd: true, bulk_memory: true };
  const source = await Deno.readTextFile(new URL("../../../src/image/page_kernel.wat", import.meta.url));
  const parsed = wabt.parseWat("page_kernel.wat", source, features) as unknown as Parsed;
  parsed.validate(features);
  deepEqual(pageKernelBytes(), new Uint8Array(parsed.toBinary({}).buffer));
});

function memory(pages: number): WebAssembly.Memory {
  return new WebAssembly.Memory({ initial: pages, maximum: 1024 });
}

/** A base of one wasm page in which byte `at` is `value`. */
function base(contents: Record<number, number> = {}, pages = 1): BaseHeap {
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
  const bytes = new Uint8Array(memory.buffer);
  for (const [at, value] of Object.entries(contents)) bytes[Number(at)] = value;
  return { memory, wasmPages: pages, stackPointer: 0, parts: [{ address: 0, bytes }] };
}

const bytesOf = (memory: WebAssembly.Memory) => new Uint8Array(memory.buffer);

/** Finds and records. */
function record(recorder: HeapRecorder): number[] {
  const change = recorder.scan();
  recorder.record(change);
  return [...change.pages];
}

Deno.test("pages that equal the base, or zeros beyond it, are not recorded", () => {
  const recorder = new HeapRecorder(base({ 5: 1 }));
  const heap = memory(2);
  recorder.attach(heap);
  bytesOf(heap)[5] = 1;
  deepEqual(record(recorder), []);
  bytesOf(heap)[5] = 0;
  bytesOf(heap)[WASM_PAGE + 3 * PAGE] = 1;
  deepEqual(record(recorder), [0, 16 + 3]);
  equal(recorder.count, 2);
  deepEqual(record(recorder), []);
});

Deno.test("a change of any single byte of a page is found, and of no other page", () => {
  const recorder = new HeapRecorder(base());
  const heap = memory(2);
  recorder.attach(heap);
  for (const page of [1, 20]) {
    for (let at = 0; at < PAGE; at++) {
      bytesOf(heap)[page * PAGE + at]! ^= 0x80;
      const change = recorder.scan();
      deepEqual([...change.pages], [page], `byte ${at}`);
      if (at % 7 === 0) recorder.record(change); // the record is compared with from here on
      else bytesOf(heap)[page * PAGE + at]! ^= 0x80;
    }
  }
});

for (
  const [name, begin, pages] of [["base", 0, 1], ["empty base, whatever it begins with", 0xff, 0]] as const
) {
  Deno.test(`a fresh memory gets what was recorded over a${name === "base" ? "" : "n"} ${name}`, () => {
    const recorder = new HeapRecorder(base(pages === 0 ? {} : { 0: 9, [2 * PAGE]: 7 }, pages));
    const heap = memory(3);
    recorder.attach(heap);
    bytesOf(heap)[0] = 1;
    bytesOf(heap)[2 * PAGE] = 7;
    bytesOf(heap)[2 * WASM_PAGE + 1] = 2;
    record(recorder);
    const expected = bytesOf(heap).slice();
    bytesOf(heap).fill(3);

    const other = memory(1);
    bytesOf(other).fill(begin);
    recorder.attach(other);
    recorder.restore(3);
    deepEqual(bytesOf(other), expected);
    deepEqual(record(recorder), []);
  });
}

Deno.test("a memory that grew is recorded whole, and one that is too big is not restored", () => {
  const recorder = new HeapRecorder(base());
  const heap = memory(1);
  recorder.attach(heap);
  record(recorder);
  heap.grow(9);
  bytesOf(heap)[10 * WASM_PAGE - 1] = 1;
  deepEqual(record(recorder), [159]);
  equal(recorder.page(159)[PAGE - 1], 1);
  recorder.attach(memory(11));
  throws(() => recorder.restore(10), ImageError);
  recorder.attach(new WebAssembly.Memory({ initial: 1, maximum: 5 }));
  throws(() => recorder.restore(10), ImageError);
});

Deno.test("a record tells which pages it has", () => {
  const recorder = new HeapRecorder(base());
  const heap = memory(2);
  recorder.attach(heap);
  for (const page of [0, 3, 17]) bytesOf(heap)[page * PAGE] = 5;
  record(recorder);
  deepEqual(recorder.pages(), [0, 3, 17]);
  deepEqual([0, 1, 17, 18, 2 ** 40].map((page) => recorder.has(page)), [true, false, true, false, false]);
  ok(recorder.isOf(heap) && !recorder.isOf(memory(2)));
});

Deno.test("of a page of which a few words differ from the base's just those are stored, and make it again", () => {
  const recorder = new HeapRecorder(base({ [16 * PAGE]: 3 }, 2));
  const heap = memory(2);
  recorder.attach(heap);
  const bytes = bytesOf(heap);
  bytes[16 * PAGE] = 3;
  bytes.fill(200, 17 * PAGE, 18 * PAGE);
  for (const at of [5, 4000, PAGE - 1]) bytes[18 * PAGE + at] = 7;
  record(recorder);
  bytes[17 * PAGE] = bytes[18 * PAGE + 5] = 0;
  bytes[19 * PAGE] = 1;
  record(recorder);
  bytes[19 * PAGE] = 0;
  record(recorder);
  const again = new HeapRecorder(base({ [16 * PAGE]: 3 }, 2));
  const lengths = recorder.pages().map((page) => {
    const stored = recorder.delta(page).slice();
    again.load(page, stored, 2);
    return [page, stored.length];
  });
  deepEqual(lengths, [[17, PAGE], [18, 12], [19, 6]]);
  const other = memory(2);
  again.attach(other);
  again.restore(2);
  deepEqual(bytesOf(other), bytesOf(heap));
});

Deno.test("a stored page whose words are out of order or outside of it is refused", () => {
  const stored = (...numbers: number[]) => {
    const bytes = new Uint8Array(numbers.length * 6);
    new Uint16Array(bytes.buffer, numbers.length * 4).set(numbers);
    return bytes;
  };
  const recorder = new HeapRecorder(base());
  recorder.load(1, stored(0, 1, 1023), 1);
  for (const wrong of [stored(1, 0), stored(3, 3), stored(1024), stored(0, 65_535), stored(0).subarray(1)]) {
    throws(() => recorder.load(2, wrong, 1), ImageError);
  }
  throws(() => recorder.load(2, new Uint8Array(PAGE + 2), 1), ImageError);
  deepEqual(recorder.pages(), [1]);
});

Deno.test("loaded pages are as recorded ones; a page outside of the memory, cut or there twice is refused", () => {
  const recorder = new HeapRecorder(base());
  const page = new Uint8Array(PAGE).fill(4);
  recorder.load(16, page, 2);
  throws(() => recorder.load(16, page, 2), ImageError);
  throws(() => recorder.load(32, page, 2), ImageError);
  throws(() => recorder.load(2 ** 40, page, 2), ImageError);
  throws(() => recorder.load(17, page.subarray(1), 2), ImageError);
  const heap = memory(1);
  recorder.attach(heap);
  recorder.restore(2);
  deepEqual([bytesOf(heap)[16 * PAGE], bytesOf(heap)[17 * PAGE]], [4, 0]);
  deepEqual(record(recorder), []);
});
