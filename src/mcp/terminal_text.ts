/** What a terminal would show of text in which lines are written over again and again, as progress bars do. */

// deno-lint-ignore no-control-regex -- it is one
const ERASE_LINE = /^.*\x1b\[2K/s;
// deno-lint-ignore no-control-regex
const ERASE_REST = /\x1b\[0?K/g;

/** Each line as it looked at last. */
export function settled(text: string): string {
  if (!text.includes("\r")) return text;
  return text.split("\n").map(settledLine).join("\n");
}

function settledLine(line: string): string {
  if (!line.includes("\r")) return line;
  let shown = "";
  // The last one is on top.
  for (const written of line.split("\r").reverse()) {
    const rest = written.replace(ERASE_LINE, "").replaceAll(ERASE_REST, "");
    if (rest.length > shown.length) shown += rest.slice(shown.length);
    if (rest !== written) break;
  }
  return shown.trimEnd();
}
