import type { Additions } from "./additions.ts";
import { EMPTY_BLOCK } from "./additions.ts";
import { Op } from "./opcodes.ts";
import { ByteWriter } from "./writer.ts";

const UNLIKELY = 0;

/**
 * Emits the code that counts, and remembers its branches that are hardly ever taken.
 *
 * Every check costs one unit: is the counter below zero? then {@link Additions.refill}; and count one down. The
 * counter lives in a global, but a local of the function holds a copy: a load that waits for the store of the
 * iteration before costs more than the rest of a check. Each change is written through to the global, so that at
 * any moment at which other code can look the two agree.
 */
export class CheckEmitter {
  readonly #hints: number[] = [];

  /**
   * @param out Where the body is written, from its local declarations on.
   * @param copy Index of the local that holds the copy.
   */
  constructor(
    private readonly out: ByteWriter,
    private readonly additions: Additions,
    private readonly copy: number,
  ) {}

  /** Offsets in `out` of conditional branches with the hint that they are unlikely to be taken. */
  get hints(): readonly number[] {
    return this.#hints;
  }

  /** A whole check, where the copy may be out of date. */
  checkGlobal(): void {
    this.refillIfEmpty();
    this.#countDown();
  }

  /** A whole check, where the copy is up to date. */
  checkCopy(): void {
    this.#local(Op.localGet);
    this.#refillIfNegative();
    this.#countDown();
  }

  /** The check at the header of a strip-mined loop, whose refill is in the loop around it, see {@link refillIfEmpty}. */
  checkMined(): void {
    this.#local(Op.localGet);
    this.#isNegative();
    this.#hint();
    this.out.raw(Op.brIf, 1);
    this.#countDown();
  }

  /** Brings the copy up to date. */
  load(): void {
    this.#global(Op.globalGet);
    this.#local(Op.localSet);
  }

  /** Brings the copy up to date, and above zero. */
  refillIfEmpty(): void {
    this.#global(Op.globalGet);
    this.#local(Op.localTee);
    this.#refillIfNegative();
  }

  #refillIfNegative(): void {
    this.#isNegative();
    this.#hint();
    this.out.raw(Op.if, EMPTY_BLOCK, Op.call);
    this.out.u32(this.additions.refill);
    this.#local(Op.localSet);
    this.out.byte(Op.end);
  }

  #isNegative(): void {
    this.out.raw(Op.i32Const, 0, Op.i32LtS);
  }

  #countDown(): void {
    this.#local(Op.localGet);
    this.out.raw(Op.i32Const, 1, Op.i32Sub);
    this.#local(Op.localTee);
    this.#global(Op.globalSet);
  }

  #local(opcode: number): void {
    this.out.byte(opcode);
    this.out.u32(this.copy);
  }

  #global(opcode: number): void {
    this.out.byte(opcode);
    this.out.u32(this.additions.fuel);
  }

  #hint(): void {
    this.#hints.push(this.out.length);
  }
}

/** Collects branch hints (custom section `metadata.code.branch_hint`, spec appendix "Code metadata"). */
export class BranchHints {
  #functions = 0;
  readonly #out = new ByteWriter(1 << 16);

  /** Functions must come in the order of their indices. @param offsets In the body, from its local declarations on. */
  add(functionIndex: number, offsets: readonly number[]): void {
    if (offsets.length === 0) return;
    this.#functions++;
    this.#out.u32(functionIndex);
    this.#out.u32(offsets.length);
    for (const offset of offsets) {
      this.#out.u32(offset);
      this.#out.raw(1, UNLIKELY);
    }
  }

  /** The content of the custom section. */
  section(): ByteWriter {
    const section = new ByteWriter(this.#out.length + 64);
    section.name("metadata.code.branch_hint");
    section.u32(this.#functions);
    section.copy(this.#out.written);
    return section;
  }
}
