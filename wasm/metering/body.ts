import type { Additions } from "./additions.ts";
import { CheckEmitter } from "./checks.ts";
import type { Instruction } from "./instructions.ts";
import { readOpcode, skipCatchUpToLabel, skipImmediates } from "./instructions.ts";
import { Op } from "./opcodes.ts";
import { ByteReader } from "./reader.ts";
import type { BodySurvey, LoopShape } from "./survey.ts";
import { I32, skipBlockType } from "./types.ts";
import type { ByteWriter } from "./writer.ts";

const NOWHERE = -1;

/** Innermost call-free loops can be strip-mined; a loop with parameters would need them at both headers. */
export function isMined(loop: LoopShape): boolean {
  return loop.callFree && loop.innermost && !loop.hasParameters;
}

/**
 * Rewrites one function's body: adds the checks, shifts function indices, hooks memory.grow.
 *
 * A strip-mined loop gets a second loop around it, to which its header branches when the fuel is used up: with the
 * call to the host out there, the inner loop stays free of calls, and so of spilled registers.
 *
 *     loop                        ;; around the original one
 *       (refill if the counter is below zero)
 *       loop                      ;; the original one
 *         (br_if 1 if the copy is below zero)
 *         (count down)
 *
 * Labels that lead out of it must then skip one block more. Strip-mined loops are innermost, so there is
 * never more than one such block around an instruction.
 */
export class BodyRewriter {
  readonly #reader: ByteReader;
  readonly #checks: CheckEmitter;
  /** Offset of what was not yet copied of the original. */
  #pending: number;
  #nextLoop = 0;
  /** Blocks around the current instruction, the function's own included. */
  #depth = 1;
  /** The depth inside the strip-mined loop around the current instruction. */
  #minedDepth = NOWHERE;
  /** The depth inside the outermost loop around it. */
  #loopDepth = NOWHERE;

  constructor(
    private readonly wasm: Uint8Array,
    private readonly survey: BodySurvey,
    private readonly additions: Additions,
    private readonly out: ByteWriter,
    parameters: number,
  ) {
    this.#reader = new ByteReader(wasm, survey.codeStart, survey.end);
    this.#pending = survey.codeStart;
    this.#checks = new CheckEmitter(out, additions, parameters + survey.locals);
  }

  /**
   * @param checkEntry Whether calls are counted as well.
   * @returns Offsets in the new body of the branches that are unlikely to be taken.
   * @throws {MeteringError} if a label or a function index is out of range.
   */
  rewrite(checkEntry: boolean): readonly number[] {
    this.#declareLocals(checkEntry);
    if (checkEntry) this.#checks.checkGlobal();
    const instruction: Instruction = { start: 0, opcode: 0, immediates: "none" };
    while (this.#depth > 0) {
      readOpcode(this.#reader, instruction);
      this.#rewriteInstruction(instruction);
    }
    this.#copyUpTo(this.survey.end);
    return this.#checks.hints;
  }

  #declareLocals(checkEntry: boolean): void {
    const { start, localGroups, localsStart, codeStart, loops, callsIndirectly } = this.survey;
    if (!checkEntry && loops.length === 0 && !callsIndirectly) {
      this.out.copy(this.wasm, start, codeStart);
      return;
    }
    this.out.u32(localGroups + 1);
    this.out.copy(this.wasm, localsStart, codeStart);
    this.out.raw(1, I32);
  }

  #rewriteInstruction({ start, opcode, immediates }: Instruction): void {
    const reader = this.#reader;
    switch (immediates) {
      case "block":
        skipBlockType(reader);
        if (opcode === Op.loop) this.#openLoop(start);
        this.#depth++;
        if (opcode === Op.loop && this.#loopDepth === NOWHERE) this.#loopDepth = this.#depth;
        return;
      case "try_table":
        this.#rewriteTryTable();
        this.#depth++;
        return;
      case "label":
        if (opcode === Op.delegate) this.#depth--;
        this.#replaceLabel();
        return;
      case "labels":
        for (let left = reader.u32(); left >= 0; left--) this.#replaceLabel();
        return;
      case "function":
        this.#replaceFunction();
        return;
      case "type of callee":
      case "type and table of callee":
        if (this.#loopDepth === NOWHERE) this.#countCall(start);
        skipImmediates(reader, immediates);
        return;
      default:
        if (opcode === Op.memoryGrow && this.additions.grow !== undefined) {
          this.#replaceMemoryGrow(start, this.additions.grow);
          return;
        }
        skipImmediates(reader, immediates);
        if (opcode === Op.end) this.#closeBlock();
    }
  }

  #openLoop(start: number): void {
    const loop = this.survey.loops[this.#nextLoop++]!;
    const checks = this.#checks;
    const afterHeader = this.#reader.position;
    if (isMined(loop)) {
      this.#copyUpTo(afterHeader);
      checks.refillIfEmpty();
      this.out.copy(this.wasm, start, afterHeader);
      checks.checkMined();
      this.#minedDepth = this.#depth + 1;
    } else if (loop.callFree) {
      this.#copyUpTo(start);
      if (!loop.inCallFree) checks.load();
      this.#copyUpTo(afterHeader);
      checks.checkCopy();
    } else {
      this.#copyUpTo(afterHeader);
      checks.checkGlobal();
    }
  }

  /** Its operands are on the stack, and stay there. */
  #countCall(start: number): void {
    this.#copyUpTo(start);
    this.#checks.checkGlobal();
  }

  #closeBlock(): void {
    if (this.#depth === this.#loopDepth) this.#loopDepth = NOWHERE;
    if (this.#depth === this.#minedDepth) {
      this.#copyUpTo(this.#reader.position);
      this.out.byte(Op.end);
      this.#minedDepth = NOWHERE;
    }
    this.#depth--;
  }

  /** The labels of its clauses are those outside of it. */
  #rewriteTryTable(): void {
    skipBlockType(this.#reader);
    for (let left = this.#reader.u32(); left > 0; left--) {
      skipCatchUpToLabel(this.#reader);
      this.#replaceLabel();
    }
  }

  #replaceLabel(): void {
    const at = this.#reader.position;
    const label = this.#reader.u32();
    const target = this.#depth - label;
    if (target <= 0) this.#reader.fail(`unknown label ${label}`, at);
    if (target < this.#minedDepth) this.#replace(at, label + 1);
  }

  #replaceFunction(): void {
    const at = this.#reader.position;
    this.#replace(at, this.additions.shifted(this.#reader.u32()));
  }

  #replaceMemoryGrow(start: number, hook: number): void {
    const memory = this.#reader.u32();
    if (memory !== 0) this.#reader.fail(`memory.grow of memory ${memory} can't be capped`, start);
    this.#copyUpTo(start);
    this.out.byte(Op.call);
    this.#replace(start, hook);
  }

  /** Writes `index` for what was read since `at`. */
  #replace(at: number, index: number): void {
    this.#copyUpTo(at);
    this.out.u32(index);
    this.#pending = this.#reader.position;
  }

  #copyUpTo(offset: number): void {
    this.out.copy(this.wasm, this.#pending, offset);
    this.#pending = offset;
  }
}
