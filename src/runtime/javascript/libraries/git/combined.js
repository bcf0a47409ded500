/** Files of a merge beside both of its parents: `diff --cc`. */
import { changesBetween, contentOf, isBinary, linesOf, runsOf, textsOf } from "./compare.js";
import { selected } from "./diff_options.js";
import { printChanges, quotePath } from "./patch.js";
import { out, readBytes } from "./system.js";

const CONTEXT = 3;
/** Most pairs of lost lines that are compared. */
const MOST_COMPARED = 1_000_000;

/** What a merge has that none of its parents had. */
export async function printCombined(repository, commit, wanted, shape) {
  const { objects } = repository;
  const after = await objects.files(commit.tree);
  const parents = [];
  for (const oid of commit.parents) parents.push(await objects.files((await objects.commit(oid)).tree));
  const changed = parents.map((files) => new Set(changesBetween(files, after).map(({ path }) => path)));
  const paths = [...changed[0]].filter((path) => changed.every((set) => set.has(path))).sort();
  const names = wanted.forms.some((form) => form.startsWith("name-"));
  if (!wanted.forms.includes("patch")) {
    const changes = names ? [] : await selected(repository, changesBetween(parents[0], after), wanted);
    if (changes.length === 0 && !names) return;
    if (shape.name !== "oneline" && shape.pattern !== "") out("\n");
    const letter = (files, path) => !files.has(path) ? "A" : after.has(path) ? "M" : "D";
    for (const path of names ? paths : []) {
      const letters = wanted.forms.includes("name-status")
        ? `${parents.map((files) => letter(files, path)).join("")}\t`
        : "";
      out(`${letters}${quotePath(path)}\n`);
    }
    return await printChanges(repository, changes, wanted);
  }
  const texts = [];
  for (const path of paths) {
    const sides = parents.map((files) => files.get(path));
    texts.push(await textOf(repository, path, sides, after.get(path)));
  }
  if (shape.name !== "oneline" && shape.pattern !== "") out("\n");
  for (const text of texts) out(text);
}

/** Files with conflicts as they are in the work tree, beside ours and theirs. @returns those that have not both. */
export async function printUnmerged(repository, conflicts) {
  const left = [];
  for (const [path, stages] of conflicts) {
    const file = repository.file(path);
    const bytes = readBytes(file);
    if (!stages[2] || !stages[3] || bytes === undefined) {
      left.push(path);
      continue;
    }
    out(
      await textOf(repository, path, [stages[2], stages[3]], { mode: stages[2].mode, file }, {
        worktree: true,
      }),
    );
  }
  return left;
}

async function textOf(repository, path, sides, now, { worktree = false } = {}) {
  const { objects } = repository;
  const short = async (side) => side ? await objects.short(side.oid) : "0000000";
  const ids = [];
  for (const side of sides) ids.push(await short(side));
  const modes = now && sides.every((side) => side?.mode === now.mode) ? "" : modeText(sides, now);
  const head = `diff --cc ${quotePath(path)}\nindex ${ids.join(",")}..${
    worktree || !now ? "0000000" : await short(now)
  }\n${modes}`;
  const contents = [];
  for (const side of [...sides, now]) contents.push(await contentOf(repository, side));
  if (contents.some(isBinary)) return `${head}Binary files differ\n`;
  const { texts, bytesOf } = textsOf(...contents);
  const lines = texts.map(linesOf);
  const result = lines.pop();
  const hunks = hunksOf(lines, result);
  if (hunks === "") return modes === "" ? "" : head;
  const files = `--- ${sides.some(Boolean) ? quotePath(`a/${path}`) : "/dev/null"}\n+++ ${
    now ? quotePath(`b/${path}`) : "/dev/null"
  }\n`;
  return bytesOf(head + files + hunks);
}

function modeText(sides, now) {
  if (!now) return `deleted file mode ${sides.map((side) => side?.mode ?? "000000").join(",")}\n`;
  if (sides.every((side) => !side)) return `new file mode ${now.mode}\n`;
  return `mode ${sides.map((side) => side?.mode ?? "000000").join(",")}..${now.mode}\n`;
}

