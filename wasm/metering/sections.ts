import { MeteringError } from "./error.ts";
import { ByteReader } from "./reader.ts";

export const SectionId = {
  custom: 0,
  type: 1,
  import: 2,
  function: 3,
  table: 4,
  memory: 5,
  global: 6,
  export: 7,
  start: 8,
  element: 9,
  code: 10,
  data: 11,
  dataCount: 12,
  tag: 13,
} as const;

/** The order in which sections must appear (spec §5.5.2), which is not the order of their ids. */
export const SECTION_ORDER: readonly number[] = [
  SectionId.type,
  SectionId.import,
  SectionId.function,
  SectionId.table,
  SectionId.memory,
  SectionId.tag,
  SectionId.global,
  SectionId.export,
  SectionId.start,
  SectionId.element,
  SectionId.dataCount,
  SectionId.code,
  SectionId.data,
];

export const HEADER = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];

/** Where the sections of a module are. Custom sections are left out, but for the one with names. */
export class Sections {
  readonly #found = new Map<number, readonly [start: number, end: number]>();
  #names: readonly [start: number, end: number] | undefined;

  /** @throws {MeteringError} if `wasm` is no module, or its sections are cut off, unknown or out of order. */
  constructor(readonly wasm: Uint8Array) {
    if (HEADER.some((byte, i) => wasm[i] !== byte)) throw new MeteringError("not a WebAssembly module", 0);
    const reader = new ByteReader(wasm, HEADER.length);
    let rank = -1;
    while (!reader.done) {
      const start = reader.position;
      const id = reader.byte();
      const content = reader.sized();
      if (id === SectionId.custom) {
        if (content.name() === "name") this.#names = [content.position, content.end];
        continue;
      }
      const next = SECTION_ORDER.indexOf(id);
      if (next < 0) reader.fail(`unknown section ${id}`, start);
      if (next <= rank) reader.fail(`section ${id} is out of order`, start);
      rank = next;
      this.#found.set(id, [content.position, content.end]);
    }
  }

  /** A reader at the start of a section's content; undefined if the module does not have it. */
  open(id: number): ByteReader | undefined {
    const range = this.#found.get(id);
    return range && new ByteReader(this.wasm, ...range);
  }

  /** A reader at the first subsection of the name section; undefined if the module does not have one. */
  openNames(): ByteReader | undefined {
    return this.#names && new ByteReader(this.wasm, ...this.#names);
  }
}
