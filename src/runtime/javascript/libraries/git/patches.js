/** Patches as `diff` writes them, read and applied: texts with one character for each byte, but for names. */
import { bytesOfChars } from "./compare.js";
import { decode, failed } from "./system.js";

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

const unescaped = (text) =>
  text.replace(/\\(\d{3}|.)/g, (_, escape) =>
    ({ n: "\n", t: "\t", r: "\r" })[escape] ??
      (escape.length === 3 ? String.fromCharCode(parseInt(escape, 8)) : escape));

/** A path as it is shown, which may be in quotes. */
export const unquotePath = (text) =>
  /^".*"$/s.test(text) ? decode(bytesOfChars(unescaped(text.slice(1, -1)))) : text;

/** A name as it stands in a patch: maybe in quotes, and with a time after it. */
function nameOf(text, strip) {
  const quoted = /^"((?:[^"\\]|\\.)*)"/.exec(text);
  const name = quoted ? unescaped(quoted[1]) : text.split("\t")[0].trimEnd();
  return name === "/dev/null" ? undefined : decode(bytesOfChars(name)).split("/").slice(strip).join("/");
}

/**
 * @returns Of each file: names, modes, what became of it, and hunks with where they start and their lines, each with its
 * sign. Where they stand in the patch is `line`.
 */
export function parsePatch(text, strip = 1) {
  const lines = text.replace(/\n$/, "").split("\n");
  const files = [];
  let file;
  const begin = (fields) => files.push(file = { hunks: [], ...fields });
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at];
    const git = /^diff --git (.+)$/.exec(line);
    if (git) {
      begin({ isGit: true });
      const both = /^(?:"?[^/]+\/)(.+?)"? "?[^/]+\/\1"?$/.exec(git[1]);
      if (both) file.old = file.now = nameOf(`x/${both[1]}`, 1);
    } else if (/^--- /.test(line) && /^\+\+\+ /.test(lines[at + 1] ?? "")) {
      if (!file?.isGit || file.hunks.length > 0) begin({});
      [file.old, file.now] = [nameOf(line.slice(4), strip), nameOf(lines[++at].slice(4), strip)];
    } else if (file && HUNK.test(line)) {
      at = readHunk(file, lines, at);
    } else if (file?.isGit && file.hunks.length === 0) readHeader(file, line);
  }
  return files.filter(({ hunks, mode, isNew, isGone, from, binary }) =>
    hunks.length > 0 || binary || mode !== undefined || isNew || isGone || from !== undefined
  );
}

function readHeader(file, line) {
  const id = /^index ([0-9a-f]+)\.\./.exec(line)?.[1];
  if (id) file.id = id;
  const [, key, value] =
    /^(new file mode|deleted file mode|old mode|new mode|rename from|rename to|copy from|copy to|Binary files|GIT binary patch)(?: (.*))?$/
      .exec(line) ?? [];
  if (key === "new file mode") Object.assign(file, { isNew: true, mode: value });
  else if (key === "deleted file mode") Object.assign(file, { isGone: true, oldMode: value });
  else if (key === "old mode") file.oldMode = value;
  else if (key === "new mode") file.mode = value;
  else if (key === "rename from") file.old = file.from = nameOf(value, 0);
  else if (key === "rename to" || key === "copy to") file.now = nameOf(value, 0);
  else if (key === "copy from") {
    Object.assign(file, { old: nameOf(value, 0), from: nameOf(value, 0), copies: true });
  } else if (key !== undefined) file.binary = true;
}

/** @returns the number of its last line. */
function readHunk(file, lines, from) {
  const [, oldStart, oldCount = "1", nowStart, nowCount = "1"] = HUNK.exec(lines[from]);
  let [old, now] = [Number(oldCount), Number(nowCount)];
  const hunk = {
    line: from + 2,
    start: Number(oldStart),
    nowStart: Number(nowStart),
    lines: [],
  };
  let at = from + 1;
  for (; old > 0 || now > 0; at++) {
    const line = lines[at];
    const sign = line === "" ? " " : line?.[0];
    if (line === undefined || !" +-\\".includes(sign)) throw failed(`corrupt patch at line ${at + 1}`, 128);
    if (sign === "\\") {
      hunk.lines.push(hunk.lines.pop().slice(0, -1));
      continue;
    }
    hunk.lines.push(`${sign}${line.slice(1)}\n`);
    if (sign !== "+") old--;
    if (sign !== "-") now--;
  }
  if (lines[at]?.startsWith("\\")) {
    hunk.lines.push(hunk.lines.pop().slice(0, -1));
    at++;
  }
  file.hunks.push(hunk);
  return at - 1;
}

/** The same the other way round. */
export const reversed = (file) => ({
  ...file,
  old: file.now,
  now: file.old,
  from: file.from === undefined ? undefined : file.now,
  isNew: file.isGone || file.now === undefined,
  isGone: file.isNew || file.old === undefined,
  mode: file.oldMode,
  oldMode: file.mode,
  hunks: file.hunks.map((hunk) => {
    const turned = { "+": "-", "-": "+", " ": " " };
    const lines = hunk.lines.map((line) => turned[line[0]] + line.slice(1));
    return {
      ...hunk,
      start: hunk.nowStart,
      nowStart: hunk.start,
      lines,
    };
  }),
});

/**
 * Applies hunks where their lines are, as near as can be to where they are to be.
 *
 * @param moved Called with the number of each that is elsewhere, its line, and how far off that is. @throws {Failure}
 */
export function applied(before, hunks, name, moved) {
  const lines = [...before];
  let done = 0;
  for (const [index, { start, nowStart, lines: wanted }] of hunks.entries()) {
    const old = wanted.filter((line) => line[0] !== "+").map((line) => line.slice(1));
    const now = wanted.filter((line) => line[0] !== "-").map((line) => line.slice(1));
    const endsWithContext = wanted.at(-1)?.[0] === " ";
    const guess = Math.max(0, nowStart - 1);
    // A hunk of the first line begins the file; one without context behind it ends it.
    const fits = (at) =>
      at >= done && at + old.length <= lines.length && (start > 1 || at === 0) &&
      (endsWithContext || at + old.length === lines.length) &&
      old.every((line, index) => lines[at + index] === line);
    let found;
    for (let offset = 0; offset <= Math.max(guess, lines.length) && found === undefined; offset++) {
      found = [guess + offset, guess - offset].find(fits);
    }
    if (found === undefined) {
      throw failed(`patch failed: ${name}:${Math.max(1, start)}\nerror: ${name}: patch does not apply`);
    }
    if (found !== guess) moved(index + 1, found + 1, found - guess);
    lines.splice(found, old.length, ...now);
    done = found + now.length;
  }
  return lines;
}
