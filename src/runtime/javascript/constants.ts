/**
 * Finds what assigns to a program's own top-level constants, which are `var`s when it runs (`rewrite.ts`).
 *
 * Told by tokens, not by scopes: a name that is declared or bound anywhere else too is left alone, and so is what assigns
 * by a pattern. What is found is certain.
 */

import type { Token } from "./tokens.ts";

const ASSIGNS = new Set([
  "=",
  "+=",
  "-=",
  "*=",
  "/=",
  "%=",
  "**=",
  "<<=",
  ">>=",
  ">>>=",
  "&=",
  "|=",
  "^=",
  "&&=",
]);
for (const operator of ["||=", "??="]) ASSIGNS.add(operator);
const DECLARES = new Set(["const", "let", "var", "class", "function", "import", "async", "*"]);
/** Words whose parentheses are no list of parameters, though a brace follows. */
const CONDITIONS = new Set(["if", "while", "for", "switch", "with"]);

/**
 * @param constants Names that are declared `const` at the top level, and the index of the token that does so.
 * @returns Indices of tokens that are assigned to.
 */
export function assignedConstants(
  tokens: readonly Token[],
  constants: ReadonlyMap<string, number>,
): readonly number[] {
  if (constants.size === 0) return [];
  const found = new Map<string, number[]>();
  const shadowed = new Set<string>();
  const brackets = new Brackets(tokens);
  tokens.forEach((token, index) => {
    brackets.enter(index);
    if (token.kind !== "word" || constants.get(token.text) === undefined) return;
    if (constants.get(token.text) === index || isMember(tokens, index)) return;
    if (isBound(tokens, index) || brackets.binds() || brackets.isListed(index)) shadowed.add(token.text);
    else if (isAssigned(tokens, index) && !brackets.isClassBody()) {
      const places = found.get(token.text);
      if (places) places.push(index);
      else found.set(token.text, [index]);
    }
  });
  return [...found].flatMap(([name, places]) => shadowed.has(name) ? [] : places);
}

function isMember(tokens: readonly Token[], index: number): boolean {
  const before = tokens[index - 1]?.text;
  return before === "." || before === "?.";
}

function isBound(tokens: readonly Token[], index: number): boolean {
  const before = tokens[index - 1];
  if (tokens[index + 1]?.text === "=>") return true;
  if (before === undefined) return false;
  return (before.kind === "word" || before.text === "*") && DECLARES.has(before.text);
}

function isAssigned(tokens: readonly Token[], index: number): boolean {
  const [before, after] = [tokens[index - 1], tokens[index + 1]];
  if (after?.kind === "punctuator" && ASSIGNS.has(after.text)) return true;
  if (isStep(after) && !after!.newlineBefore) return true;
  return isStep(before) &&
    (tokens[index - 2] === undefined || before!.newlineBefore || beginsStep(tokens[index - 2]!));
}

function isStep(token: Token | undefined): boolean {
  return token?.text === "++" || token?.text === "--";
}

/** Whether `++` behind it stands before its operand. */
function beginsStep(token: Token): boolean {
  return token.kind === "punctuator" && token.text !== ")" && token.text !== "]" && token.text !== "}";
}

/** The brackets that stand open around a token, while all are gone through in their order. */
class Brackets {
  readonly #closing = new Map<number, number>();
  /** By depth: whether the present statement is a declaration, as far as that can be told. */
  readonly #declaring: boolean[] = [];
  /** Of each that is open: where it closes, whether what it holds is bound or assigned as a pattern, and what body it is. */
  readonly #open: { readonly end: number; readonly binds: boolean; readonly isClass: boolean }[] = [];

  constructor(readonly tokens: readonly Token[]) {
    const open: number[] = [];
    tokens.forEach(({ kind, text }, index) => {
      if (kind !== "punctuator") return;
      if (text === "(" || text === "[" || text === "{") open.push(index);
      else if (text === ")" || text === "]" || text === "}") this.#closing.set(open.pop() ?? -1, index);
    });
  }

  enter(index: number): void {
    while (this.#open.length > 0 && this.#open.at(-1)!.end <= index) this.#open.pop();
    const { text, depth } = this.tokens[index]!;
    if (text === ";") this.#declaring[depth] = false;
    else if (text === "let" || text === "const" || text === "var") this.#declaring[depth] = true;
    const end = this.#closing.get(index);
    if (end === undefined) return;
    this.#declaring[depth + 1] = false;
    const binds = this.binds() || this.#isPattern(index, end);
    this.#open.push({ end, binds, isClass: this.#isClass(index) });
  }

  binds(): boolean {
    return this.#open.at(-1)?.binds ?? false;
  }

  /** Whether a name stands behind a comma in a declaration: it may be another one that is declared. */
  isListed(index: number): boolean {
    return this.tokens[index - 1]?.text === "," && this.#declaring[this.tokens[index]!.depth] === true;
  }

  isClassBody(): boolean {
    return this.#open.at(-1)?.isClass ?? false;
  }

  #isPattern(index: number, end: number): boolean {
    const [before, after] = [this.tokens[index - 1], this.tokens[end + 1]];
    const opening = this.tokens[index]!.text;
    if (opening === "(") {
      if (after?.text === "=>") return true;
      return after?.text === "{" && !(before?.kind === "word" && CONDITIONS.has(before.text));
    }
    if (before?.kind === "word" && DECLARES.has(before.text)) return true;
    return after?.text === "=" || after?.text === "of" || after?.text === "in";
  }

  #isClass(index: number): boolean {
    if (this.tokens[index]!.text !== "{") return false;
    for (let at = index - 1; at >= 0; at--) {
      const { kind, text } = this.tokens[at]!;
      if (text === "class") return true;
      if (kind !== "word" && text !== "." || text === "return") return false;
    }
    return false;
  }
}
