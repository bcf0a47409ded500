import type { Additions } from "./additions.ts";
import { ABI } from "./additions.ts";
import type { Instruction } from "./instructions.ts";
import { readOpcode, skipImmediates } from "./instructions.ts";
import { skipImportDescription } from "./layout.ts";
import { Op } from "./opcodes.ts";
import type { ByteReader } from "./reader.ts";
import { skipLimits, skipValueType } from "./types.ts";
import { ByteWriter } from "./writer.ts";

const FUNCTION = 0;
/** Begins a table that has an initial value. */
const TABLE_WITH_INITIALISER = 0x40;

/** Rewrites one item of a section's list: reads it from `reader` and writes its new form. */
type RewriteItem = (reader: ByteReader, out: ByteWriter, additions: Additions) => void;

/**
 * A section whose content is a list, with its items rewritten and more of them appended.
 *
 * @param reader Undefined if the module does not have the section.
 */
export function rewriteList(
  reader: ByteReader | undefined,
  additions: Additions,
  rewriteItem: RewriteItem,
  appended: readonly ByteWriter[] = [],
): ByteWriter {
  const out = new ByteWriter(reader ? reader.end - reader.position + 64 : 64);
  const count = reader?.u32() ?? 0;
  out.u32(count + appended.length);
  if (reader) {
    for (let left = count; left > 0; left--) rewriteItem(reader, out, additions);
    reader.expectEnd("section");
  }
  for (const item of appended) out.copy(item.written);
  return out;
}

/** A section of which nothing changes, but that gets more items. */
export function appendToList(reader: ByteReader | undefined, appended: readonly ByteWriter[]): ByteWriter {
  const out = new ByteWriter();
  out.u32((reader?.u32() ?? 0) + appended.length);
  if (reader) out.copy(reader.bytes, reader.position, reader.end);
  for (const item of appended) out.copy(item.written);
  return out;
}

export const rewriteTable: RewriteItem = (reader, out, additions) => {
  const initialised = reader.bytes[reader.position] === TABLE_WITH_INITIALISER;
  copied(reader, out, () => {
    if (initialised) reader.skip(2);
    skipValueType(reader);
    skipLimits(reader);
  });
  if (initialised) rewriteExpression(reader, out, additions);
};

export const rewriteGlobal: RewriteItem = (reader, out, additions) => {
  copied(reader, out, () => {
    skipValueType(reader);
    reader.byte();
  });
  rewriteExpression(reader, out, additions);
};

export const rewriteExport: RewriteItem = (reader, out, additions) => {
  const start = reader.position;
  const name = reader.name();
  if (name === ABI.fuel || name === ABI.maxPages) reader.fail(`the export ${name} is there already`, start);
  reader.position = start;
  copied(reader, out, () => reader.sized());
  const kind = reader.byte();
  out.byte(kind);
  if (kind === FUNCTION) rewriteFunctionIndex(reader, out, additions);
  else out.u32(reader.u32());
};

export const rewriteFunctionIndex: RewriteItem = (reader, out, additions) => {
  out.u32(additions.shifted(reader.u32()));
};

/** A segment of functions for tables, in one of eight forms (spec §5.5.12). */
export const rewriteElements: RewriteItem = (reader, out, additions) => {
  const start = reader.position;
  const form = reader.u32();
  if (form > 7) reader.fail(`unknown form of element segment ${form}`, start);
  const active = (form & 1) === 0;
  const explicit = (form & 2) !== 0;
  const asExpressions = (form & 4) !== 0;
  out.u32(form);
  if (active) {
    if (explicit) out.u32(reader.u32());
    rewriteExpression(reader, out, additions);
  }
  if (explicit || !active) {
    copied(reader, out, () => asExpressions ? skipValueType(reader) : reader.skip(1));
  }
  const count = reader.u32();
  out.u32(count);
  const rewriteItem = asExpressions ? rewriteExpression : rewriteFunctionIndex;
  for (let left = count; left > 0; left--) rewriteItem(reader, out, additions);
};

/** A constant expression (spec §3.4.15): no calls, blocks or labels. */
const rewriteExpression: RewriteItem = (reader, out, additions) => {
  const instruction: Instruction = { start: 0, opcode: 0, immediates: "none" };
  for (;;) {
    readOpcode(reader, instruction);
    const { start, opcode, immediates } = instruction;
    if (opcode === Op.refFunc) {
      out.byte(opcode);
      rewriteFunctionIndex(reader, out, additions);
      continue;
    }
    skipImmediates(reader, immediates);
    out.copy(reader.bytes, start, reader.position);
    if (opcode === Op.end) return;
  }
};

/** Copies what `skip` skips. */
function copied(reader: ByteReader, out: ByteWriter, skip: () => void): void {
  const start = reader.position;
  skip();
  out.copy(reader.bytes, start, reader.position);
}

export const rewriteImport: RewriteItem = (reader, out) => {
  copied(reader, out, () => {
    reader.sized();
    reader.sized();
    skipImportDescription(reader);
  });
};
