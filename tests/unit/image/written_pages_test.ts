import { deepEqual, equal, ok } from "node:assert/strict";
import { mapOver, openCopyOnWrite } from "../../../src/image/copy_on_write.ts";
import { type BaseHeap, sharedMemory } from "../../../src/image/base_heap.ts";
import { HeapRecorder } from "../../../src/image/heap_recorder.ts";
import { openWrittenPages, WrittenPages } from "../../../src/image/written_pages.ts";

const PAGE = 4096;
const WASM_PAGE = 65_536;
const PAGES_PER_WASM_PAGE = WASM_PAGE / PAGE;

/** Where the system can't tell (before Linux 6.7, or where userfaultfd is forbidden) all pages are compared. */
const tells = openCopyOnWrite() && openWrittenPages();

/** A base whose every fourth page has something, in a file that heaps map. */
function base(wasmPages: number): BaseHeap {
  const { memory, file } = sharedMemory(wasmPages);
  ok(file !== undefined);
  const bytes = new Uint8Array(memory.buffer);
  for (let at = 0; at < bytes.length; at += 4 * PAGE) bytes[at] = 1;
  return { memory, file, wasmPages, stackPointer: 0, parts: [{ address: 0, bytes }] };
}

function heapOver({ memory, file }: BaseHeap): WebAssembly.Memory {
  const pages = memory.buffer.byteLength / WASM_PAGE;
  const heap = new WebAssembly.Memory({ initial: pages, maximum: 1024 });
  ok(mapOver(heap, file!, 0, memory.buffer.byteLength));
  return heap;
}

const bytesOf = (memory: WebAssembly.Memory) => new Uint8Array(memory.buffer);

function written(pages: WrittenPages): number[] {
  const told: number[] = [];
  pages.take((first, end) => told.push(...Array.from({ length: end - first }, (_, index) => first + index)));
  return told;
}

Deno.test({
  name: "pages that were written to are told once, whatever was there before",
  ignore: !tells,
  fn() {
    const heap = heapOver(base(4));
    const pages = new WrittenPages(heap);
    ok(pages.follow());
    deepEqual(written(pages), []);
    const bytes = bytesOf(heap);
    ok(bytes[8 * PAGE] === 1 && bytes[9 * PAGE] === 0); // to read is not to write
    deepEqual(written(pages), []);
    for (const page of [0, 3, 4, 5, 63]) bytes[page * PAGE + 7] = 0; // also what it was
    deepEqual(written(pages), [0, 3, 4, 5, 63]);
    bytes[4 * PAGE] = 9;
    deepEqual(written(pages), [4]);
    crypto.getRandomValues(bytes.subarray(10 * PAGE, 11 * PAGE)); // by the host
    deepEqual(written(pages), [10]);
    heap.grow(1);
    bytesOf(heap)[64 * PAGE] = 1;
    deepEqual(written(pages), []); // not followed yet
    equal(pages.followed, 64);
    ok(pages.follow());
    equal(pages.followed, 80);
    deepEqual(written(pages), []);
    bytesOf(heap)[79 * PAGE] = 1;
    deepEqual(written(pages), [79]);
  },
});

Deno.test({
  name: "thousands of pages that were written to are told, wherever they lie",
  ignore: !tells,
  fn() {
    const heap = heapOver(base(1000));
    const pages = new WrittenPages(heap);
    ok(pages.follow());
    const odd = Array.from({ length: 500 * PAGES_PER_WASM_PAGE }, (_, index) => 2 * index + 1);
    for (const page of odd) bytesOf(heap)[page * PAGE] = 1;
    deepEqual(written(pages), odd);
    deepEqual(written(pages), []);
  },
});

