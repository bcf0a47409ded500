/** The text of a call of `assert`, for what is said of it where it fails. */
import { hooks, host } from "./runtime.js";

/** Longest text that is looked through and shown. */
const MOST = 10_000;
const FRAME = /(?:^\s+at |\()([^()]+?):(\d+):(\d+)\)?$/;
const CALL = /(?:[\w$]+\s*\.\s*)*[\w$]+\s*\(/g;
const CLOSING = { "(": ")", "[": "]", "{": "}" };

/** Where the program called: its file, line and column. */
function caller() {
  const lines = hooks.cleanStack(`${new Error().stack}`).split("\n").filter((line) => /^\s+at /.test(line));
  const [, file, line, column] = FRAME.exec(lines[0] ?? "") ?? [];
  return file && { file, line: +line, column: +column };
}

/** The end of what opens at `start`; undefined if it is not closed. */
function closing(text, start) {
  const open = [];
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (char === '"' || char === "'" || char === "`") {
      for (at++; at < text.length && text[at] !== char; at++) if (text[at] === "\\") at++;
    } else if (CLOSING[char]) open.push(CLOSING[char]);
    else if (char === open.at(-1) && (open.pop(), open.length === 0)) return at + 1;
  }
  return undefined;
}

function sourceOf(file) {
  const program = host.sourceOf(file);
  if (program !== undefined || !file.startsWith("/")) return program;
  return hooks.decodeUtf8(new Uint8Array(host.readFile(file)), false);
}

/** As Node does it: lines after the first lose the white space that the first one stands behind. */
function dedented(text, indent) {
  return text.split("\n").map((line, at) =>
    at === 0 ? line : line.slice(Math.min(line.search(/\S|$/), indent))
  )
    .join("\n  ");
}

/** @returns The call as the program has it; undefined where it can't be told. */
export function calledText() {
  try {
    const { file, line, column } = caller();
    const source = sourceOf(file);
    const start = source.split("\n", line - 1).join("\n").length + (line > 1 ? 1 : 0);
    const text = source.slice(start, start + MOST);
    const [first] = text.split("\n", 1);
    const calls = [...first.matchAll(CALL)].filter(([name]) =>
      /(?:^|\.)\s*(?:assert|ok|strict)\s*\($/.test(name)
    );
    // Columns are within the call, or one before it: where there are several it is the last one that does not begin later.
    const call = calls.length === 1
      ? calls[0]
      : calls.findLast(({ index }) => index <= column && first.length >= column);
    const end = call && closing(text, call.index + call[0].length - 1);
    return end && dedented(text.slice(call.index, end), first.search(/\S/));
  } catch {
    return undefined;
  }
}
