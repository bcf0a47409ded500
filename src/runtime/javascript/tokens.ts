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

const SPACE = /[ \t\v\f\u00a0\ufeff\p{Zs}]+/uy;
const LINE_BREAK = /[\n\r\u2028\u2029]/;
const WORD =
  /[#@]?(?:[\p{ID_Start}$_]|\\u[\da-fA-F]{4}|\\u\{[\da-fA-F]+\})(?:[\p{ID_Continue}$\u200c\u200d]|\\u[\da-fA-F]{4}|\\u\{[\da-fA-F]+\})*/uy;
const NUMBER = /(?:0[xXbBoO][\da-fA-F_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?[\d_]+)?)n?/y;
const PUNCTUATOR =
  />>>=|\.\.\.|===|!==|\*\*=|<<=|>>=|>>>|&&=|\|\|=|\?\?=|=>|==|!=|<=|>=|&&|\|\||\?\?|\?\.(?!\d)|\+\+|--|\+=|-=|\*=|\/=|%=|&=|\|=|\^=|<<|>>|\*\*|[{}()[\];,<>+\-*/%&|^!~?:=.]/y;

/**
 * @returns the tokens, or undefined where only a parser could tell (a slash after a closing brace) or the source is
 * not well-formed: the caller then leaves the source as it is, and QuickJS has the word.
 */
export function tokenize(source: string): Token[] | undefined {
  const tokens: Token[] = [];
  /** Open brackets; "${" stands for a template's substitution, "(c" for the parentheses of a condition. */
  const open: string[] = [];
  let at = source.startsWith("#!") ? endOfLine(source, 0) : 0;
  let newline = false;

  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(source)?.[0];
  };
  const push = (kind: TokenKind, end: number, depth = open.length) => {
    tokens.push({ kind, text: source.slice(at, end), start: at, end, depth, newlineBefore: newline });
    at = end;
    newline = false;
  };
  /** Conditions' closing parentheses, after which a slash begins a regular expression. */
  let afterCondition = false;

  while (at < source.length) {
    const char = source[at]!;
    if (LINE_BREAK.test(char)) {
      newline = true;
      at++;
      continue;
    }
    const space = match(SPACE);
    if (space) {
      at += space.length;
      continue;
    }
    if (char === "/" && source[at + 1] === "/") {
      at = endOfLine(source, at);
      continue;
    }
    if (char === "/" && source[at + 1] === "*") {
      const end = source.indexOf("*/", at + 2);
      if (end < 0) return undefined;
      if (LINE_BREAK.test(source.slice(at, end))) newline = true;
      at = end + 2;
      continue;
    }

    const previous = tokens.at(-1);
    const conditionEnded = afterCondition;
    afterCondition = false;
    if (char === '"' || char === "'") {
      const end = endOfString(source, at);
      if (end < 0) return undefined;
      push("string", end);
    } else if (char === "`") {
      const end = endOfTemplatePart(source, at + 1);
      if (end < 0) return undefined;
      push("template", end);
      if (source[end - 1] === "{") open.push("${");
    } else if (char === "}" && open.at(-1) === "${") {
      const end = endOfTemplatePart(source, at + 1);
      if (end < 0) return undefined;
      open.pop();
      push("template", end);
      if (source[end - 1] === "{") open.push("${");
    } else if (char === "/" && !conditionEnded && previous?.text === "}" && previous.kind === "punctuator") {
      return undefined;
    } else if (char === "/" && (conditionEnded || !endsExpression(previous))) {
      const end = endOfRegex(source, at);
      if (end < 0) return undefined;
      push("regex", end);
    } else {
      const word = match(WORD);
      const number = word === undefined ? match(NUMBER) : undefined;
      if (word !== undefined) push("word", at + word.length);
      else if (number) push("number", at + number.length);
      else {
        const text = match(PUNCTUATOR);
        if (text === undefined) return undefined;
        if (text === "(" || text === "[" || text === "{") {
          push("punctuator", at + 1);
          const condition =
            text === "(" && previous?.kind === "word" && BEFORE_CONDITION.has(previous.text) ||
            text === "(" && previous?.text === "await" && tokens.at(-3)?.text === "for";
          open.push(condition ? "(c" : text);
        } else if (text === ")" || text === "]" || text === "}") {
          const opened = open.pop();
          if (opened === undefined || !matches(opened, text)) return undefined;
          push("punctuator", at + 1);
          afterCondition = opened === "(c";
        } else push("punctuator", at + text.length);
      }
    }
  }
  return open.length === 0 ? tokens : undefined;
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

function endOfLine(source: string, from: number): number {
  let at = from;
  while (at < source.length && !LINE_BREAK.test(source[at]!)) at++;
  return at;
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
    if (LINE_BREAK.test(char)) return -1;
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