Deno.test({
  name: "a page that is written to again and again is told without that, for a while, and the others as ever",
  ignore: !tells,
  fn() {
    const heap = heapOver(base(4));
    const pages = new WrittenPages(heap);
    ok(pages.follow());
    const write = (...some: number[]) => some.forEach((page) => bytesOf(heap)[page * PAGE]!++);
    for (let round = 0; round < 4; round++) {
      write(5);
      deepEqual(written(pages), [5]);
    }
    for (const page of [4, 6, 60]) {
      write(page);
      deepEqual(written(pages), [5, page].sort((a, b) => a - b));
      deepEqual(written(pages), [5]);
    }
    let rounds = 0;
    while (written(pages).length > 0) ok(++rounds < 1000, "it is told for ever");
    write(5, 7);
    deepEqual(written(pages), [5, 7]);
    deepEqual(written(pages), []);
  },
});

Deno.test({
  name: "a memory that another one was mapped over is not followed any more",
  ignore: !tells,
  fn() {
    const source = base(2);
    const heap = heapOver(source);
    const pages = new WrittenPages(heap);
    ok(pages.follow());
    ok(mapOver(heap, source.file!, 0, WASM_PAGE));
    bytesOf(heap)[0] = 5;
    written(pages);
    equal(pages.followed, 0);
  },
});

/** Numbers from 0 up to 1 that are the same each time. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed;;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

Deno.test("whatever is written, forgotten, recorded and undone: what is recorded is what was there", () => {
  for (let seed = 1; seed <= 40; seed++) {
    const random = numbers(seed);
    const below = (end: number) => Math.floor(random.next().value * end);
    const heap = heapOver(base(3));
    const source = base(3);
    const recorder = new HeapRecorder(source);
    recorder.attach(heap);
    /** The heap as it was last recorded. */
    let model = bytesOf(heap).slice();
    const since = () => {
      const now = bytesOf(heap);
      return Array.from({ length: now.length / PAGE }, (_, page) => page).filter((page) =>
        now.subarray(page * PAGE, (page + 1) * PAGE).some((byte, at) =>
          byte !== (model[page * PAGE + at] ?? 0)
        )
      );
    };
    for (let step = 0; step < 60; step++) {
      const what = below(10);
      if (what < 5) {
        for (let left = below(8); left > 0; left--) {
          bytesOf(heap)[below(heap.buffer.byteLength)] = below(3);
        }
      } else if (what === 5 && heap.buffer.byteLength < 8 * WASM_PAGE && below(4) === 0) {
        heap.grow(1);
        model = new Uint8Array([...model, ...new Uint8Array(WASM_PAGE)]);
      } else if (what === 6) {
        recorder.undo();
        deepEqual(since(), [], `seed ${seed}, step ${step}`);
      } else if (what === 7) {
        // Part of it is dead, and what is found is given up: nothing of that may be forgotten.
        const dead = below(20);
        deepEqual([...recorder.scan(dead * PAGE).pages], since().filter((page) => page >= dead));
      } else {
        const change = recorder.scan();
        deepEqual([...change.pages], since(), `seed ${seed}, step ${step}`);
        recorder.record(change);
        model = bytesOf(heap).slice();
      }
    }
    // What was recorded makes the same heap elsewhere.
    recorder.undo();
    const other = heapOver(source);
    recorder.attach(other);
    recorder.restore(model.length / WASM_PAGE, false);
    ok(bytesOf(other).every((byte, at) => byte === model[at]), `seed ${seed}`);
    recorder.release();
  }
});

Deno.test("a record has nothing of the one whose memory it got, and no other gets that", () => {
  const source = base(2);
  const recorders = [1, 2].map(() => {
    const recorder = new HeapRecorder(source);
    const heap = heapOver(source);
    recorder.attach(heap);
    bytesOf(heap)[5 * PAGE] = 7;
    recorder.record(recorder.scan());
    return recorder;
  });
  for (const recorder of [...recorders, ...recorders]) recorder.release();
  const next = [1, 2, 3].map(() => new HeapRecorder(source));
  for (const [value, recorder] of next.entries()) {
    const heap = heapOver(source);
    recorder.attach(heap);
    deepEqual([...recorder.pages(), ...recorder.scan().pages], []);
    bytesOf(heap)[6 * PAGE] = value + 1;
    recorder.record(recorder.scan());
  }
  deepEqual(next.map((recorder) => recorder.page(6)[0]), [1, 2, 3]);
});
