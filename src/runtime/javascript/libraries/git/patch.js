/** Changes as git prints them: patches, and what sums them up. */
import { contentOf, isBinary, linesOf, runsOf, textsOf } from "./compare.js";
import { SHORT } from "./objects.js";
import { encode, out } from "./system.js";

const CONTEXT = 3;
const NO_ID = "0".repeat(40);
const MOST_OF_HEADING = 80;
const NO_END = "\\ No newline at end of file\n";

const ESCAPES = { 7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\" };
/** A path as it is shown: in quotes, with escapes, if it has odd characters. */
export function quotePath(path, { spaces = false } = {}) {
  // deno-lint-ignore no-control-regex -- these are what git escapes
  if (!/[\x00-\x1f"\\\x7f-\uffff]/.test(path)) return spaces && path.includes(" ") ? `"${path}"` : path;
  const shown = Array.from(encode(path), (byte) => {
    if (ESCAPES[byte]) return `\\${ESCAPES[byte]}`;
    return byte < 32 || byte > 126 ? `\\${byte.toString(8).padStart(3, "0")}` : String.fromCharCode(byte);
  });
  return `"${shown.join("")}"`;
}

/** Hunks of two texts. @returns lists of lines, each with its sign. */
export function hunksOf(a, b, { context = CONTEXT, space } = {}) {
  const groups = [];
  for (const run of runsOf(a, b, space)) {
    const last = groups.at(-1)?.at(-1);
    if (last && run.x - (last.x + last.old) <= 2 * context) groups.at(-1).push(run);
    else groups.push([run]);
  }
  let heading = "";
  let looked = -1;
  return groups.map((runs) => {
    const [first, last] = [runs[0], runs.at(-1)];
    const before = Math.min(context, first.x, first.y);
    const [x, y] = [first.x - before, first.y - before];
    const after = Math.min(context, a.length - last.x - last.old, b.length - last.y - last.now);
    const lines = [];
    let at = y;
    for (const run of runs) {
      while (at < run.y) lines.push(` ${b[at++]}`);
      for (const line of a.slice(run.x, run.x + run.old)) lines.push(`-${line}`);
      for (const line of b.slice(run.y, run.y + run.now)) lines.push(`+${line}`);
      at = run.y + run.now;
    }
    lines.push(...b.slice(at, at + after).map((line) => ` ${line}`));
    for (let each = x - 1; each > looked; each--) {
      if (!/^[A-Za-z_$]/.test(a[each])) continue;
      heading = a[each].slice(0, MOST_OF_HEADING).trimEnd();
      break;
    }
    looked = x - 1;
    const old = last.x + last.old + after - x;
    const now = last.y + last.now + after - y;
    return { x, y, old, now, lines, heading };
  });
}

const rangeText = (start, count) =>
  count === 1 ? `${start + 1}` : `${count === 0 ? start : start + 1},${count}`;

export const hunkText = ({ x, y, old, now, lines, heading }) =>
  `@@ -${rangeText(x, old)} +${rangeText(y, now)} @@${heading === "" ? "" : ` ${heading}`}\n` +
  lines.map((line) => line.endsWith("\n") ? line : `${line}\n${NO_END}`).join("");

/** Text and kind of both sides of a change. */
async function sidesOf(repository, { old, now }) {
  const contents = [await contentOf(repository, old), await contentOf(repository, now)];
  return { contents, binary: contents.some(isBinary) };
}

/** How many lines came and went; bytes of both sides where they are no text. */
export async function countsOf(repository, change, { space } = {}) {
  const { contents, binary } = await sidesOf(repository, change);
  const [before, after] = contents.map(({ length }) => length);
  if (binary) {
    return { binary, before, after, changed: change.old?.oid !== change.now?.oid, added: 0, deleted: 0 };
  }
  if (change.old?.oid === change.now?.oid) return { added: 0, deleted: 0 };
  const { texts } = textsOf(...contents);
  let [added, deleted] = [0, 0];
  for (const run of runsOf(linesOf(texts[0]), linesOf(texts[1]), space)) {
    added += run.now;
    deleted += run.old;
  }
  return { added, deleted };
}

/** Prints a change as a patch. */
export async function printPatch(repository, change, options = {}) {
  if (change.status === "U") return out(`* Unmerged path ${quotePath(change.path)}\n`);
  if (change.status === "T") {
    await printPatch(repository, { ...change, status: "D", now: undefined }, options);
    return await printPatch(repository, { ...change, status: "A", old: undefined }, options);
  }
  const { status, from, path, old, now, score } = change;
  const { prefixes: [left, right] = ["a/", "b/"], fullIndex = false } = options;
  const quoted = (prefix, name) => quotePath(prefix + name);
  const lines = [`diff --git ${quoted(left, from)} ${quoted(right, path)}`];
  if (status === "A") lines.push(`new file mode ${now.mode}`);
  else if (status === "D") lines.push(`deleted file mode ${old.mode}`);
  else if (old.mode !== now.mode) lines.push(`old mode ${old.mode}`, `new mode ${now.mode}`);
  if (status === "R" || status === "C") {
    const word = status === "R" ? "rename" : "copy";
    lines.push(
      `similarity index ${score}%`,
      `${word} from ${quotePath(from)}`,
      `${word} to ${quotePath(path)}`,
    );
  }
  const same = old?.oid === now?.oid;
  if (!same) {
    const short = async (side) => {
      if (!side) return fullIndex ? NO_ID : NO_ID.slice(0, 7);
      return fullIndex ? side.oid : await repository.objects.short(side.oid);
    };
    const mode = old && now && old.mode === now.mode ? ` ${old.mode}` : "";
    lines.push(`index ${await short(old)}..${await short(now)}${mode}`);
  }
  const head = `${lines.join("\n")}\n`;
  if (same) return lines.length > 1 ? out(head) : undefined;
  const { contents, binary } = await sidesOf(repository, change);
  const names = [old ? left + from : undefined, now ? right + path : undefined];
  const shown = names.map((name) => name === undefined ? "/dev/null" : quotePath(name));
  if (binary && !options.text) return out(`${head}Binary files ${shown[0]} and ${shown[1]} differ\n`);
  const { texts, bytesOf } = textsOf(...contents);
  const hunks = hunksOf(linesOf(texts[0]), linesOf(texts[1]), options);
  if (hunks.length === 0) {
    if (options.space === undefined || status !== "M" || old.mode !== now.mode) out(head);
    return;
  }
  const tab = (name) => name.includes(" ") ? `${name}\t` : name;
  out(`${head}--- ${tab(shown[0])}\n+++ ${tab(shown[1])}\n`);
  out(bytesOf(hunks.map(hunkText).join("")));
}

/** `a/{b => c}/d`: what two paths have in common is said once. */
export function renameText(from, to) {
  const [a, b] = [from, to];
  if (quotePath(a) !== a || quotePath(b) !== b) return `${quotePath(a)} => ${quotePath(b)}`;
  let head = 0;
  for (let at = 0; at < Math.min(a.length, b.length) && a[at] === b[at]; at++) {
    if (a[at] === "/") head = at + 1;
  }
  let tail = 0;
  for (
    let at = 1;
    at <= Math.min(a.length, b.length) - Math.max(0, head - 1) && a.at(-at) === b.at(-at);
    at++
  ) {
    if (a.at(-at) === "/") tail = at;
  }
  const middle = [a, b].map((name) => name.slice(head, Math.max(head, name.length - tail)));
  const changed = middle.join(" => ");
  return head === 0 && tail === 0 ? changed : `${a.slice(0, head)}{${changed}}${tail ? a.slice(-tail) : ""}`;
}

/** Two files that are no versions of one (`diff --no-index`) have two names, too. */
const nameOf = ({ from, path }) => from !== path ? renameText(from, path) : quotePath(path);

const plural = (count, one, many) => `${count} ${count === 1 ? one : many}`;
export function shortStat(counts) {
  const added = counts.reduce((sum, each) => sum + each.added, 0);
  const deleted = counts.reduce((sum, each) => sum + each.deleted, 0);
  const parts = [plural(counts.length, "file changed", "files changed")];
  if (added > 0 || deleted === 0) parts.push(`${plural(added, "insertion", "insertions")}(+)`);
  if (deleted > 0 || added === 0) parts.push(`${plural(deleted, "deletion", "deletions")}(-)`);
  return ` ${parts.join(", ")}\n`;
}

/** `--stat`. @param counts Of each change. @param columns Of the whole. */
export function statText(changes, counts, columns = 80) {
  const merged = (at) => changes[at].status === "U";
  const rows = changes.map((change, at) => ({ name: nameOf(change), ...counts[at], unmerged: merged(at) }));
  const most = Math.max(0, ...rows.map(({ added, deleted }) => added + deleted));
  const digits = (number) => `${number}`.length;
  const binaries = rows.filter(({ binary }) => binary);
  const binaryWidth = Math.max(
    0,
    ...binaries.map(({ before, after }) => 14 + digits(before) + digits(after)),
  );
  const numberWidth = Math.max(digits(most), binaries.length > 0 ? 3 : 0);
  let nameWidth = Math.max(0, ...rows.map(({ name }) => [...name].length));
  let graphWidth = most + 4 > binaryWidth ? most : binaryWidth - 4;
  if (nameWidth + numberWidth + 6 + graphWidth > columns) {
    const share = Math.max(6, Math.floor(columns * 3 / 8) - numberWidth - 6);
    graphWidth = Math.min(graphWidth, share);
    if (nameWidth > columns - numberWidth - 6 - graphWidth) {
      nameWidth = columns - numberWidth - 6 - graphWidth;
    } else graphWidth = columns - numberWidth - 6 - nameWidth;
  }
  const scaled = (count) => count === 0 ? 0 : 1 + Math.floor(count * (graphWidth - 1) / most);
  const bars = ({ added, deleted }) => {
    let [plus, minus] = [added, deleted];
    if (graphWidth <= most) {
      let total = scaled(added + deleted);
      if (total < 2 && added > 0 && deleted > 0) total = 2;
      if (added < deleted) [plus, minus] = [scaled(added), total - scaled(added)];
      else [plus, minus] = [total - scaled(deleted), scaled(deleted)];
    }
    return "+".repeat(plus) + "-".repeat(minus);
  };
  const lines = rows.map((row) => {
    const chars = [...row.name];
    let shown = row.name;
    if (chars.length > nameWidth) {
      const end = chars.slice(chars.length - Math.max(0, nameWidth - 3)).join("");
      shown = `...${end.includes("/") ? end.slice(end.indexOf("/")) : end}`;
    }
    const head = ` ${shown}${" ".repeat(Math.max(0, nameWidth - [...shown].length))} | `;
    if (row.unmerged) return `${head}${"Unmerged".padStart(numberWidth)}\n`;
    if (row.binary) {
      const bytes = row.changed ? ` ${row.before} -> ${row.after} bytes` : "";
      return `${head}${"Bin".padStart(numberWidth)}${bytes}\n`;
    }
    const total = row.added + row.deleted;
    return `${head}${`${total}`.padStart(numberWidth)}${total > 0 ? ` ${bars(row)}` : ""}\n`;
  });
  return lines.join("") + shortStat(counts.filter((_, at) => !merged(at)));
}

/** `--summary`: what was made, removed and renamed. */
export function summaryText(changes) {
  return changes.map((change) => {
    const { status, old, now, path, score } = change;
    const modes = old && now && old.mode !== now.mode ? ` mode change ${old.mode} => ${now.mode}` : "";
    if (status === "A") return ` create mode ${now.mode} ${quotePath(path)}\n`;
    if (status === "D") return ` delete mode ${old.mode} ${quotePath(path)}\n`;
    if (status === "R") return ` rename ${nameOf(change)} (${score}%)\n${modes && `${modes}\n`}`;
    return modes && `${modes} ${quotePath(path)}\n`;
  }).join("");
}

/** `--numstat`. */
export const numStat = (changes, counts, end = "\n") =>
  changes.map((change, at) => {
    const { binary, added, deleted } = counts[at];
    const head = binary ? "-\t-" : `${added}\t${deleted}`;
    return `${head}\t${nameOf(change)}${end}`;
  }).join("");

/** Changes in the forms that are asked for. */
export async function printChanges(repository, changes, wanted) {
  const { forms, end = "\n", shown = (path) => path } = wanted;
  const has = (form) => forms.includes(form);
  const named = changes.map((change) => ({ ...change, path: shown(change.path), from: shown(change.from) }));
  const text = (path) => end === "\0" ? path : quotePath(path);
  if (has("raw")) { for (const change of named) out(await rawText(repository, change, wanted)); }
  if (has("name-only")) out(named.map(({ path }) => `${text(path)}${end}`).join(""));
  if (has("name-status")) {
    const between = end === "\0" ? "\0" : "\t";
    for (const { status, score, from, path } of named) {
      const code = status === "R" ? `R${`${score}`.padStart(3, "0")}${between}${text(from)}` : status;
      out(`${code}${between}${text(status === "M" ? from : path)}${end}`);
    }
  }
  if (forms.some((form) => ["stat", "numstat", "shortstat"].includes(form))) {
    const counts = [];
    for (const change of changes) {
      counts.push(
        change.status === "U" ? { added: 0, deleted: 0 } : await countsOf(repository, change, wanted),
      );
    }
    const listed = named.map((change, at) => [change, counts[at]]);
    const isTouched = ({ status, old, now }) =>
      status === "M" && old.oid === now.oid && old.mode === now.mode;
    const useful = listed.filter(([change]) => !isTouched(change)).filter((
      [{ status, old, now }, { binary, added, deleted }],
    ) =>
      wanted.space === undefined || binary || added + deleted > 0 || status !== "M" || old.mode !== now.mode
    );
    const [rows, numbers] = [useful.map(([change]) => change), useful.map(([, count]) => count)];
    if (has("numstat")) out(numStat(rows, numbers, end));
    if (has("stat") && rows.length > 0) out(statText(rows, numbers, wanted.columns));
    const merged = numbers.filter((_, at) => rows[at].status !== "U");
    if (has("shortstat") && rows.length > 0) out(shortStat(merged));
  }
  if (has("summary")) out(summaryText(named));
  if (has("patch")) {
    if (forms.length > 1 && changes.length > 0) out("\n");
    for (const change of named) await printPatch(repository, change, wanted);
  }
}

async function rawText({ objects }, { status, old, now, from, path, score }, { end = "\n", digits = SHORT }) {
  const none = NO_ID.slice(0, digits);
  const id = async (side) => side && side.file === undefined ? await objects.short(side.oid, digits) : none;
  const modes = `:${old?.mode ?? "000000"} ${now?.mode ?? "000000"} ${await id(old)} ${await id(now)}`;
  const [between, text] = end === "\0" ? ["\0", (each) => each] : ["\t", quotePath];
  const code = status === "R" ? `R${`${score}`.padStart(3, "0")}${between}${text(from)}` : status;
  return `${modes} ${code}${between}${text(path)}${end}`;
}
