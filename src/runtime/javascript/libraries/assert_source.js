/** The text of a call of `assert`, for what is said of it where it fails. */
import { hooks, host } from "./runtime.js";

/** Longest text that is looked through and shown. */
const MOST = 10_000;
const FRAME = /(?:^\s+at |\()([^()]+?):(\d+):(\d+)\)?$/;
const CALL = /(?:[\w$]+\s*\.\s*)*[\w$]+\s*\(/g;
/** Most parentheses that are tried as the last one of a call. */
const MOST_TRIED = 50;
const AsyncFunction = (async () => {}).constructor;

/** Where the program called: its file, line and column. */
function caller() {
  const lines = hooks.cleanStack(`${new Error().stack}`).split("\n").filter((line) => /^\s+at /.test(line));
  const [, file, line, column] = FRAME.exec(lines[0] ?? "") ?? [];
  return file && { file, line: +line, column: +column };
}

/** Where the call ends that a text begins with: at the first parenthesis with which it is one; undefined if there is none. */
function endOfCall(text) {
  let end = -1;
  for (let tried = 0; tried < MOST_TRIED; tried++) {
    end = text.indexOf(")", end + 1);
    if (end < 0) return undefined;
    try {
      new AsyncFunction(text.slice(0, end + 1));
      return end + 1;
    } catch {
      // It is within a text, a comment, or another call.
    }
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
    const end = call && endOfCall(text.slice(call.index));
    return end && dedented(text.slice(call.index, call.index + end), first.search(/\S/));
  } catch {
    return undefined;
  }
}
