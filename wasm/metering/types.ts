/** Skips over the type grammar of the binary format (spec §5.3), far enough to know where each type ends. */

import type { ByteReader } from "./reader.ts";

const EMPTY_BLOCK = 0x40;
const FUNCTION_TYPE = 0x60;
const REFERENCES_WITH_HEAP_TYPE = [0x63, 0x64];
/** i32 i64 f32 f64 v128 funcref externref exnref */
const SHORT_VALUE_TYPES = [0x7f, 0x7e, 0x7d, 0x7c, 0x7b, 0x70, 0x6f, 0x69];

export const I32 = 0x7f;

export function skipValueType(reader: ByteReader): void {
  const start = reader.position;
  const type = reader.byte();
  if (REFERENCES_WITH_HEAP_TYPE.includes(type)) reader.s33();
  else if (!SHORT_VALUE_TYPES.includes(type)) reader.fail(`unknown value type 0x${type.toString(16)}`, start);
}

/** Skips a list of value types. @returns How many there are. */
export function skipValueTypes(reader: ByteReader): number {
  const count = reader.u32();
  for (let i = 0; i < count; i++) skipValueType(reader);
  return count;
}

/** Skips a function type. @returns The number of its parameters. */
export function skipFunctionType(reader: ByteReader): number {
  const start = reader.position;
  const form = reader.byte();
  if (form !== FUNCTION_TYPE) reader.fail(`unknown form of type 0x${form.toString(16)}`, start);
  const params = skipValueTypes(reader);
  skipValueTypes(reader);
  return params;
}

/** Skips a block type. @returns The index of its function type, if it has parameters or several results. */
export function skipBlockType(reader: ByteReader): number | undefined {
  const start = reader.position;
  const first = reader.byte();
  if (first === EMPTY_BLOCK) return undefined;
  reader.position = start;
  const isValueType = first < 0x80 && (first & 0x40) !== 0;
  if (!isValueType) return reader.s33();
  skipValueType(reader);
  return undefined;
}

/**
 * Skips the limits of a memory or table.
 *
 * Only 32-bit addresses: what counts pages and bytes here, and the hook in memory.grow, is i32.
 */
export function skipLimits(reader: ByteReader): void {
  const start = reader.position;
  const flags = reader.byte();
  if (flags > 3) reader.fail(`limits of an unknown form 0x${flags.toString(16)}`, start);
  reader.u32();
  if (flags & 1) reader.u32();
}

export function skipTableType(reader: ByteReader): void {
  skipValueType(reader);
  skipLimits(reader);
}
