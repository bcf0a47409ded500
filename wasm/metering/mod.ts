/**
 * Metering: makes the work that a WebAssembly module does countable and stoppable, by rewriting the module. V8 has
 * no fuel of its own, and nothing else ends a busy guest short of killing its process.
 *
 * **What is counted.** One unit at every pass of a loop's header, at every call outside of loops that may lead to any
 * function, and at entries of functions that cut the cycles of other calls. That is enough for no code to run forever,
 * or exponentially long in the depth of its recursion, without being counted, and cheap. It is a repeatable measure of
 * work, not a fair one: what lies between two checks is bounded by the module's size and, for instructions such as
 * memory.fill, by its memory. Imported functions are not counted, nor are cycles of calls that lead through them.
 *
 * **What the host sees.**
 * - The export `sandbox_fuel`, a mutable i32 global: the counter, counted down. The fuel consumed by a program depends
 *   on nothing else than what it does: not on how often and how much the host refills.
 * - The import `sandbox.out_of_fuel`, without parameters or results, called by a check that finds the counter below
 *   zero. It adds to the counter, or throws. Frames of the guest are not unwound then, so that the instance can't be
 *   used any more; and a module that catches all exceptions (CPython and QuickJS have no such code) would catch this.
 * - With `growHook`, the export `sandbox_max_pages`, a mutable i32 global, initially 65,536: memory.grow gives -1 if
 *   the memory would have more pages, of 64 KiB. It does not bind a host that grows the memory from outside. And
 *   out_of_fuel is called after each memory.grow that is not refused so, whatever the counter is: what fills memory by
 *   instructions that are not counted is seen, and can be stopped, while it grows.
 *
 * **Before the host can refill.** The counter starts at zero, and a start function runs before the host can reach the
 * exports: out_of_fuel is called at every one of its checks. If it returns without adding anything, the guest
 * simply goes on, the counter stays at -1, and it does not matter how often that happens. Counting begins with the
 * value that the host sets. When a check calls out_of_fuel the counter is -1, never less, if the host only ever sets it
 * to zero or more: a budget is exceeded by one unit at most, and any refill brings the counter back to zero or above.
 *
 * The names of functions and all other custom sections are dropped, since the indices in them would be wrong.
 *
 * @module
 */

import { Additions } from "./additions.ts";
import { isMined } from "./body.ts";
import { meterCode } from "./code.ts";
import { MeteringError } from "./error.ts";
import { readLayout } from "./layout.ts";
import {
  appendToList,
  rewriteElements,
  rewriteExport,
  rewriteFunctionIndex,
  rewriteGlobal,
  rewriteImport,
  rewriteList,
  rewriteTable,
} from "./rewrite_sections.ts";
import { HEADER, SECTION_ORDER, SectionId, Sections } from "./sections.ts";
import { ByteWriter } from "./writer.ts";

export { MeteringError };
export type { FaultyFunction } from "./error.ts";

export interface MeteringOptions {
  /** Lets the host cap memory.grow by the exported global `sandbox_max_pages`. */
  readonly growHook?: boolean;
}

/** What was found and added; sizes in bytes. */
export interface MeteringStats {
  readonly functions: number;
  readonly checkedEntries: number;
  readonly loops: number;
  /** Of the loops: those that were strip-mined. */
  readonly minedLoops: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
}

/**
 * Adds metering to a module, as described for this file. The same input gives the same output, byte for byte.
 *
 * @param wasm The module in the binary format; it is not changed.
 * @throws {MeteringError} if the module is malformed or invalid, was metered before, or uses a type or opcode that
 *   is unknown here; it names the function and the byte offset.
 */
export function meter(
  wasm: Uint8Array,
  options: MeteringOptions = {},
): { wasm: Uint8Array<ArrayBuffer>; stats: MeteringStats } {
  const sections = new Sections(wasm);
  const layout = readLayout(sections);
  const additions = new Additions(layout, options.growHook ?? false);
  const { bodies, entries, code, hints } = meterCode(sections, layout, additions);

  const out = new ByteWriter(wasm.length + code.length);
  out.raw(...HEADER);
  const put = (id: number, content: ByteWriter) => {
    out.byte(id);
    out.sized(content);
  };
  for (const id of SECTION_ORDER) {
    const reader = sections.open(id);
    switch (id) {
      case SectionId.type:
        put(id, appendToList(reader, additions.types()));
        break;
      case SectionId.import:
        put(id, rewriteList(reader, additions, rewriteImport, additions.imports()));
        break;
      case SectionId.function:
        put(id, appendToList(reader, additions.functionTypes()));
        break;
      case SectionId.global:
        put(id, rewriteList(reader, additions, rewriteGlobal, additions.globals()));
        break;
      case SectionId.export:
        put(id, rewriteList(reader, additions, rewriteExport, additions.exports()));
        break;
      case SectionId.code:
        put(SectionId.custom, hints);
        put(id, code);
        break;
      case SectionId.table:
        if (reader) put(id, rewriteList(reader, additions, rewriteTable));
        break;
      case SectionId.element:
        if (reader) put(id, rewriteList(reader, additions, rewriteElements));
        break;
      case SectionId.start:
        if (reader) {
          const start = new ByteWriter(5);
          rewriteFunctionIndex(reader, start, additions);
          reader.expectEnd("start function");
          put(id, start);
        }
        break;
      default:
        if (reader) {
          out.byte(id);
          out.u32(reader.end - reader.position);
          out.copy(wasm, reader.position, reader.end);
        }
    }
  }

  // An index that is out of range in the input may be that of something added.
  if (!WebAssembly.validate(new Uint8Array(wasm))) throw new MeteringError("the module is not valid", 0);

  const loops = bodies.flatMap((body) => body.loops);
  const stats = {
    functions: bodies.length,
    checkedEntries: entries.filter((checked) => checked).length,
    loops: loops.length,
    minedLoops: loops.filter(isMined).length,
    bytesIn: wasm.length,
    bytesOut: out.length,
  };
  return { wasm: out.written.slice(), stats };
}
