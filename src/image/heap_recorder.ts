/** Remembers the state of a linear memory page by page, and finds what changed since. */

import type { BaseHeap } from "./base_heap.ts";
import { giveBack, PAGEMAP_ENTRY, provide, readPagemap } from "./copy_on_write.ts";
import { fillHeap } from "./heap_image.ts";
import { ImageError } from "../executor/wire/image_error.ts";
import { pageKernelBytes } from "./page_kernel.ts";
import { PAGE, runsOf, WASM_PAGE } from "./pages.ts";
import { packWords, unpackPage } from "./sparse_page.ts";
import { WrittenPages } from "./written_pages.ts";

// The layout of a record's memory; see page_kernel.wat.
const LIST = 0x10_0000;
const PAGEMAP = 0x50_0000;
const PAGES = 0x58_0000;
/** When no scan is under way, in the place of the former: words of a page, and their numbers. */
const WORDS = PAGEMAP;
const NUMBERS = PAGEMAP + PAGE;
/** Of so many of a heap's pages the system is asked whether they were written to. */
const MAX_KNOWN = (PAGES - PAGEMAP) / PAGEMAP_ENTRY;

/** Of a page's byte in the record: it was recorded. */
const RECORDED = 1;

/** What `page_kernel.wat` exports. */
interface Kernel {
  suspect(first: number, end: number): void;
  scan(from: number, pages: number, known: number): number;
  record(count: number): number;
  restore(count: number): void;
  words(page: number): number;
  combine(page: number): void;
}

/** What a scan found. */
export interface HeapChange {
  /** Numbers of the pages that differ from the record, ascending. */
  readonly pages: Uint32Array;
  /** How many of them are not recorded yet. */
  readonly added: number;
}

let kernelModule: WebAssembly.Module | undefined;

/**
 * Memories of records that were given back, all zeros, for those that come: to V8 each new memory is garbage to be, and
 * after a few of them it collects while somebody waits.
 */
const spares: WebAssembly.Memory[] = [];
const MAX_SPARES = 8;

/**
 * One heap's record: its pages that differ from the base. Only they take memory.
 *
 * A record outlives the instance whose memory it is of: {@link attach} binds it to the next one.
 */
export class HeapRecorder {
  readonly #base: BaseHeap;
  readonly #record = spares.pop() ?? new WebAssembly.Memory({ initial: PAGES / WASM_PAGE });
  #count = 0;
  /** Pages that are as a stored image has them: what they are more than the base's. */
  readonly #loaded: number[] = [];
  #released = false;
  #written: WrittenPages | undefined;
  #kernel: Kernel | undefined;

  constructor(base: BaseHeap) {
    this.#base = base;
  }

  /** How many pages are recorded. */
  get count(): number {
    return this.#count;
  }

