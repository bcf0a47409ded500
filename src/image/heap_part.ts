/** The heap of one language as a part of an image: its pages, and a state of the language's own. */

import type { BaseHeap } from "./base_heap.ts";
import { ENTRY_MAX_BYTES, entryBytes, type ImageEntry } from "../executor/wire/entry.ts";
import { type HeapChange, HeapRecorder } from "./heap_recorder.ts";
import { ImageError } from "../executor/wire/image_error.ts";
import { PAGE, WASM_PAGE } from "./pages.ts";
import type { ImagePart, PendingCapture } from "./part.ts";
import { cut, join, pieceChanges } from "./pieces.ts";

/** Most that a heap's state may hold: of a program that imports tens of thousands of modules. */
const STATE_MAX_BYTES = 16 * 1024 * 1024;

/** A language's side: its live heap, and how to make one from a record. */
export interface HeapOwner<State> {
  /** The live heap; undefined if there is none. */
  live(): LiveHeap<State> | undefined;
  /**
   * A heap in which nothing has run yet, and which can take on the record of such a state; undefined if there is none.
   *
   * @throws {ImageError} if `state` is invalid.
   */
  unused(state: unknown): LiveHeap<State> | undefined;
  /** How often it has run anything: a heap that did not run since it was captured need not be looked at. */
  runs(): number;
  /**
   * Makes a new instance whose memory `fill` fills, and takes it for the live heap in the place of the present one.
   *
   * @param state What {@link LiveHeap.state} gave, as JSON brought it here.
   * @throws {ImageError} if `state` is invalid.
   */
  revive(state: unknown, fill: (memory: WebAssembly.Memory) => void): void;
  /** The heap that was unused is the record's now. */
  taken(): void;
  discard(): void;
}

export interface LiveHeap<State> {
  readonly memory: WebAssembly.Memory;
  /** Address below which memory holds nothing that will be read again. */
  readonly deadBelow: number;
  /** All that the instance's host side knows and memory does not; plain data. */
  readonly state: State;
  /**
   * Takes on a state, of which memory has its part already.
   *
   * @param state As {@link HeapOwner.revive} gets it. @throws {ImageError} if it is invalid.
   */
  goOn(state: unknown): void;
}

/** The pages of a heap that an image holds, where they are not those of its base; a view. */
export function usedMemory({ memory, deadBelow }: LiveHeap<unknown>): Uint8Array {
  return new Uint8Array(memory.buffer, Math.floor(deadBelow / PAGE) * PAGE);
}

export interface HeapPartOptions {
  /** The sections of its state and its pages. */
  readonly sections: { readonly state: number; readonly page: number };
  /**
   * What an instance of such a state started from.
   *
   * @throws {ImageError} if there is nothing of the kind, or `state` is invalid.
   */
  baseOf(state: unknown): BaseHeap;
  /** A recorded heap that is bigger is not revived. */
  readonly maxBytes: number;
}

interface CapturedHeap {
  readonly recorder: HeapRecorder;
  /** The language's state and the size of its memory, in pieces. */
  readonly state: readonly Uint8Array[];
  /** How often the language had run then. */
  readonly runs: number;
}

/** What a scan of a heap that did not run would find. */
const UNCHANGED: HeapChange = { pages: new Uint32Array(0), added: 0 };

export class HeapPart<State> implements ImagePart {
  readonly sections: readonly number[];
  readonly #owner: HeapOwner<State>;
  readonly #section: HeapPartOptions["sections"];
  readonly #baseOf: HeapPartOptions["baseOf"];
  readonly #maxBytes: number;
  /** What was captured; undefined: no heap. */
  #captured: CapturedHeap | undefined;

  /** @param name Its language. */
  constructor(
    readonly name: string,
    owner: HeapOwner<State>,
    { sections, baseOf, maxBytes }: HeapPartOptions,
  ) {
    this.sections = [sections.state, sections.page];
    this.#section = sections;
    this.#owner = owner;
    this.#baseOf = baseOf;
    this.#maxBytes = maxBytes;
  }

