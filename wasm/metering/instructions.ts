import type { Immediates } from "./opcodes.ts";
import { plain, prefixed } from "./opcodes.ts";
import type { ByteReader } from "./reader.ts";
import { skipBlockType, skipValueTypes } from "./types.ts";

/** Bit of a memarg's alignment that says that a memory index follows. */
const HAS_MEMORY_INDEX = 0x40;

/** An instruction up to its immediates, which the reader stands before. */
export interface Instruction {
  /** Byte offset in the module. */
  start: number;
  /** First byte: the opcode, or the prefix of a family of opcodes, none of which the rewriter tells apart. */
  opcode: number;
  immediates: Immediates;
}

/**
 * Reads an opcode into `instruction`, which is reused: there are millions of them.
 *
 * @throws {MeteringError} if the opcode is unknown.
 */
export function readOpcode(reader: ByteReader, instruction: Instruction): void {
  const start = reader.position;
  const opcode = reader.byte();
  let immediates = plain(opcode);
  let suffix = "";
  if (immediates === undefined) {
    const family = prefixed(opcode);
    if (family) {
      const member = reader.u32();
      immediates = family[member];
      suffix = ` 0x${member.toString(16)}`;
    }
  }
  if (immediates === undefined) reader.fail(`unknown opcode 0x${opcode.toString(16)}${suffix}`, start);
  instruction.start = start;
  instruction.opcode = opcode;
  instruction.immediates = immediates;
}

export function skipMemarg(reader: ByteReader): void {
  if (reader.u32() & HAS_MEMORY_INDEX) reader.u32();
  reader.u32();
}

/** Skips one clause of try_table up to its label. */
export function skipCatchUpToLabel(reader: ByteReader): void {
  const start = reader.position;
  const kind = reader.byte();
  if (kind > 3) reader.fail(`unknown catch clause 0x${kind.toString(16)}`, start);
  const namesTag = kind < 2;
  if (namesTag) reader.u32();
}

export function skipImmediates(reader: ByteReader, immediates: Immediates): void {
  switch (immediates) {
    case "none":
      return;
    case "index":
    case "label":
    case "function":
    case "type of callee":
      reader.u32();
      return;
    case "memarg":
      skipMemarg(reader);
      return;
    case "i32":
      reader.skipInteger(32);
      return;
    case "i64":
      reader.skipInteger(64);
      return;
    case "block":
      skipBlockType(reader);
      return;
    case "two indices":
    case "type and table of callee":
      reader.u32();
      reader.u32();
      return;
    case "labels": {
      for (let left = reader.u32(); left >= 0; left--) reader.u32();
      return;
    }
    case "try_table": {
      skipBlockType(reader);
      for (let left = reader.u32(); left > 0; left--) {
        skipCatchUpToLabel(reader);
        reader.u32();
      }
      return;
    }
    case "memarg and lane":
      skipMemarg(reader);
      reader.byte();
      return;
    case "byte":
      reader.byte();
      return;
    case "4 bytes":
      reader.skip(4);
      return;
    case "8 bytes":
      reader.skip(8);
      return;
    case "16 bytes":
      reader.skip(16);
      return;
    case "value types":
      skipValueTypes(reader);
      return;
    case "heap type":
      reader.s33();
      return;
  }
}