  /** Takes another memory for the heap; the record stays. */
  attach(heap: WebAssembly.Memory): void {
    kernelModule ??= new WebAssembly.Module(pageKernelBytes());
    const image = { heap, base: this.#base.memory, record: this.#record };
    this.#kernel = new WebAssembly.Instance(kernelModule, { image }).exports as unknown as Kernel;
    this.#written = new WrittenPages(heap);
  }

  /** Whether this is the heap that was attached last. */
  isOf(heap: WebAssembly.Memory): boolean {
    return this.#written?.memory === heap;
  }

  /**
   * Looks for the pages that differ from the record.
   *
   * @param deadBelow Address below which nothing is of use: the part of the C stack that no frame is on.
   * @throws {ImageError} if there is no memory to record so big a heap.
   */
  scan(deadBelow = 0): HeapChange {
    const count = this.#scan(Math.floor(deadBelow / PAGE));
    const pages = new Uint32Array(this.#record.buffer, LIST, count).slice();
    return { pages, added: pages.reduce((sum, page) => sum + (this.has(page) ? 0 : 1), 0) };
  }

  /** Records what the last {@link scan} found; the memory must not have changed since. */
  record({ pages }: HeapChange): void {
    this.#count += this.#attached().kernel.record(pages.length);
  }

  has(page: number): boolean {
    return page < LIST && (this.#states()[page]! & RECORDED) !== 0;
  }

  /** The recorded contents of a page, as a view that is valid until the next scan. */
  page(page: number): Uint8Array {
    return new Uint8Array(this.#record.buffer, PAGES + page * PAGE, PAGE);
  }

  /**
   * The recorded contents of a page, as what they are more than the base's (exclusive or), packed: of a page of which a
   * few words have changed that is just those.
   */
  delta(page: number): Uint8Array {
    const { kernel } = this.#attached();
    const count = kernel.words(page);
    const values = new Int32Array(this.#record.buffer, WORDS, count);
    const numbers = new Uint16Array(this.#record.buffer, NUMBERS, count);
    const packed = packWords(values, numbers);
    if (packed) return packed;
    kernel.combine(page);
    const whole = this.page(page).slice();
    kernel.combine(page);
    return whole;
  }

  /** The numbers of the recorded pages, ascending. */
  pages(): number[] {
    const pages: number[] = [];
    const end = (this.#record.buffer.byteLength - PAGES) / PAGE;
    for (const [page, state] of this.#states().subarray(0, end).entries()) {
      if (state & RECORDED) pages.push(page);
    }
    return pages;
  }

  /** Undoes what has changed since; the memory must be as big as it was then. */
  undo(): void {
    this.#attached().kernel.restore(this.#scan(0));
  }

  /**
   * Makes the memory of another instance what was recorded, growing it as needed.
   *
   * @param wasmPages Size of the recorded memory.
   * @param fresh Whether the memory is as instantiation left it: then no page need be looked at.
   * @throws {ImageError} if the memory is bigger, or can't grow to that size.
   */
  restore(wasmPages: number, fresh = true): void {
    const { heap, kernel } = this.#attached();
    for (const page of this.#loaded.splice(0)) kernel.combine(page);
    const bytes = wasmPages * WASM_PAGE;
    const missing = wasmPages - heap.buffer.byteLength / WASM_PAGE;
    if (missing < 0) throw new ImageError("the heap's memory is bigger than its image");
    try {
      heap.grow(missing);
    } catch {
      throw new ImageError(`there is no memory for a heap of ${bytes} bytes`);
    }
    this.#reserve(bytes);
    const pages = this.pages();
    provideRuns(heap, 0, pages);
    const based = fresh && this.#base.wasmPages > 0 && wasmPages >= this.#base.wasmPages;
    if (based) this.#fill(heap, pages);
    else this.undo();
  }

  /**
   * Makes room for pages that {@link load} gets next.
   *
   * @param pages Their numbers, ascending. @param wasmPages Size of the recorded memory.
   */
  expect(pages: readonly number[], wasmPages: number): void {
    this.#reserve(wasmPages * WASM_PAGE);
    provideRuns(this.#record, PAGES, pages.filter((page) => page < wasmPages * (WASM_PAGE / PAGE)));
  }

  /**
   * Adds a page to the record, as a stored image has it. It can be looked at after {@link restore}.
   *
   * @param bytes What {@link delta} gave.
   * @param wasmPages Size of the recorded memory.
   * @throws {ImageError} if the page is not of that memory, or was recorded already.
   */
  load(page: number, bytes: Uint8Array, wasmPages: number): void {
    const end = (page + 1) * PAGE;
    if (end > wasmPages * WASM_PAGE || this.has(page)) {
      throw new ImageError("a page of the heap is invalid");
    }
    this.#reserve(end);
    unpackPage(bytes, this.page(page));
    this.#states()[page] = RECORDED;
    this.#count++;
    this.#loaded.push(page);
  }

  /** Gives its memory back. It must not be used any more. */
  release(): void {
    if (this.#released) return; // the memory may be another record's by now
    this.#released = true;
    if (giveBack(this.#record) && spares.length < MAX_SPARES) spares.push(this.#record);
    this.#written = undefined;
    this.#kernel = undefined;
  }

  #states(): Uint8Array {
    return new Uint8Array(this.#record.buffer, 0, LIST);
  }

  /** A base has all that a fresh instance's data segments set, so that no page need be looked at. */
  #fill(heap: WebAssembly.Memory, pages: readonly number[]): void {
    fillHeap(this.#base, heap);
    const target = new Uint8Array(heap.buffer);
    for (const [first, end] of runsOf(pages)) {
      target.set(
        new Uint8Array(this.#record.buffer, PAGES + first * PAGE, (end - first) * PAGE),
        first * PAGE,
      );
    }
  }

  /**
   * Lists the pages from one on that differ from the record: of those that were written to since they were last compared,
   * where that can be known. @returns Their number.
   */
  #scan(from: number): number {
    const { heap, kernel, written } = this.#attached();
    this.#reserve(heap.buffer.byteLength);
    const pages = heap.buffer.byteLength / PAGE;
    written.take((first, end) => kernel.suspect(first, end));
    if (written.followed === pages) return kernel.scan(from, pages, 0);
    kernel.suspect(written.followed, pages);
    const known = this.#readPagemap(heap, from, Math.min(pages, MAX_KNOWN)); // before it is followed, which shows there
    written.follow();
    return kernel.scan(from, pages, known);
  }

  /** @returns The page below which the system has told what it knows. */
  #readPagemap(heap: WebAssembly.Memory, from: number, end: number): number {
    if (from >= end) return 0;
    const [at, length] = [PAGEMAP + from * PAGEMAP_ENTRY, (end - from) * PAGEMAP_ENTRY];
    return readPagemap(heap, from, new Uint8Array(this.#record.buffer, at, length)) ? end : 0;
  }

  #attached(): { heap: WebAssembly.Memory; kernel: Kernel; written: WrittenPages } {
    if (!this.#written || !this.#kernel) throw new Error("the record has no heap");
    return { heap: this.#written.memory, kernel: this.#kernel, written: this.#written };
  }

  /** Makes room for the pages of a heap of so many bytes: addresses, not memory. */
  #reserve(heapBytes: number): void {
    const missing = Math.ceil((PAGES + heapBytes - this.#record.buffer.byteLength) / WASM_PAGE);
    if (missing <= 0) return;
    try {
      this.#record.grow(missing);
    } catch {
      throw new ImageError(`there is no memory to record a heap of ${heapBytes} bytes`);
    }
  }
}

/** So many pages are written to without more ado. */
const FEW = 8;

/** @param offset Of the first page in the memory, bytes. */
function provideRuns(memory: WebAssembly.Memory, offset: number, pages: readonly number[]): void {
  for (const [first, end] of runsOf(pages)) {
    if (end - first > FEW) provide(memory, offset + first * PAGE, offset + end * PAGE);
  }
}
