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

/** How lines begin that pip says on its way to what it says at the end. */
const PIP_STEPS =
  /^(?:Collecting \S|Looking in indexes: |Installing collected packages: |\[notice\]|\s*(?:Downloading|Using cached|Obtaining dependency information for|Preparing metadata|Getting requirements to build wheel|Installing build dependencies|━) ?)/;
const PIP_END = /^(?:Successfully installed|Requirement already satisfied|Would install) /m;

/** Output of pip without its steps: what was installed, what was there, and what went wrong. Any other text as it is. */
export function withoutSteps(text: string): string {
  if (!PIP_END.test(text)) return text;
  return text.split("\n").filter((line) => !isPipStep(line)).join("\n");
}

function isPipStep(line: string): boolean {
  // What a requirement needs goes without saying; what was asked for does not.
  return PIP_STEPS.test(line) ||
    line.startsWith("Requirement already satisfied: ") && line.includes(" (from ");
}
