/**
 * Decorators of TypeScript, as calls: QuickJS has none. What members have goes into static blocks in their place, what
 * classes have into a call before them. Everything stays on its line. What is called is `decorating.js`.
 */
import { parse } from "sucrase/dist/esm/parser/index.js";
import { Classes } from "./classes.js";

const CALLS = "__wasmboxDecorators";
const STATE = "#__decorated";
/** Parameters with decorators that a text may have: each is found by parsing it again. */
const MOST_PARAMETERS = 500;

/**
 * @param hasJsx Whether `<` may begin JSX.
 * @param fillsFields Whether fields without a value get one: sucrase drops them where it moves others.
 * @throws {SyntaxError} with `loc` where a decorator is of something that can't have any here.
 */
export function withoutDecorators(source, hasJsx, fillsFields) {
  const mayHave = /(?:^|[\s;{}(,=])@[\w$(]/.test(source);
  if (!mayHave && !fillsFields) return source;
  const { text, parameters, tokens } = parsed(source, hasJsx);
  return tokens ? new Rewriting(text, tokens, parameters, fillsFields).text() : source;
}

/** The parser knows no decorators of parameters: they are cut out where it stumbles over them. */
function parsed(source, hasJsx) {
  let text = source;
  const parameters = [];
  for (let tries = 0; tries < MOST_PARAMETERS; tries++) {
    try {
      return { text, parameters, tokens: parse(text, hasJsx, true, false).tokens };
    } catch (error) {
      const at = placeIn(text, error.loc);
      if (at === undefined || text[at] !== "@") break;
      const end = endOfDecorator(text, at);
      parameters.push({ at, code: text.slice(at + 1, end) });
      text = text.slice(0, at) + text.slice(at, end).replace(/[^\n]/g, " ") + text.slice(end);
    }
  }
  return { text: source, parameters: [] }; // the transformation says why
}

function placeIn(text, loc) {
  if (!loc) return undefined;
  let at = 0;
  for (let line = 1; line < loc.line; line++) at = text.indexOf("\n", at) + 1;
  return [at + loc.column - 1, at + loc.column].find((each) => text[each] === "@");
}

const STRINGS = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[^])*`|\/\/.*|\/\*[^]*?\*\//y;
function endOfDecorator(text, from) {
  let at = from + /^@[\w$.]*/.exec(text.slice(from))[0].length;
  if (text[at] !== "(") return at;
  for (let depth = 0; at < text.length; at++) {
    STRINGS.lastIndex = at;
    if (STRINGS.test(text)) at = STRINGS.lastIndex - 1;
    else if ("([{".includes(text[at])) depth++;
    else if (")]}".includes(text[at]) && --depth === 0) return at + 1;
  }
  return at;
}

class Rewriting {
  #source;
  #tokens;
  #classes;
  #parameters;
  #fillsFields;
  /** Decorators by the token that comes after them. */
  #groups = new Map();
  #edits = [];
  #count = 0;

  constructor(source, tokens, parameters, fillsFields) {
    this.#source = source;
    this.#tokens = tokens;
    this.#parameters = parameters;
    this.#fillsFields = fillsFields;
    this.#classes = new Classes(tokens);
    const known = new Set();
    tokens.forEach((_, at) => {
      if (this.#word(at) !== "@" || known.has(at)) return;
      const group = this.#classes.decorators(at);
      for (const { from } of group) known.add(from);
      this.#groups.set(group.at(-1).to + 1, group);
    });
  }

  text() {
    for (const each of this.#classes.all()) this.#class(each);
    let text = "";
    let at = 0;
    for (const { start, end, by } of this.#edits.sort((a, b) => a.start - b.start || a.end - b.end)) {
      text += this.#source.slice(at, start) + by;
      at = end;
    }
    return text + this.#source.slice(at);
  }

  #insert(start, by) {
    this.#edits.push({ start, end: start, by });
  }
  #word(at) {
    const token = this.#tokens[at];
    return token ? this.#source.slice(token.start, token.end) : "";
  }
  #refuse(at, message) {
    const before = this.#source.slice(0, this.#tokens[at].start).split("\n");
    throw Object.assign(new SyntaxError(message), {
      loc: { line: before.length, column: before.at(-1).length + 1 },
    });
  }

  /** Decorators as what stands in an array. */
  #listed(decorators, before, after) {
    decorators.forEach(({ from }, index) => {
      const { start, end } = this.#tokens[from];
      this.#edits.push({ start, end, by: index === 0 ? before : ", " });
    });
    this.#insert(this.#tokens[decorators.at(-1).to].end, after);
  }

  #class(found) {
    const { at, name, from, members } = found;
    const ofClass = this.#beforeClass(at);
    const withParameters = members.map((member) => ({ ...member, given: this.#given(member) }));
    const decorated = withParameters.filter(({ decorators, given }) => decorators.length + given.length > 0);
    const made = decorated.find((member) => this.#isConstructor(member));
    if (decorated.some((member) => member !== made)) {
      if (name === undefined) this.#refuse(at, "A class whose members have decorators needs a name here");
      const own = this.#word(name);
      const begin = `static ${STATE} = {}; #__begun = ${CALLS}.begin(this, ${own}.${STATE}); `;
      this.#insert(this.#tokens[from].end, ` ${begin}`);
    }
    for (const member of withParameters) {
      if (member !== made && decorated.includes(member)) this.#member(member, this.#word(name));
      else if (this.#fillsFields) this.#fill(member);
    }
    if (ofClass.length > 0 || made) this.#decorate(found, ofClass, made?.given ?? []);
  }

  #isConstructor({ kind, name, isStatic }) {
    return kind === "method" && !isStatic && this.#word(name.from) === "constructor";
  }

  /** The decorators before a class, whose keyword is at `at`. */
  #beforeClass(at) {
    let first = at;
    while (/^(?:abstract|export|default)$/.test(this.#word(first - 1))) first--;
    for (let next = first; next <= at; next++) if (this.#groups.has(next)) return this.#groups.get(next);
    return [];
  }

  /** What the parameters of a member have, as `[index, code]`. */
  #given({ parameters }) {
    if (!parameters) return [];
    const [from, to] = [this.#tokens[parameters.from].start, this.#tokens[parameters.to].start];
    return this.#parameters.filter(({ at }) => at > from && at < to).map(({ at, code }) => [
      this.#classes.parameterAt(parameters, at),
      code,
    ]);
  }

  #decorate({ at, name, isExpression, to }, decorators, given) {
    const parameters = codeOf(given);
    const { start } = this.#tokens[at];
    const { end } = this.#tokens[to];
    if (isExpression) {
      if (decorators.length > 0) this.#listed(decorators, `${CALLS}.ofClass([`, `], ${parameters},`);
      else this.#insert(start, `${CALLS}.ofClass([], ${parameters}, `);
      return this.#insert(end, ")");
    }
    if (name === undefined) this.#refuse(at, "A class with decorators needs a name here");
    if (decorators.length > 0 && /^(?:export|default)$/.test(this.#word(decorators[0].from - 1))) {
      this.#refuse(decorators[0].from, "Decorators stand before `export` here");
    }
    const id = ++this.#count;
    const own = this.#word(name);
    if (decorators.length > 0) this.#listed(decorators, `${CALLS}.keep(${id}, [`, "]);");
    this.#insert(
      end,
      ` ${own} = ${CALLS}.ofClass(${
        decorators.length > 0 ? `${CALLS}.kept(${id})` : "[]"
      }, ${parameters}, ${own});`,
    );
  }

  #member(member, owner) {
    const { decorators, first, name, kind, isStatic, isPrivate, isReal, given } = member;
    if (isPrivate) this.#refuse(first, "A decorator of a private member is not supported");
    const key = this.#keyOf(name);
    const before =
      `static { ${CALLS}.ofMember(${owner}, ${owner}.${STATE}, ${key}, "${kind}", ${isStatic}, [`;
    const after = `], ${codeOf(given)}); } `;
    if (decorators.length > 0) this.#listed(decorators, before, after);
    else this.#insert(this.#tokens[first].start, before + after);
    if (kind === "field" && isReal) this.#field(member, key, owner);
  }

  /** A field becomes a private one, whose making makes it. */
  #field({ name, equals, to }, key, owner) {
    const call = `${CALLS}.field(this, ${owner}.${STATE}, ${key}`;
    const [start, end] = [this.#tokens[name.from].start, this.#tokens[name.to].end];
    const breaks = this.#source.slice(start, end).replace(/[^\n]/g, "");
    this.#edits.push({ start, end, by: `#__field${++this.#count}${breaks}` });
    if (equals === undefined) return this.#insert(this.#tokens[to].end, ` = ${call});`);
    this.#insert(this.#tokens[equals].end, ` ${call}, () => (`);
    this.#insert(this.#tokens[to].end, "));");
  }

  #fill({ kind, name, equals, isPrivate, isReal, to }) {
    if (kind !== "field" || equals !== undefined || isPrivate || !isReal) return;
    // What follows `accessor` in its line makes it a keyword, which the engine refuses.
    if (this.#word(name.from) === "accessor" && !this.#endsLine(to)) return;
    this.#insert(this.#tokens[to].end, " = undefined;");
  }
  #endsLine(at) {
    const next = this.#tokens[at + 1];
    return /^[;}]$/.test(this.#word(at + 1)) ||
      this.#source.slice(this.#tokens[at].end, next.start).includes("\n");
  }

  #keyOf({ from, to }) {
    const text = this.#source.slice(this.#tokens[from].start, this.#tokens[to].end);
    if (text.startsWith("[")) return text.slice(1, -1).replace(/\n/g, " ");
    return /^["'\d]/.test(text) ? text : JSON.stringify(text);
  }
}

const codeOf = (given) =>
  `[${given.map(([index, code]) => `[${index}, ${code.replace(/\n/g, " ")}]`).join(", ")}]`;
