import type { Instruction } from "./instructions.ts";
import { readOpcode, skipImmediates } from "./instructions.ts";
import type { Layout } from "./layout.ts";
import { Op } from "./opcodes.ts";
import type { ByteReader } from "./reader.ts";
import { skipBlockType, skipValueType } from "./types.ts";

/** What the embeddings of WebAssembly allow a function (JS API, implementation limits). */
const MAX_LOCALS = 50_000;

/** What decides how a loop can be metered. */
export interface LoopShape {
  /** Nothing in it can change the counter behind the function's back. */
  readonly callFree: boolean;
  readonly innermost: boolean;
  readonly hasParameters: boolean;
  /** The loop around it, in the same function, is call-free as well. */
  readonly inCallFree: boolean;
}

/** What a first pass over a function's body finds out for the second. */
export interface BodySurvey {
  /** Byte offset of the local declarations, and of the end of the body. */
  readonly start: number;
  readonly end: number;
  /** Number of groups of local declarations, byte offset of the first. */
  readonly localGroups: number;
  readonly localsStart: number;
  /** Byte offset of the first instruction. */
  readonly codeStart: number;
  /** Number of locals, without parameters. */
  readonly locals: number;
  /** In the order in which they begin. */
  readonly loops: readonly LoopShape[];
  /**
   * The functions called by name outside of all loops, without repetition, as indices among those that the module
   * defines. Whoever is called within a loop was counted with its pass.
   */
  readonly calls: readonly number[];
  /** Whether there are calls through a table or a reference outside of all loops. They may end up in any function. */
  readonly callsIndirectly: boolean;
}

interface OpenLoop {
  callFree: boolean;
  innermost: boolean;
  hasParameters: boolean;
  parent: OpenLoop | undefined;
}

/** @throws {MeteringError} if the body is malformed or has an unknown opcode. */
export function surveyBody(reader: ByteReader, layout: Layout, hooksMemoryGrow: boolean): BodySurvey {
  const start = reader.position;
  const localGroups = reader.u32();
  const localsStart = reader.position;
  let locals = 0;
  for (let i = 0; i < localGroups; i++) {
    locals += reader.u32();
    skipValueType(reader);
  }
  if (locals > MAX_LOCALS) reader.fail(`${locals} locals are too many`, localsStart);
  const codeStart = reader.position;

  const loops: OpenLoop[] = [];
  const calls = new Set<number>();
  let callsIndirectly = false;
  let current: OpenLoop | undefined;
  const blocks: (OpenLoop | undefined)[] = [undefined];
  const sawCall = () => {
    for (let loop = current; loop?.callFree; loop = loop.parent) loop.callFree = false;
  };

  const instruction: Instruction = { start: 0, opcode: 0, immediates: "none" };
  while (blocks.length > 0) {
    readOpcode(reader, instruction);
    const { opcode, immediates } = instruction;
    if (opcode === Op.loop) {
      const type = skipBlockType(reader);
      const hasParameters = type !== undefined && parametersOf(type, layout, reader) > 0;
      if (current) current.innermost = false;
      current = { callFree: true, innermost: true, hasParameters, parent: current };
      loops.push(current);
      blocks.push(current);
      continue;
    }
    if (opcode === Op.call || opcode === Op.returnCall) {
      const callee = reader.u32() - layout.importedFunctions;
      if (callee >= layout.functionTypes.length) reader.fail("unknown function", instruction.start);
      if (callee >= 0 && !current) calls.add(callee);
      sawCall();
      continue;
    }
    skipImmediates(reader, immediates);
    if (immediates === "block" || immediates === "try_table") blocks.push(undefined);
    else if (opcode === Op.end || opcode === Op.delegate) {
      const loop = blocks.pop();
      if (loop) current = loop.parent;
    } else if (immediates === "type of callee" || immediates === "type and table of callee") {
      if (current) sawCall();
      else callsIndirectly = true;
    } else if (opcode === Op.memoryGrow && hooksMemoryGrow) sawCall();
  }
  reader.expectEnd("function body");

  return {
    start,
    end: reader.end,
    localGroups,
    localsStart,
    codeStart,
    locals,
    loops: loops.map(({ parent, ...shape }) => ({ ...shape, inCallFree: parent?.callFree ?? false })),
    calls: [...calls],
    callsIndirectly,
  };
}

function parametersOf(type: number, layout: Layout, reader: ByteReader): number {
  return layout.parameters[type] ?? reader.fail(`unknown type ${type}`);
}
