/** The classes of a text in TypeScript and their members, by sucrase's tokens. */
import { TokenType } from "sucrase/dist/esm/parser/tokenizer/types.js";

const T = TokenType;
const MODIFIERS = new Set([
  T._abstract,
  T._async,
  T._declare,
  T._get,
  T._override,
  T._private,
  T._protected,
  T._public,
  T._readonly,
  T._set,
  T._static,
  T.hash,
  T.minus,
  T.plus,
  T.star,
]);
const OPENING = new Set([T.braceL, T.dollarBraceL, T.parenL, T.bracketL]);
const CLOSING = new Set([T.braceR, T.parenR, T.bracketR]);

export class Classes {
  #tokens;
  /** Of each opening bracket. */
  #ends = new Map();

  constructor(tokens) {
    this.#tokens = tokens;
    const open = [];
    tokens.forEach(({ type }, at) => {
      if (OPENING.has(type)) open.push(at);
      else if (CLOSING.has(type) && open.length > 0) this.#ends.set(open.pop(), at);
    });
  }

  #is(at, ...types) {
    return types.includes(this.#tokens[at]?.type);
  }

  /** Those that enclose others come first. Numbers are of tokens; ends are of the last ones. */
  *all() {
    for (let at = 0; at < this.#tokens.length; at++) {
      const { type, contextId, isExpression } = this.#tokens[at];
      if (type !== T._class || contextId == null) continue;
      let from = at + 1;
      while (!(this.#is(from, T.braceL) && this.#tokens[from].contextId === contextId)) from++;
      const name = this.#is(at + 1, T.name) && !this.#tokens[at + 1].isType ? at + 1 : undefined;
      const to = this.#ends.get(from);
      yield { at, name, isExpression, from, to, members: this.#members(from + 1, to) };
    }
  }

  /** The decorators that begin at `at`, each `{ from, to }`. */
  decorators(at) {
    const found = [];
    for (let next = at; this.#is(next, T.at);) {
      const from = next++;
      if (!this.#is(next, T.parenL)) { while (this.#is(next + 1, T.dot)) next += 2; }
      let to = this.#ends.get(next) ?? next;
      let after = to + 1;
      while (this.#tokens[after]?.isType) after++;
      if (!this.#is(next, T.parenL) && this.#is(after, T.parenL)) to = this.#ends.get(after);
      found.push({ from, to });
      next = to + 1;
    }
    return found;
  }

  #members(from, to) {
    const members = [];
    for (let at = from; at < to;) {
      if (this.#is(at, T.semi) || this.#tokens[at].isType) at++;
      else {
        const member = this.#member(at);
        members.push(member);
        at = member.to + 1;
      }
    }
    return members;
  }

  #member(start) {
    const decorators = this.decorators(start);
    let at = decorators.length > 0 ? decorators.at(-1).to + 1 : start;
    const member = { decorators, first: at, kind: "field", isStatic: false, isPrivate: false, isReal: true };
    for (; MODIFIERS.has(this.#tokens[at].type); at++) {
      if (this.#is(at, T._static)) member.isStatic = true;
      if (this.#is(at, T.hash)) member.isPrivate = true;
      if (this.#is(at, T._abstract, T._declare)) member.isReal = false;
      if (this.#is(at, T._get)) member.kind = "getter";
      if (this.#is(at, T._set)) member.kind = "setter";
    }
    if (member.isStatic && this.#is(at, T.braceL)) {
      return { ...member, kind: "block", to: this.#ends.get(at) };
    }
    const name = { from: at, to: this.#ends.get(at) ?? at };
    for (at = name.to + 1; this.#tokens[at].isType;) at++;
    if (this.#is(at, T.parenL)) {
      const parameters = { from: at, to: this.#ends.get(at) };
      for (at = parameters.to + 1; this.#tokens[at].isType;) at++;
      const kind = member.kind === "field" ? "method" : member.kind;
      const to = this.#is(at, T.braceL) ? this.#ends.get(at) : at - 1;
      return { ...member, kind, name, parameters, to };
    }
    const equals = this.#is(at, T.eq) ? at : undefined;
    const to = equals === undefined ? at - 1 : this.#tokens[at].rhsEndIndex - 1;
    return { ...member, name, equals, to };
  }

  /** Which of the parameters between two brackets begins at a place of the text, or is the next one from there. */
  parameterAt({ from, to }, place) {
    let index = 0;
    for (let at = from + 1; at < to && this.#tokens[at].start < place; at++) {
      if (this.#is(at, T.comma) && !this.#tokens[at].isType) index++;
      at = this.#ends.get(at) ?? at;
    }
    return index;
  }
}
