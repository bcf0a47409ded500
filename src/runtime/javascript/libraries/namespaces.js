/**
 * TypeScript's namespaces with values as functions that fill an object: sucrase drops them. What one exports is a
 * variable of that function, and a property of its object: for `let` and `var` one that reads and writes the variable.
 * Everything stays on its line.
 */
import { parse } from "sucrase/dist/esm/parser/index.js";
import { TokenType } from "sucrase/dist/esm/parser/tokenizer/types.js";

const VALUES = new Set(["const", "let", "var", "function", "class", "enum"]);
const STATEMENTS = new Set(
  ("abstract async class const declare enum export for function if import interface let namespace return throw try type " +
    "var while").split(" "),
);
const { braceL, braceR, dollarBraceL, parenL, parenR, bracketL, bracketR, name: NAME } = TokenType;
const OPENING = new Set([braceL, dollarBraceL, parenL, bracketL]);
const CLOSING = new Set([braceR, parenR, bracketR]);

/** @param hasJsx Whether `<` may begin JSX. @throws {SyntaxError} with `loc` where one can't be told otherwise. */
export function objectsOfNamespaces(source, hasJsx) {
  if (!/\b(?:namespace|module)\s+[\w$.]+\s*\{/.test(source)) return source;
  let tokens;
  try {
    tokens = parse(source, hasJsx, true, false).tokens;
  } catch {
    return source; // the transformation says why
  }
  return new Namespaces(source, tokens).text();
}

function placeOf(source, at) {
  const before = source.slice(0, at).split("\n");
  return { line: before.length, column: before.at(-1).length + 1 };
}

class Namespaces {
  #source;
  #tokens;
  /** Of each opening bracket. */
  #ends = new Map();
  #edits = [];
  /** What earlier blocks of a namespace export, by its path. */
  #exported = new Map();

  constructor(source, tokens) {
    this.#source = source;
    this.#tokens = tokens;
    const open = [];
    tokens.forEach(({ type }, at) => {
      if (OPENING.has(type)) open.push(at);
      else if (CLOSING.has(type) && open.length > 0) this.#ends.set(open.pop(), at);
    });
  }

  text() {
    this.#walk(0, this.#tokens.length, undefined);
    let text = "";
    let at = 0;
    for (const { start, end, by } of this.#edits.sort((a, b) => a.start - b.start)) {
      const breaks = this.#source.slice(start, end).replace(/[^\n]/g, "");
      text += this.#source.slice(at, start) + by + breaks;
      at = end;
    }
    return text + this.#source.slice(at);
  }

  #word(at) {
    const token = this.#tokens[at];
    return token ? this.#source.slice(token.start, token.end) : "";
  }
  #replace(from, to, by) {
    this.#edits.push({ start: this.#tokens[from].start, end: this.#tokens[to].end, by });
  }
  #refuse(at, what) {
    const error = new SyntaxError(`${what} of a TypeScript namespace is not supported: use a module`);
    throw Object.assign(error, { loc: placeOf(this.#source, this.#tokens[at].start) });
  }

  /** @returns `{ names, from, to }` of the namespace whose keyword is at `at`: its braces; undefined if that is none. */
  #declaration(at) {
    if (!/^(?:namespace|module)$/.test(this.#word(at)) || this.#word(at - 1) === ".") return undefined;
    const names = [];
    let next = at + 1;
    for (; this.#tokens[next]?.type === NAME; next += 2) {
      names.push(this.#word(next));
      if (this.#word(next + 1) !== ".") break;
    }
    const from = next + 1;
    if (names.length === 0 || this.#tokens[from]?.type !== braceL || !this.#ends.has(from)) return undefined;
    return { names, from, to: this.#ends.get(from) };
  }

  #hasValues(from, to) {
    for (let at = from; at < to; at++) {
      if (this.#ends.has(at)) {
        at = this.#ends.get(at);
        continue;
      }
      const declares = this.#word(at - 1) === "declare";
      const inner = this.#declaration(at);
      if (inner) {
        if (!declares && this.#hasValues(inner.from + 1, inner.to)) return true;
        at = inner.to;
      } else if (VALUES.has(this.#word(at)) && !declares && this.#word(at - 1) !== ".") return true;
    }
    return false;
  }

  /** @param owner `{ name, path }` of the namespace whose statements these are. @returns What it exports. */
  #walk(from, to, owner) {
    const exported = [];
    const known = new Set();
    for (let at = from; at < to; at++) {
      const inner = this.#declaration(at);
      if (inner) {
        this.#namespace(at, inner, owner, known);
        at = inner.to;
      } else if (this.#ends.has(at)) at = this.#ends.get(at);
      else {
        if (/^(?:class|function|enum)$/.test(this.#word(at))) known.add(this.#word(at + 1));
        if (owner && this.#word(at) === "export" && this.#tokens[at].type !== NAME) {
          this.#export(at, to, exported);
        }
      }
    }
    return exported;
  }

  #namespace(at, { names, from, to }, owner, known) {
    const isExported = this.#word(at - 1) === "export";
    const first = isExported ? at - 1 : at;
    if (this.#word(first - 1) === "declare" || this.#word(at - 1) === "declare") return;
    if (!this.#hasValues(from + 1, to)) {
      if (owner) this.#replace(first, to, "");
      return;
    }
    let head = "";
    let tail = "";
    let path = owner?.path ?? "";
    let outer = isExported ? owner?.name : undefined;
    names.forEach((name, index) => {
      path += `.${name}`;
      if (index === 0 && !owner) {
        if (!known.has(name)) head += `${isExported ? "export " : ""}var ${name} = {}; `;
      } else if (!(index === 0 && known.has(name))) {
        head += `let ${name} = ${outer ? `${outer}.${name} ??= ` : ""}{}; `;
      }
      head += `(function (${name}) { `;
      tail = `})(${name});${tail}`;
      outer = name;
    });
    known.add(names[0]);
    const name = names.at(-1);
    const earlier = this.#exported.get(path) ?? [];
    const exported = this.#walk(from + 1, to, { name, path });
    const own = new Set(exported.map((each) => each.name));
    const used = earlier.filter((each) => !own.has(each.name) && this.#uses(each.name, from, to));
    if (used.some(({ isLive }) => isLive)) this.#refuse(at, "A variable of another block");
    if (used.length > 0) head += `const { ${used.map((each) => each.name).join(", ")} } = ${name}; `;
    this.#exported.set(path, [...earlier, ...exported]);
    // One that is exported is a property where it begins: those before it come first.
    const before = exported.slice(0, Math.max(0, exported.findLastIndex((each) => each.isNamespace)));
    for (const each of before) if (!each.isNamespace) head += `${name}.${each.name} = ${name}.${each.name}; `;
    const properties = exported.filter((each) => !each.isNamespace).map((each) =>
      each.isLive
        ? `Object.defineProperty(${name}, "${each.name}", { get: () => ${each.name}, set: (value) => { ${each.name} = value; }, enumerable: true, configurable: true });`
        : `${name}.${each.name} = ${each.name};`
    );
    this.#replace(first, from, head);
    this.#replace(to, to, `;${properties.join(" ")} ${tail}`);
  }

  #uses(name, from, to) {
    for (let at = from; at < to; at++) {
      if (this.#word(at) === name && this.#word(at - 1) !== ".") return true;
    }
    return false;
  }

  /** An `export` among the statements of a namespace. */
  #export(at, to, exported) {
    let next = at + 1;
    while (/^(?:abstract|async)$/.test(this.#word(next))) next++;
    const what = this.#word(next);
    const inner = this.#declaration(next);
    if (inner) {
      if (
        this.#hasValues(inner.from + 1, inner.to) && !exported.some(({ name }) => name === inner.names[0])
      ) {
        exported.push({ name: inner.names[0], isLive: false, isNamespace: true });
      }
      return;
    }
    const isEnum = what === "const" && this.#word(next + 1) === "enum";
    if (/^(?:function|class|enum)$/.test(what) || isEnum) {
      let named = next + (isEnum ? 2 : 1);
      if (this.#word(named) === "*") named++;
      if (!exported.some(({ name }) => name === this.#word(named))) {
        exported.push({ name: this.#word(named), isLive: false });
      }
    } else if (/^(?:const|let|var)$/.test(what)) this.#variables(next, to, exported);
    else if (!/^(?:interface|type|declare)$/.test(what) || this.#word(next + 1) === "{") {
      this.#refuse(at, `\`export ${what}\``);
    }
    this.#replace(at, at, "");
  }

  /** What a declaration of variables declares: its keyword is at `at`. */
  #variables(at, to, exported) {
    const isLive = this.#word(at) !== "const";
    let next = at + 1;
    for (;;) {
      if (this.#tokens[next]?.type !== NAME) this.#refuse(at, "A pattern among the exports");
      exported.push({ name: this.#word(next), isLive });
      for (next++;; next++) {
        if (next >= to || this.#word(next) === ";") return;
        if (this.#ends.has(next)) next = this.#ends.get(next);
        else if (this.#beginsLine(next) && STATEMENTS.has(this.#word(next))) return;
        else if (this.#word(next) === "," && /^[=:]$/.test(this.#word(next + 2))) break;
      }
      next++;
    }
  }
  #beginsLine(at) {
    return this.#source.slice(this.#tokens[at - 1].end, this.#tokens[at].start).includes("\n");
  }
}
