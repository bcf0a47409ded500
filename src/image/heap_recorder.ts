/** Remembers the state of a linear memory page by page, and finds what changed since. */

import type { BaseHeap } from "./base_heap.ts";
import { giveBack, PAGEMAP_ENTRY, readPagemap } from "./copy_on_write.ts";
import { fillHeap } from "./heap_image.ts";
import { ImageError } from "../executor/wire/image_error.ts";
import { pageKernelBytes } from "./page_kernel.ts";
import { PAGE, WASM_PAGE } from "./pages.ts";
import { packWords, unpackPage } from "./sparse_page.ts";

// The layout of a record's memory; see page_kernel.wat.
const LIST = 0x10_0000;
const PAGEMAP = 0x50_0000;
const PAGES = 0x58_0000;
/** When no scan is under way, in the place of the former: words of a page, and their numbers. */
const WORDS = PAGEMAP;
const NUMBERS = PAGEMAP + PAGE;
/** Of so many of a heap's pages the system is asked whether they were written to. */
const MAX_KNOWN = (PAGES - PAGEMAP) / PAGEMAP_ENTRY;

/** What `page_kernel.wat` exports. */
interface Kernel {
  scan(from: number, pages: number, known: number): number;
  record(count: number): number;
  restore(count: number): void;
  words(page: number): number;
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
 * One heap's record: its pages that differ from the base. Only they take memory.
 *
 * A record outlives the instance whose memory it is of: {@link attach} binds it to the next one.
 */
export class HeapRecorder {
  readonly #base: BaseHeap;
  readonly #record = new WebAssembly.Memory({ initial: PAGES / WASM_PAGE });
  #count = 0;
  #heap: WebAssembly.Memory | undefined;
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
    this.#heap = heap;
  }

  /** Whether this is the heap that was attached last. */
  isOf(heap: WebAssembly.Memory): boolean {
    return this.#heap === heap;
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
    return page < LIST && this.#recorded()[page] === 1;
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
    const count = this.#attached().kernel.words(page);
    const values = new Int32Array(this.#record.buffer, WORDS, count);
    const numbers = new Uint16Array(this.#record.buffer, NUMBERS, count);
    return packWords(values, numbers) ?? this.#overBase(page, this.page(page));
  }

  /** The numbers of the recorded pages, ascending. */
  pages(): number[] {
    const recorded = this.#recorded();
    const pages: number[] = [];
    for (let page = recorded.indexOf(1); page >= 0; page = recorded.indexOf(1, page + 1)) pages.push(page);
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
    const { heap } = this.#attached();
    const bytes = wasmPages * WASM_PAGE;
    const missing = wasmPages - heap.buffer.byteLength / WASM_PAGE;
    if (missing < 0) throw new ImageError("the heap's memory is bigger than its image");
    try {
      heap.grow(missing);
    } catch {
      throw new ImageError(`there is no memory for a heap of ${bytes} bytes`);
    }
    this.#reserve(bytes);
    const based = fresh && this.#base.wasmPages > 0 && wasmPages >= this.#base.wasmPages;
    if (based) this.#fill(heap);
    else this.undo();
  }

  /**
   * Adds a page to the record, as a stored image has it.
   *
   * @param bytes What {@link delta} gave.
   * @param wasmPages Size of the recorded memory.
   * @throws {ImageError} if the page is not of that memory, or was recorded already.
   */
  load(page: number, bytes: Uint8Array, wasmPages: number): void {
    const end = (page + 1) * PAGE;
    const delta = unpackPage(bytes);
    if (end > wasmPages * WASM_PAGE || this.has(page)) {
      throw new ImageError("a page of the heap is invalid");
    }
    this.#reserve(end);
    this.page(page).set(this.#overBase(page, delta));
    this.#recorded()[page] = 1;
    this.#count++;
  }

  /** A page combined with the base's; twice makes it what it was. */
  #overBase(page: number, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
    const combined = new Uint8Array(bytes); // also for its alignment
    if (page * PAGE >= this.#base.memory.buffer.byteLength) return combined;
    const words = new Int32Array(combined.buffer);
    const base = new Int32Array(this.#base.memory.buffer, page * PAGE, words.length);
    for (let index = 0; index < words.length; index++) words[index]! ^= base[index]!;
    return combined;
  }

  /** Gives its memory back. It must not be used any more. */
  release(): void {
    giveBack(this.#record);
    this.#heap = undefined;
    this.#kernel = undefined;
  }

  #recorded(): Uint8Array {
    return new Uint8Array(this.#record.buffer, 0, LIST);
  }

  /** A base has all that a fresh instance's data segments set, so that no page need be looked at. */
  #fill(heap: WebAssembly.Memory): void {
    fillHeap(this.#base, heap);
    const target = new Uint8Array(heap.buffer);
    for (const page of this.pages()) target.set(this.page(page), page * PAGE);
  }

  /** Lists the pages from one on that differ from the record. @returns Their number. */
  #scan(from: number): number {
    const { heap, kernel } = this.#attached();
    this.#reserve(heap.buffer.byteLength);
    const pages = heap.buffer.byteLength / PAGE;
    const [asked, room] = [Math.min(pages, MAX_KNOWN), PAGEMAP + from * PAGEMAP_ENTRY];
    const known = from < asked && readPagemap(
      heap,
      from,
      new Uint8Array(this.#record.buffer, room, (asked - from) * PAGEMAP_ENTRY),
    );
    return kernel.scan(from, pages, known ? asked : 0);
  }

  #attached(): { heap: WebAssembly.Memory; kernel: Kernel } {
    if (!this.#heap || !this.#kernel) throw new Error("the record has no heap");
    return { heap: this.#heap, kernel: this.#kernel };
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
