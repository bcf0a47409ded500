/**
 * Which immediates follow each opcode (spec §5.4): the core of WebAssembly 2.0 with sign extension, saturating
 * conversions, bulk memory, reference types, multi-value and SIMD, and tail calls, typed function references,
 * exception handling (final and legacy), threads and relaxed SIMD. Garbage collection is not here: its types would
 * have to be understood as well.
 */

/** The opcodes that the rewriter treats in a way of their own. */
export const Op = {
  loop: 0x03,
  if: 0x04,
  else: 0x05,
  end: 0x0b,
  brIf: 0x0d,
  call: 0x10,
  returnCall: 0x12,
  delegate: 0x18,
  select: 0x1b,
  localGet: 0x20,
  localSet: 0x21,
  localTee: 0x22,
  globalGet: 0x23,
  globalSet: 0x24,
  memorySize: 0x3f,
  memoryGrow: 0x40,
  i32Const: 0x41,
  i32LtS: 0x48,
  i32GtS: 0x4a,
  i32GtU: 0x4b,
  i32Add: 0x6a,
  i32Sub: 0x6b,
  refFunc: 0xd2,
} as const;

/** What follows an opcode, by what the rewriter must do with it. */
export type Immediates =
  | "none"
  /** A block type; a structured instruction opens. */
  | "block"
  /** A block type and catch clauses with labels; a structured instruction opens. */
  | "try_table"
  | "label"
  /** The labels of br_table. */
  | "labels"
  | "function"
  /** The type of a call through a reference. */
  | "type of callee"
  /** The type and the table of a call through a table. */
  | "type and table of callee"
  | "index"
  | "two indices"
  | "memarg"
  | "memarg and lane"
  | "i32"
  | "i64"
  | "byte"
  | "4 bytes"
  | "8 bytes"
  | "16 bytes"
  | "value types"
  | "heap type";

type Table = readonly (Immediates | undefined)[];
type Row = readonly [first: number, last: number, immediates: Immediates];

function table(rows: readonly Row[], holes: readonly number[] = []): Table {
  const entries: (Immediates | undefined)[] = [];
  for (const [first, last, immediates] of rows) {
    for (let opcode = first; opcode <= last; opcode++) entries[opcode] = immediates;
  }
  for (const opcode of holes) entries[opcode] = undefined;
  return entries;
}

const PLAIN = table([
  [0x00, 0x01, "none"], // unreachable nop
  [0x02, 0x04, "block"], // block loop if
  [0x05, 0x05, "none"], // else
  [0x06, 0x06, "block"], // try (legacy)
  [0x07, 0x08, "index"], // catch (legacy) throw
  [0x09, 0x09, "label"], // rethrow (legacy)
  [0x0a, 0x0b, "none"], // throw_ref end
  [0x0c, 0x0d, "label"], // br br_if
  [0x0e, 0x0e, "labels"], // br_table
  [0x0f, 0x0f, "none"], // return
  [0x10, 0x10, "function"], // call
  [0x11, 0x11, "type and table of callee"], // call_indirect
  [0x12, 0x12, "function"], // return_call
  [0x13, 0x13, "type and table of callee"], // return_call_indirect
  [0x14, 0x15, "type of callee"], // call_ref return_call_ref
  [0x18, 0x18, "label"], // delegate (legacy)
  [0x19, 0x1b, "none"], // catch_all (legacy) drop select
  [0x1c, 0x1c, "value types"], // select with types
  [0x1f, 0x1f, "try_table"],
  [0x20, 0x26, "index"], // local.* global.* table.get table.set
  [0x28, 0x3e, "memarg"], // loads and stores
  [0x3f, 0x40, "index"], // memory.size memory.grow
  [0x41, 0x41, "i32"],
  [0x42, 0x42, "i64"],
  [0x43, 0x43, "4 bytes"],
  [0x44, 0x44, "8 bytes"],
  [0x45, 0xc4, "none"], // comparisons, arithmetic, conversions, sign extension
  [0xd0, 0xd0, "heap type"], // ref.null
  [0xd1, 0xd1, "none"], // ref.is_null
  [0xd2, 0xd2, "function"], // ref.func
  [0xd4, 0xd4, "none"], // ref.as_non_null
  [0xd5, 0xd6, "label"], // br_on_null br_on_non_null
]);

const PREFIXED = new Map<number, Table>([
  [
    0xfc,
    table([
      [0, 7, "none"], // saturating conversions
      [8, 8, "two indices"], // memory.init
      [9, 9, "index"], // data.drop
      [10, 10, "two indices"], // memory.copy
      [11, 11, "index"], // memory.fill
      [12, 12, "two indices"], // table.init
      [13, 13, "index"], // elem.drop
      [14, 14, "two indices"], // table.copy
      [15, 17, "index"], // table.grow table.size table.fill
    ]),
  ],
  [
    0xfd, // SIMD
    table([
      [0x00, 0x0b, "memarg"], // loads, v128.store
      [0x0c, 0x0d, "16 bytes"], // v128.const i8x16.shuffle
      [0x0e, 0x14, "none"],
      [0x15, 0x22, "byte"], // extract_lane replace_lane
      [0x23, 0x53, "none"],
      [0x54, 0x5b, "memarg and lane"],
      [0x5c, 0x5d, "memarg"], // load32_zero load64_zero
      [0x5e, 0xff, "none"],
      [0x100, 0x113, "none"], // relaxed
    ], [
      ...[0x9a, 0xa2, 0xa5, 0xa6, 0xaf, 0xb0, 0xb2, 0xb3, 0xb4, 0xbb],
      ...[0xc2, 0xc5, 0xc6, 0xcf, 0xd0, 0xd2, 0xd3, 0xd4, 0xe2, 0xee],
    ]),
  ],
  [
    0xfe, // threads
    table([
      [0x00, 0x02, "memarg"], // notify wait32 wait64
      [0x03, 0x03, "byte"], // fence
      [0x10, 0x4e, "memarg"],
    ]),
  ],
]);

/** The opcodes that follow `prefix`, if it is one. */
export function prefixed(prefix: number): Table | undefined {
  return PREFIXED.get(prefix);
}

/** The immediates of an opcode without prefix; undefined if there is no such opcode. */
export function plain(opcode: number): Immediates | undefined {
  return PLAIN[opcode];
}
