/** `apply --whitespace`: blanks that a patch adds where nobody sees them. */
import { bytesOfChars } from "./compare.js";
import { failed, note } from "./system.js";

const ACTIONS = new Set(["fix", "warn", "nowarn", "error", "error-all"]);
const MOST_SHOWN = 5;
const TRAILING = /[ \t\r\v\f]+(?=\n?$)/;
const INDENT = /^[ \t]+/;
const SPACES_BEFORE_TAB = / +\t/g;

/** What is to be done about them. @throws {Failure} if that is none of git's words. */
export function actionOf(word = "warn") {
  const action = word === "strip" ? "fix" : word;
  if (!ACTIONS.has(action)) throw failed(`unrecognized whitespace option '${word}'`, 129);
  return action;
}

/** Finds them in what files are to be, tells them, and leaves them out where that is wanted. @throws {Failure} */
export function checked(files, action, name) {
  if (action === "nowarn") return files;
  const found = [];
  const fixed = files.map((file) => {
    // In a file whose lines end in CR and LF, CR is no blank.
    const endsInCr = file.hunks.some(({ lines }) => lines.some((line) => /^[ -].*\r\n$/.test(line)));
    return { ...file, hunks: file.hunks.map((hunk) => checkedHunk(hunk, endsInCr, found)) };
  });
  if (found.length === 0) return files;
  const shown = action === "error-all" ? found : found.slice(0, MOST_SHOWN);
  for (const { line, text, faults } of shown) {
    note(`${name}:${line}: ${faults}.\n`);
    note(bytesOfChars(text.replace(/\n?$/, "\n")));
  }
  const left = found.length - shown.length;
  if (left > 0) note(`warning: squelched ${left} whitespace error${left === 1 ? "" : "s"}\n`);
  const lines = found.length === 1 ? "1 line" : `${found.length} lines`;
  const adds = `${lines} ${found.length === 1 ? "adds" : "add"} whitespace errors.`;
  if (action.startsWith("error")) throw failed(adds, 128);
  note(`warning: ${action === "fix" ? `${lines} applied after fixing whitespace errors.` : adds}\n`);
  return action === "fix" ? fixed : files;
}

function checkedHunk(hunk, endsInCr, found) {
  const lines = hunk.lines.map((line, at) => {
    if (line[0] !== "+") return line;
    const [, text, end] = (endsInCr ? /^\+(.*?)(\r?\n?)$/s : /^\+(.*?)(\n?)$/s).exec(line);
    const indent = INDENT.exec(text)?.[0] ?? "";
    const faults = [
      TRAILING.test(text) && "trailing whitespace",
      indent.search(SPACES_BEFORE_TAB) >= 0 && "space before tab in indent",
    ].filter(Boolean).join(", ");
    if (faults === "") return line;
    found.push({ line: hunk.line + at, text: line.slice(1), faults });
    return `+${
      text.replace(INDENT, (blanks) => blanks.replace(SPACES_BEFORE_TAB, "\t")).replace(TRAILING, "")
    }${end}`;
  });
  // A hunk that ends with what is added ends its file.
  const blank = lines.length - 1 - lines.findLastIndex((line) => !/^\+\s*$/.test(line));
  if (blank === 0) return { ...hunk, lines };
  found.push({ line: hunk.line + lines.length - blank, text: "+", faults: "new blank line at EOF" });
  return { ...hunk, lines: lines.slice(0, -blank) };
}
