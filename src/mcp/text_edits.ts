/** Exact replacements in a text: all of them or none. The work is linear in what is given, whatever that is. */

import { WasmboxError } from "../errors.ts";

export interface TextEdit {
  readonly old: string;
  readonly new: string;
  /** Wherever it occurs, not at one place alone. */
  readonly everywhere: boolean;
}

/** A place of the text that is replaced. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Most places where one edit applies: each is kept until all are found. */
const MAX_PLACES = 20_000;
/** Places that an error names. */
const MAX_NAMED = 5;

/**
 * Where the edits apply. Each is looked for in the text as it is, so that none depends on another.
 *
 * @param maxLength What the text may come to, UTF-16 units.
 * @returns In order; they don't overlap.
 * @throws {WasmboxError} INVALID_ARGUMENTS if one is not there, not unique, or meets another one; FILE_TOO_LARGE.
 */
export function replacementsOf(text: string, edits: readonly TextEdit[], maxLength: number): Replacement[] {
  const breaks = /\r\n/.test(text) && !/(?<!\r)\n/.test(text);
  const all = edits.flatMap((edit, index) => placesOf(text, breaks ? withReturns(edit) : edit, index));
  all.sort((a, b) => a.start - b.start);
  const clash = all.find(({ start }, at) => at > 0 && start < all[at - 1]!.end);
  if (clash) {
    throw refusal(`Two edits overlap in line ${lineAt(text, clash.start)}`, "Make one of them.");
  }
  const length = all.reduce((sum, { start, end, text }) => sum + text.length - (end - start), text.length);
  if (length > maxLength) {
    throw new WasmboxError(
      "FILE_TOO_LARGE",
      `The file would have ${length} characters; ${maxLength} is the limit.`,
      {
        suggestions: ["Change it by code instead. Nothing was changed."],
      },
    );
  }
  return all;
}

/** @param replacements As {@link replacementsOf} gives them. */
export function applied(text: string, replacements: readonly Replacement[]): string {
  let at = 0;
  const parts: string[] = [];
  for (const { start, end, text: replaced } of replacements) {
    parts.push(text.slice(at, start), replaced);
    at = end;
  }
  return [...parts, text.slice(at)].join("");
}

/** A file whose lines end as Windows has it is edited by texts that don't. */
function withReturns(edit: TextEdit): TextEdit {
  const converted = (text: string) => text.replaceAll(/\r?\n/g, "\r\n");
  return { ...edit, old: converted(edit.old), new: converted(edit.new) };
}

function placesOf(text: string, edit: TextEdit, index: number): Replacement[] {
  const starts = occurrences(text, edit.old);
  const what = `edits[${index}].old_text`;
  if (starts.length === 0) {
    throw refusal(`${what} is not in the file`, missingHint(text, edit.old));
  }
  if (starts.length > 1 && !edit.everywhere) {
    const lines = starts.slice(0, MAX_NAMED).map((start) => lineAt(text, start)).join(", ");
    const more = starts.length > MAX_NAMED ? ", …" : "";
    throw refusal(
      `${what} occurs ${starts.length} times (lines ${lines}${more})`,
      "Give more of the text around it, so that it is unique, or set replace_all.",
    );
  }
  if (starts.length > MAX_PLACES) {
    throw refusal(`${what} occurs more than ${MAX_PLACES} times`, "Change it by code instead.");
  }
  return starts.map((start) => ({ start, end: start + edit.old.length, text: edit.new }));
}

function refusal(message: string, suggestion: string): WasmboxError {
  return new WasmboxError("INVALID_ARGUMENTS", `${message}. Nothing was changed.`, {
    suggestions: [suggestion],
  });
}

/** What was probably meant: a line that differs in its white space only. */
function missingHint(text: string, old: string): string {
  const first = old.split("\n").map((line) => line.trim()).find((line) => line !== "");
  const at = first === undefined ? -1 : text.split("\n").findIndex((line) => line.trim() === first);
  return at < 0
    ? "Read the file and copy the text exactly, with its white space."
    : `Line ${
      at + 1
    } is like it but for white space, or what follows differs: read it and copy the text exactly.`;
}

function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) line++;
  return line;
}

/**
 * Where `part` occurs, without overlaps; a few more than {@link MAX_PLACES} at most. By Knuth, Morris and Pratt: the engine's own search can take the product of both
 * lengths, and both come from outside.
 */
function occurrences(text: string, part: string): number[] {
  const borders = bordersOf(part);
  const found: number[] = [];
  for (let at = 0, matched = 0; at < text.length && found.length <= MAX_PLACES; at++) {
    const unit = text.charCodeAt(at);
    while (matched > 0 && unit !== part.charCodeAt(matched)) matched = borders[matched - 1]!;
    if (unit === part.charCodeAt(matched)) matched++;
    if (matched === part.length) {
      found.push(at - part.length + 1);
      matched = 0;
    }
  }
  return found;
}

/** For each beginning of it, how much of that is both its beginning and its end. */
function bordersOf(part: string): Uint32Array {
  const borders = new Uint32Array(part.length);
  for (let at = 1, length = 0; at < part.length; at++) {
    while (length > 0 && part.charCodeAt(at) !== part.charCodeAt(length)) length = borders[length - 1]!;
    if (part.charCodeAt(at) === part.charCodeAt(length)) length++;
    borders[at] = length;
  }
  return borders;
}
