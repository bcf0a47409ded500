/**
 * Keeps programs from what QuickJS-ng 0.12 crashes on: garbage that is collected while a sloppy function runs whose
 * `arguments` follow its parameters. A parameter more, which is none for `length`, makes them an object of its own, as
 * they are in strict code; that what is assigned to a parameter is not seen in `arguments` is all that is lost.
 */

import { type Token, tokenize } from "./tokens.ts";

/** Words before a parenthesis and a brace that are no method's name. */
const CONTROL = new Set(["if", "for", "while", "switch", "catch", "with", "function"]);
/** Takes what is passed beyond the parameters. */
const REST = "...__wasmboxRest";

/** Longest module that is looked at: nothing meters this. */
const TEXT_MAX = 4 * 1024 * 1024;

export interface Insertion {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** What is to be put into a source. @param tokens All of it. */
export function separateArguments(tokens: readonly Token[]): Insertion[] {
  const uses = tokens.flatMap(({ kind, text }, at) =>
    kind === "word" && text === "arguments" && tokens[at - 1]?.text !== "." ? [at] : []
  );
  if (uses.length === 0 || isDirective(tokens[0])) return [];
  const ends = blockEnds(tokens);
  const insertions: Insertion[] = [];
  for (let open = 0; open < tokens.length; open++) {
    if (tokens[open]!.text !== "(" || !opensParameters(tokens, open)) continue;
    let close = open + 1;
    while (close < tokens.length && isParameter(tokens[close]!)) close++;
    // None at all, or more than names.
    if (close === open + 1 || tokens[close]?.text !== ")" || tokens[close + 1]?.text !== "{") continue;
    const use = after(uses, close + 1);
    if (isDirective(tokens[close + 2]) || use === undefined || use > (ends.get(close + 1) ?? 0)) continue;
    const at = tokens[close]!.start;
    const comma = tokens[close - 1]!.text === "," ? "" : ", ";
    insertions.push({ start: at, end: at, text: comma + REST });
  }
  return insertions;
}

/** As {@link separateArguments}, of a text that is otherwise left as it is. */
export function withSeparateArguments(text: string): string {
  if (text.length > TEXT_MAX || !text.includes("arguments")) return text;
  const tokens = tokenize(text);
  if (!tokens) return text;
  const parts: string[] = [];
  let at = 0;
  for (const insertion of separateArguments(tokens)) {
    parts.push(text.slice(at, insertion.start), insertion.text);
    at = insertion.end;
  }
  return parts.join("") + text.slice(at);
}

const isParameter = ({ kind, text }: Token) => kind === "word" || text === ",";
const isDirective = (token: Token | undefined) =>
  token?.kind === "string" && /^.use strict.$/.test(token.text);

/** Whether a function's or a method's parameters begin at a parenthesis. */
function opensParameters(tokens: readonly Token[], open: number): boolean {
  const before = tokens[open - 1];
  if (before?.text === "function") return true;
  if (before?.text === "*" && tokens[open - 2]?.text === "function") return true;
  return before?.kind === "word" && !CONTROL.has(before.text);
}

/** Where each block ends, by the index of its brace: one pass, however deep they nest. */
function blockEnds(tokens: readonly Token[]): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  const open: number[] = [];
  tokens.forEach(({ kind, text }, at) => {
    if (kind !== "punctuator") return;
    if (text === "{") open.push(at);
    else if (text === "}") {
      const begin = open.pop();
      if (begin !== undefined) ends.set(begin, at);
    }
  });
  return ends;
}

/** The first of sorted numbers that is larger; undefined if none is. */
function after(sorted: readonly number[], least: number): number | undefined {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! > least) high = middle;
    else low = middle + 1;
  }
  return sorted[low];
}
