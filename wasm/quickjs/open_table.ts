/**
 * Opens QuickJS's table of functions: two more places at its end, and an export of the table. A host can then put a
 * function of its own where QuickJS calls one by a pointer, and no function of the package sets that pointer: QuickJS
 * tells of promises that were made, or rejected without a handler, in no other way.
 */

import { HEADER, SECTION_ORDER, SectionId, Sections } from "../metering/sections.ts";
import { MeteringError } from "../metering/error.ts";
import type { ByteReader } from "../metering/reader.ts";
import { ByteWriter } from "../metering/writer.ts";

/** What the table is exported as. */
export const TABLE_EXPORT = "table";

/** Places for the host's functions. */
const ADDED = 2;
const TABLE = 1;
const FUNCREF = 0x70;
const UNBOUNDED = 0;

/** @throws {MeteringError} if the module has not exactly one table, which may grow. */
export function openTable(wasm: Uint8Array): Uint8Array<ArrayBuffer> {
  const sections = new Sections(wasm);
  const out = new ByteWriter(wasm.length + 32);
  out.raw(...HEADER);
  for (const id of SECTION_ORDER) {
    const reader = sections.open(id);
    if (!reader) continue;
    out.byte(id);
    if (id === SectionId.table) out.sized(longerTable(reader));
    else if (id === SectionId.export) out.sized(withTable(reader));
    else {
      const content = new ByteWriter(reader.end - reader.position);
      content.copy(wasm, reader.position, reader.end);
      out.sized(content);
    }
  }
  return out.written.slice();
}

function longerTable(reader: ByteReader): ByteWriter {
  const [count, type, limits, size] = [reader.u32(), reader.byte(), reader.byte(), reader.u32()];
  if (count !== 1 || type !== FUNCREF || limits !== UNBOUNDED) {
    throw new MeteringError("not one table of functions that may grow", reader.position);
  }
  reader.expectEnd("table");
  const out = new ByteWriter();
  out.raw(1, FUNCREF, UNBOUNDED);
  out.u32(size + ADDED);
  return out;
}

function withTable(reader: ByteReader): ByteWriter {
  const out = new ByteWriter(reader.end - reader.position + 16);
  out.u32(reader.u32() + 1);
  out.copy(reader.bytes, reader.position, reader.end);
  out.name(TABLE_EXPORT);
  out.byte(TABLE);
  out.u32(0);
  return out;
}
