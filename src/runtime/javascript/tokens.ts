/** Splits JavaScript source into tokens in one pass, without understanding more of it than that needs. */

export type TokenKind = "word" | "number" | "string" | "template" | "regex" | "punctuator";

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** How many brackets, of any sort, stand open around it; an opening and its closing bracket have the outer depth. */
  readonly depth: number;
  /** A line break stands between this token and the one before. */
  readonly newlineBefore: boolean;
}

/** Words after which an expression starts, so that a slash begins a regular expression. */
const BEFORE_EXPRESSION = new Set(
  "return typeof case in of delete void throw new do else instanceof yield await extends default".split(" "),
);
/** Words whose parentheses hold a condition: what follows the closing one is a statement. */
const BEFORE_CONDITION = new Set(["if", "while", "for", "with"]);

/**
 * Longest source, UTF-16 units, and most tokens of one: guests make them, nothing meters this code, and a token takes
 * a hundred bytes.
 */
const SOURCE_MAX = 8 * 1024 * 1024;
const TOKENS_MAX = 1_000_000;

const SPACE = /[ \t\v\f\u00a0\ufeff\p{Zs}]+/uy;
const LINE_BREAK = /[\n\r\u2028\u2029]/;
const LINE_END = /[\n\r\u2028\u2029]/g;
const WORD =
  /[#@]?(?:[\p{ID_Start}$_]|\\u[\da-fA-F]{4}|\\u\{[\da-fA-F]+\})(?:[\p{ID_Continue}$\u200c\u200d]|\\u[\da-fA-F]{4}|\\u\{[\da-fA-F]+\})*/uy;
const NUMBER = /(?:0[xXbBoO][\da-fA-F_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?[\d_]+)?)n?/y;
const PUNCTUATOR =
  />>>=|\.\.\.|===|!==|\*\*=|<<=|>>=|>>>|&&=|\|\|=|\?\?=|=>|==|!=|<=|>=|&&|\|\||\?\?|\?\.(?!\d)|\+\+|--|\+=|-=|\*=|\/=|%=|&=|\|=|\^=|<<|>>|\*\*|[{}()[\];,<>+\-*/%&|^!~?:=.]/y;

/** What a word can begin with, and what is a token whatever follows. */
const ASCII_WORD = new Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ$_#@\\");
const SINGLE = new Set("()[]{};,~:");

/**
 * @returns the tokens, or undefined where only a parser could tell (a slash after a closing brace), the source is not
 * well-formed or has too many of them: the caller then leaves the source as it is, and QuickJS has the word.
 */
export function tokenize(source: string): Token[] | undefined {
  const tokens: Token[] = [];
  const scanned = scan(source);
  for (;;) {
    const { value, done } = scanned.next();
    if (done) return value === "clear" ? tokens : undefined;
    if (tokens.length === TOKENS_MAX) return undefined;
    tokens.push(value);
  }
}

/** Yields one token after another. @returns Whether these are all, or the rest can't be told. */
export function* scan(source: string): Generator<Token, "clear" | "unclear"> {
  if (source.length > SOURCE_MAX) return "unclear";
  let last: Token | undefined;
  let beforeLast: Token | undefined;
  /** Open brackets; "${" stands for a template's substitution, "(c" for the parentheses of a condition. */
  const open: string[] = [];
  let at = source.startsWith("#!") ? endOfLine(source, 0) : 0;
  let newline = false;

  /** Where what fits the pattern ends; 0 if nothing here does. */
  const endOf = (pattern: RegExp): number => {
    pattern.lastIndex = at;
    return pattern.test(source) ? pattern.lastIndex : 0;
  };
  const token = (kind: TokenKind, end: number): Token => {
    const made = {
      kind,
      text: source.slice(at, end),
      start: at,
      end,
      depth: open.length,
      newlineBefore: newline,
    };
    at = end;
    newline = false;
    beforeLast = last;
    last = made;
    return made;
  };
  /** Conditions' closing parentheses, after which a slash begins a regular expression. */
  let afterCondition = false;

  while (at < source.length) {
    const char = source[at]!;
    if (isLineBreak(char)) {
      newline = true;
      at++;
      continue;
    }
    const isAscii = char <= "\x7f";
    const space = char <= " " || !isAscii ? endOf(SPACE) : 0;
    if (space) {
      at = space;
      continue;
    }
    if (char === "/" && source[at + 1] === "/") {
      at = endOfLine(source, at);
      continue;
    }
    if (char === "/" && source[at + 1] === "*") {
      const end = source.indexOf("*/", at + 2);
      if (end < 0) return "unclear";
      if (LINE_BREAK.test(source.slice(at, end))) newline = true;
      at = end + 2;
      continue;
    }

    const previous = last;
    const earlier = beforeLast;
    const conditionEnded = afterCondition;
    afterCondition = false;
    if (char === '"' || char === "'") {
      const end = endOfString(source, at);
      if (end < 0) return "unclear";
      yield token("string", end);
    } else if (char === "`") {
      const end = endOfTemplatePart(source, at + 1);
      if (end < 0) return "unclear";
      yield token("template", end);
      if (source[end - 1] === "{") open.push("${");
    } else if (char === "}" && open.at(-1) === "${") {
      const end = endOfTemplatePart(source, at + 1);
      if (end < 0) return "unclear";
      open.pop();
      yield token("template", end);
      if (source[end - 1] === "{") open.push("${");
    } else if (char === "/" && !conditionEnded && previous?.text === "}" && previous.kind === "punctuator") {
      return "unclear";
    } else if (char === "/" && (conditionEnded || !endsExpression(previous))) {
      const end = endOfRegex(source, at);
      if (end < 0) return "unclear";
      yield token("regex", end);
    } else {
      // Looked at before a pattern is tried: each of them takes as long as all the rest.
      const word = !isAscii || ASCII_WORD.has(char) ? endOf(WORD) : 0;
      const number = char >= "0" && char <= "9" || char === "." ? endOf(NUMBER) : 0;
      if (word) yield token("word", word);
      else if (number) yield token("number", number);
      else {
        const end = SINGLE.has(char) ? at + 1 : endOf(PUNCTUATOR);
        if (!end) return "unclear";
        const text = source.slice(at, end);
        if (text === "(" || text === "[" || text === "{") {
          yield token("punctuator", at + 1);
          const condition =
            text === "(" && previous?.kind === "word" && BEFORE_CONDITION.has(previous.text) ||
            text === "(" && previous?.text === "await" && earlier?.text === "for";
          open.push(condition ? "(c" : text);
        } else if (text === ")" || text === "]" || text === "}") {
          const opened = open.pop();
          if (opened === undefined || !matches(opened, text)) return "unclear";
          yield token("punctuator", at + 1);
          afterCondition = opened === "(c";
        } else yield token("punctuator", end);
      }
    }
  }
  return open.length === 0 ? "clear" : "unclear";
}

/** Whether an expression can end with this token, so that what follows continues or ends it. */
export function endsExpression(token: Token | undefined): boolean {
  if (!token) return false;
  if (token.kind === "word") return !BEFORE_EXPRESSION.has(token.text);
  if (token.kind === "template") return !token.text.endsWith("${");
  if (token.kind !== "punctuator") return true;
  return [")", "]", "}", "++", "--"].includes(token.text);
}

function matches(opened: string, closing: string): boolean {
  return closing === ")" ? opened.startsWith("(") : closing === "]" ? opened === "[" : opened === "{";
}

function isLineBreak(char: string): boolean {
  return char === "\n" || char === "\r" || char === "\u2028" || char === "\u2029";
}

function endOfLine(source: string, from: number): number {
  LINE_END.lastIndex = from;
  return LINE_END.exec(source)?.index ?? source.length;
}

/** @returns the index after the closing quote, or -1. */
function endOfString(source: string, from: number): number {
  const quote = source[from];
  for (let at = from + 1; at < source.length; at++) {
    const char = source[at];
    if (char === "\\") at++;
    else if (char === quote) return at + 1;
    else if (char === "\n" || char === "\r") return -1;
  }
  return -1;
}

/** @returns the index after the closing backquote or after `${`, or -1. */
function endOfTemplatePart(source: string, from: number): number {
  for (let at = from; at < source.length; at++) {
    const char = source[at];
    if (char === "\\") at++;
    else if (char === "`") return at + 1;
    else if (char === "$" && source[at + 1] === "{") return at + 2;
  }
  return -1;
}

/** @returns the index after the flags, or -1. */
function endOfRegex(source: string, from: number): number {
  let inClass = false;
  for (let at = from + 1; at < source.length; at++) {
    const char = source[at]!;
    if (isLineBreak(char)) return -1;
    if (char === "\\") at++;
    else if (char === "[") inClass = true;
    else if (char === "]") inClass = false;
    else if (char === "/" && !inClass) {
      at++;
      while (at < source.length && /[a-z]/i.test(source[at]!)) at++;
      return at;
    }
  }
  return -1;
}
