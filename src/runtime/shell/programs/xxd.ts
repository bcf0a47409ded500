/** `xxd`: a hex dump, and back. */

import { Collector } from "../../../archive/collector.ts";
import type { StopSign } from "../../../control/stop_sign.ts";
import { parseOptions } from "./options.ts";
import { ProgramError, type ProgramOutput } from "./mod.ts";
import { PROGRAM_MAX_BYTES } from "./process.ts";
import { bounded, Files, type Invocation, output, type Tools } from "./tools.ts";

const NEWLINE = 10;
const SPACE = 32;
const COLON = 58;
/** What bytes are as digits; -1 for those that are none. */
const DIGITS = Int8Array.from({ length: 256 }, (_, byte) => {
  const digit = parseInt(String.fromCharCode(byte), 16);
  return Number.isNaN(digit) ? -1 : digit;
});
/** Text that is made before it becomes bytes, UTF-16 units. */
const TEXT_UNITS = 64 * 1024;
const encoder = new TextEncoder();

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
  const files = new Files(fs, PROGRAM_MAX_BYTES, stop);
  const input = bounded(file === "-" ? invocation.stdin : files.read(invocation.path(file)));
  const start = number("s", 0);
  const bytes = input.subarray(start, start + number("l", Infinity));
  const plain = options.has("p");
  const dump = target === undefined ? output() : new Collector(fs.quota.maxBytes);
  if (options.has("r")) dump.add(back(input, plain, stop));
  else {
    const columns = Math.min(number("c", plain ? 30 : 16) || 16, 256);
    const group = number("g", 2) || columns;
    const digitsOf = (row: Uint8Array, group: number) =>
      options.has("u") ? hex(row, group).toUpperCase() : hex(row, group);
    let text = "";
    const flush = () => {
      dump.add(encoder.encode(text));
      text = "";
    };
    for (let at = 0; at < bytes.length; at += columns) {
      stop.check();
      const row = bytes.subarray(at, at + columns);
      text += `${
        plain
          ? digitsOf(row, columns)
          : line(row, start + at, columns, { group, digits: digitsOf(row, group) })
      }\n`;
      if (text.length > TEXT_UNITS) flush();
    }
    flush();
  }
  if (target === undefined) return { stdout: dump.bytes(stop) };
  fs.writeFile(invocation.path(target), dump.bytes(stop));
  return {};
}

function hex(bytes: Uint8Array, group: number): string {
  let text = "";
  bytes.forEach((byte, i) =>
    text += (i > 0 && i % group === 0 ? " " : "") + byte.toString(16).padStart(2, "0")
  );
  return text;
}

function line(
  row: Uint8Array,
  offset: number,
  columns: number,
  { group, digits }: { readonly group: number; readonly digits: string },
): string {
  const width = columns * 2 + Math.ceil(columns / group) - 1;
  const shown = [...row].map((byte) => byte >= 32 && byte < 127 ? String.fromCharCode(byte) : ".").join("");
  return `${offset.toString(16).padStart(8, "0")}: ${digits.padEnd(width)}  ${shown}`;
}

/** The bytes that a dump shows. No regular expression: one that looks for the end of a line can take V8 for ever. */
function back(dump: Uint8Array, plain: boolean, stop: StopSign): Uint8Array {
  const bytes = new Uint8Array(dump.length >> 1);
  let digits = 0;
  for (let at = 0; at < dump.length;) {
    stop.check();
    const newline = dump.indexOf(NEWLINE, at);
    const end = newline < 0 ? dump.length : newline;
    const shown = plain ? dump.subarray(at, end) : hexOf(dump.subarray(at, end));
    for (const byte of shown) {
      const digit = DIGITS[byte]!;
      if (digit < 0) continue;
      bytes[digits >> 1]! |= digits % 2 === 0 ? digit << 4 : digit;
      digits++;
    }
    at = end + 1;
  }
  return bytes.subarray(0, digits >> 1);
}

/** What stands between the offset and the text of a line. */
function hexOf(line: Uint8Array): Uint8Array {
  const colon = line.indexOf(COLON);
  const start = colon < 0 ? 0 : colon + (line[colon + 1] === SPACE ? 2 : 1);
  let end = start;
  while (end < line.length && !(line[end] === SPACE && line[end + 1] === SPACE)) end++;
  return line.subarray(start, end);
}