  /** Bytes of memory in which the captured heap is remembered. */
  get recordedBytes(): number {
    return (this.#captured?.recorder.count ?? 0) * PAGE;
  }

  beginCapture(): PendingCapture {
    const live = this.#owner.live();
    if (live === undefined) return { imageBytes: 0, commit: () => this.#replace(undefined, []) };
    try {
      return this.#beginCapture(live);
    } catch (error) {
      if (!(error instanceof ImageError)) throw error;
      // There is no memory to record it.
      return { imageBytes: Infinity, commit: () => this.#replace(undefined, []) };
    }
  }

  #beginCapture({ memory, state, deadBelow }: LiveHeap<State>): PendingCapture {
    const recorder = this.#captured?.recorder.isOf(memory)
      ? this.#captured.recorder
      : this.#newRecorder(memory, state);
    const runs = this.#owner.runs();
    const change = this.#captured?.recorder === recorder && this.#captured.runs === runs
      ? UNCHANGED
      : recorder.scan(deadBelow);
    const wasmPages = memory.buffer.byteLength / WASM_PAGE;
    const pieces = cut(encoder.encode(JSON.stringify({ wasmPages, state })), ENTRY_MAX_BYTES);
    const stateBytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
    return {
      // A state that could not be read again is as good as none.
      imageBytes: stateBytes > STATE_MAX_BYTES
        ? Infinity
        : pieces.length * entryBytes(0) + stateBytes + (recorder.count + change.added) * entryBytes(PAGE),
      commit: () => {
        recorder.record(change);
        return this.#replace({ recorder, state: pieces, runs }, change.pages);
      },
    };
  }

  /** Gives the record's memory back. The part must not be used any more. */
  release(): void {
    this.#captured?.recorder.release();
    this.#captured = undefined;
  }

  rollback(): void {
    if (this.#captured === undefined) this.#owner.discard();
    else this.#revive(this.#captured);
  }

  restore(entries: readonly ImageEntry[]): undefined {
    if (entries.length === 0) return;
    const pieces = entries.filter(({ section }) => section === this.#section.state);
    const state = pieces.sort((a, b) => a.b - b.b).map(({ a, b, bytes }, index) => {
      if (a !== 0 || b !== index) throw new ImageError("the heap's state is not whole");
      return bytes!.slice();
    });
    const { wasmPages, base } = this.#parseState(state);
    const recorder = new HeapRecorder(base);
    const pages = entries.filter(({ section }) => section === this.#section.page);
    recorder.expect(pages.map(({ a }) => a).sort((a, b) => a - b), wasmPages);
    for (const { a, b, bytes } of pages) {
      if (b !== 0) throw new ImageError("a page of the heap is invalid");
      recorder.load(a, bytes!, wasmPages);
    }
    const captured = { recorder, state, runs: this.#owner.runs() };
    this.#revive(captured);
    this.#captured = captured;
  }

  #revive(captured: CapturedHeap): void {
    const { wasmPages, state } = this.#parseState(captured.state);
    const live = this.#owner.live();
    const sameSize = live?.memory.buffer.byteLength === wasmPages * WASM_PAGE;
    if (live && sameSize && captured.recorder.isOf(live.memory)) {
      captured.recorder.undo();
      return live.goOn(state);
    }
    const unused = this.#owner.unused(state);
    if (unused && unused.memory.buffer.byteLength <= wasmPages * WASM_PAGE) {
      captured.recorder.attach(unused.memory);
      captured.recorder.restore(wasmPages, false);
      unused.goOn(state);
      return this.#owner.taken();
    }
    this.#owner.revive(state, (memory) => {
      captured.recorder.attach(memory);
      captured.recorder.restore(wasmPages);
    });
  }

  #parseState(pieces: readonly Uint8Array[]): { wasmPages: number; state: unknown; base: BaseHeap } {
    const bytes = join(pieces, STATE_MAX_BYTES);
    let whole: unknown;
    try {
      whole = JSON.parse(decoder.decode(bytes));
    } catch {
      throw new ImageError("the heap's state is not JSON");
    }
    const { wasmPages, state } = (whole ?? {}) as { wasmPages?: unknown; state?: unknown };
    if (typeof wasmPages !== "number" || !Number.isInteger(wasmPages) || wasmPages < 0) {
      throw new ImageError("the heap's size is invalid");
    }
    const base = this.#baseOf(state);
    const most = Math.max(base.wasmPages, Math.floor(this.#maxBytes / WASM_PAGE));
    if (wasmPages > most) throw new ImageError("the heap exceeds its bound");
    return { wasmPages, state, base };
  }

  #newRecorder(memory: WebAssembly.Memory, state: State): HeapRecorder {
    const recorder = new HeapRecorder(this.#baseOf(state));
    recorder.attach(memory);
    return recorder;
  }

  /** Takes `now` for what is captured. @param changed Its pages that the present record lacks or has otherwise. */
  #replace(now: CapturedHeap | undefined, changed: Iterable<number>): ImageEntry[] {
    const before = this.#captured;
    this.#captured = now;
    const entries = pieceChanges(this.#section.state, before?.state ?? [], now?.state ?? []);
    if (before !== undefined && before.recorder !== now?.recorder) {
      for (const page of before.recorder.pages()) {
        if (!now?.recorder.has(page)) entries.push(this.#pageEntry(page, null));
      }
      before.recorder.release();
    }
    const { page: section } = this.#section;
    for (const page of changed) {
      // Made when it is asked for: of a large heap all of them together would take as much memory again.
      entries.push({
        section,
        a: page,
        b: 0,
        get bytes() {
          return now!.recorder.delta(page);
        },
      });
    }
    return entries;
  }

  #pageEntry(page: number, bytes: Uint8Array | null): ImageEntry {
    return { section: this.#section.page, a: page, b: 0, bytes };
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });
