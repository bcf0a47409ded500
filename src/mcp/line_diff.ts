/** What replacements do to the lines of a text, as `diff -u` shows it. */

import { headAndTail } from "./execution_text.ts";
import type { Replacement } from "./text_edits.ts";

/** Lines around a change. */
const CONTEXT = 2;
/** Longest diff, UTF-16 units. */
const MAX_TEXT = 6_000;

/** Lines of the text, from 0, that become others. */
interface Block {
  readonly first: number;
  /** Inclusive. */
  last: number;
  readonly replacements: Replacement[];
}

/** @param replacements In order, without overlaps. */
export function lineDiff(text: string, replacements: readonly Replacement[]): string {
  const starts = lineStarts(text);
  // Parts that are put together at the end: as arguments of a call hundreds of thousands of lines have no room.
  const hunks: string[][] = [];
  let shift = 0;
  for (const blocks of grouped(blocksOf(text, starts, replacements))) {
    const first = Math.max(0, blocks[0]!.first - CONTEXT);
    const end = Math.min(starts.length, blocks.at(-1)!.last + 1 + CONTEXT);
    const parts: string[][] = [];
    let [at, added] = [first, 0];
    for (const { first, last, replacements } of blocks) {
      const old = linesOf(text.slice(starts[first], starts[last + 1] ?? text.length));
      const fresh = linesOf(replaced(text, starts[first]!, starts[last + 1] ?? text.length, replacements));
      parts.push(context(text, starts, at, first), marked("-", old), marked("+", fresh));
      added += fresh.length - old.length;
      at = last + 1;
    }
    parts.push(context(text, starts, at, end));
    const count = end - first;
    hunks.push([`@@ -${first + 1},${count} +${first + 1 + shift},${count + added} @@`], parts.flat());
    shift += added;
  }
  return headAndTail(hunks.flat().join("\n"), MAX_TEXT);
}

/** Where each line begins; what follows the last line break is one only if there is something. */
function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  if (starts.length > 1 && starts.at(-1) === text.length) starts.pop();
  return starts;
}

function blocksOf(text: string, starts: readonly number[], replacements: readonly Replacement[]): Block[] {
  const blocks: Block[] = [];
  let line = 0;
  const lineOf = (offset: number) => {
    while (line + 1 < starts.length && starts[line + 1]! <= offset) line++;
    return line;
  };
  for (const replacement of replacements) {
    const { start, end, text: fresh } = replacement;
    const first = lineOf(start);
    const before = blocks.at(-1);
    const meets = before !== undefined && before.last >= first;
    // Whole lines that go leave the next one alone; a line that loses its end takes the next one in.
    const isWhole = fresh.endsWith("\n") || fresh === "" && start === starts[first] && !meets;
    const last = lineOf(text[end - 1] === "\n" && !isWhole ? end : Math.max(start, end - 1));
    if (before && before.last + 1 >= first) {
      before.last = last;
      before.replacements.push(replacement);
    } else {
      blocks.push({ first, last, replacements: [replacement] });
    }
  }
  return blocks;
}

/** Those whose context meets are shown together. */
function grouped(blocks: readonly Block[]): Block[][] {
  const groups: Block[][] = [];
  for (const block of blocks) {
    const before = groups.at(-1)?.at(-1);
    if (before && block.first - before.last <= 2 * CONTEXT + 1) groups.at(-1)!.push(block);
    else groups.push([block]);
  }
  return groups;
}

function replaced(text: string, from: number, to: number, replacements: readonly Replacement[]): string {
  let at = from;
  let result = "";
  for (const { start, end, text: fresh } of replacements) {
    result += text.slice(at, start) + fresh;
    at = end;
  }
  return result + text.slice(at, to);
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

function context(text: string, starts: readonly number[], from: number, to: number): string[] {
  if (from >= to) return [];
  return marked(" ", linesOf(text.slice(starts[from], starts[to] ?? text.length)));
}

function marked(mark: string, lines: readonly string[]): string[] {
  return lines.map((line) => mark + line.replace(/\r$/, ""));
}