/** @param parents Lines of each. */
function hunksOf(parents, result) {
  const added = parents.map(() => new Uint8Array(result.length));
  /** Before each line of the result, and after its end: lines that were lost there, with what parents had them. */
  const lost = Array.from({ length: result.length + 1 }, () => []);
  const positions = parents.map(() => new Int32Array(result.length + 2));
  for (const [which, lines] of parents.entries()) {
    let [x, y] = [0, 0];
    const runs = runsOf(lines, result);
    for (const run of [...runs, { x: lines.length, y: result.length, old: 0, now: 0 }]) {
      while (y < run.y) positions[which][y++] = x++;
      positions[which][y] = x;
      join(lost[run.y], lines.slice(run.x, run.x + run.old), which);
      for (let at = 0; at < run.now; at++) {
        added[which][run.y + at] = 1;
        positions[which][run.y + at] = x + run.old;
      }
      [x, y] = [run.x + run.old, run.y + run.now];
    }
    positions[which][result.length] = lines.length -
      runs.filter(({ y }) => y === result.length).reduce((sum, { old }) => sum + old, 0);
  }
  const touched = (at) => added.some((marks) => marks[at]) || lost[at].length > 0;
  const groups = [];
  for (let at = 0; at <= result.length; at++) {
    if (!touched(at)) continue;
    const last = groups.at(-1);
    // What was lost stands before a line that may well be the same.
    const tail = last && (added.some((marks) => marks[last.end - 1]) ? last.end : last.end - 1);
    if (last && at < Math.max(tail + CONTEXT, last.end + 1)) last.end = at + 1;
    else groups.push({ start: at, end: at + 1 });
  }
  const shown = [];
  for (const group of groups) {
    if (!isInteresting(group, added, lost)) continue;
    const last = shown.at(-1);
    if (last && group.start - last.end <= 2 * CONTEXT) last.end = group.end;
    else shown.push({ ...group });
  }
  return shown.map(({ start, end }) => hunkText({ start, end, added, lost, positions, parents, result }))
    .join("");
}

/** Whether it is not simply what one of the parents had. */
function isInteresting({ start, end }, added, lost) {
  const kinds = new Set();
  const all = added.map(() => "1").join("");
  for (let at = start; at < end; at++) {
    const own = added.map((marks) => marks[at] ? "1" : "0").join("");
    if (own.includes("1")) kinds.add(own);
    for (const { from } of lost[at]) kinds.add(added.map((_, which) => from.has(which) ? "1" : "0").join(""));
  }
  return kinds.size > 1 || kinds.has(all);
}

/** Lines that parents have lost in one place: those that both had are one. */
function join(there, lines, which) {
  if (lines.length === 0) return;
  const [n, m] = [there.length, lines.length];
  const most = Array.from({ length: n + 1 }, () => new Uint32Array(m + 1));
  if (n * m <= MOST_COMPARED) {
    for (let x = n - 1; x >= 0; x--) {
      for (let y = m - 1; y >= 0; y--) {
        most[x][y] = there[x].line === lines[y]
          ? most[x + 1][y + 1] + 1
          : Math.max(most[x + 1][y], most[x][y + 1]);
      }
    }
  }
  const joined = [];
  let [x, y] = [0, 0];
  while (x < n || y < m) {
    if (x < n && y < m && there[x].line === lines[y] && n * m <= MOST_COMPARED) {
      there[x].from.add(which);
      joined.push(there[x++]);
      y++;
    } else if (x < n && (y === m || most[x + 1][y] >= most[x][y + 1])) joined.push(there[x++]);
    else joined.push({ line: lines[y++], from: new Set([which]) });
  }
  there.splice(0, there.length, ...joined);
}

function hunkText({ start, end, added, lost, positions, parents, result }) {
  const from = Math.max(0, start - CONTEXT);
  // What was lost stands before a line that may well be the same.
  const tail = added.some((marks) => marks[end - 1]) ? end : end - 1;
  const to = Math.min(result.length, tail + CONTEXT);
  const lines = [];
  const counts = parents.map(() => 0);
  for (let at = from; at <= to; at++) {
    if (at >= start && at < end || (at === to && at === result.length && end > result.length)) {
      for (const { line, from } of lost[at]) {
        lines.push(parents.map((_, which) => from.has(which) ? "-" : " ").join("") + line);
        for (const which of from) counts[which]++;
      }
    }
    if (at === to || at >= result.length) break;
    lines.push(added.map((marks) => marks[at] ? "+" : " ").join("") + result[at]);
    added.forEach((marks, which) => {
      if (!marks[at]) counts[which]++;
    });
  }
  const starts = parents.map((_, which) => {
    const before = from >= start ? lost[from].filter(({ from }) => from.has(which)).length : 0;
    return positions[which][from] - (from < start ? 0 : added[which][from] ? before : before);
  });
  const marks = "@".repeat(parents.length + 1);
  const range = (sign, at, count) => `${sign}${count === 0 ? at : at + 1},${count}`;
  const old = parents.map((_, which) => range("-", starts[which], counts[which])).join(" ");
  const text = lines.map((line) => line.endsWith("\n") ? line : `${line}\n`).join("");
  let heading = "";
  for (let at = from - 1; at >= 0; at--) {
    if (!/^[A-Za-z_$]/.test(result[at])) continue;
    // Without its last character, as git has it.
    heading = result[at].slice(0, 40).trimEnd().slice(0, -1);
    break;
  }
  return `${marks} ${old} ${range("+", from, to - from)} ${marks}${
    heading === "" ? "" : ` ${heading}`
  }\n${text}`;
}
