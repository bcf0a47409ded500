/** `xxd`: a hex dump, and back. */

import { parseOptions } from "./options.ts";
import { textOf } from "./files.ts";
import { ProgramError, type ProgramOutput } from "./mod.ts";
import { PROGRAM_MAX_BYTES } from "./process.ts";
import { bounded, Files, type Invocation, type Tools } from "./tools.ts";

export function xxd({ fs, stop }: Tools, invocation: Invocation): ProgramOutput {
  const args = invocation.args.map((arg) => arg === "-ps" ? "-p" : arg);
  const options = parseOptions(args, { flags: [..."prua"], valued: [..."lscg"] });
  const number = (name: string, fallback: number) => {
    const text = options.value(name);
    if (text === undefined) return fallback;
    const value = Number(text);
    if (!Number.isInteger(value) || value < 0) throw new ProgramError(`invalid number: ${text}`);
    return value;
  };
  const [file = "-", target] = options.operands;
  const files = new Files(fs, PROGRAM_MAX_BYTES);
  const input = bounded(file === "-" ? invocation.stdin : files.read(invocation.path(file)));
  const start = number("s", 0);
  const bytes = input.subarray(start, start + number("l", Infinity));
  const plain = options.has("p");
  let output: Uint8Array;
  if (options.has("r")) output = back(textOf(input), plain);
  else {
    const columns = Math.min(number("c", plain ? 30 : 16) || 16, 256);
    const group = number("g", 2) || columns;
    const pieces: string[] = [];
    for (let at = 0; at < bytes.length; at += columns) {
      stop.check();
      const row = bytes.subarray(at, at + columns);
      pieces.push(plain ? hex(row, columns) : `${line(row, start + at, columns, group)}`);
    }
    const text = pieces.map((piece) => `${piece}\n`).join("");
    output = new TextEncoder().encode(options.has("u") ? text.toUpperCase() : text);
  }
  if (target === undefined) return { stdout: output };
  fs.writeFile(invocation.path(target), output);
  return {};
}

function hex(bytes: Uint8Array, group: number): string {
  let text = "";
  bytes.forEach((byte, i) =>
    text += (i > 0 && i % group === 0 ? " " : "") + byte.toString(16).padStart(2, "0")
  );
  return text;
}

function line(row: Uint8Array, offset: number, columns: number, group: number): string {
  const width = columns * 2 + Math.ceil(columns / group) - 1;
  const shown = [...row].map((byte) => byte >= 32 && byte < 127 ? String.fromCharCode(byte) : ".").join("");
  return `${offset.toString(16).padStart(8, "0")}: ${hex(row, group).padEnd(width)}  ${shown}`;
}

/** The bytes that a dump shows. */
function back(text: string, plain: boolean): Uint8Array {
  const digits = plain
    ? text
    : text.split("\n").map((line) => line.replace(/^[^:]*: ?/, "").replace(/ {2}.*$/, "")).join("");
  const pairs = digits.replace(/[^0-9a-fA-F]/g, "").match(/../g) ?? [];
  return Uint8Array.from(pairs, (pair) => parseInt(pair, 16));
}
