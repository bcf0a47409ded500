/** `blame`: which commit each line of a file is of. */
import { linesOf, runsOf } from "../compare.js";
import { formatDate } from "../dates.js";
import { parseOptions } from "../options.js";
import { commitOf, entryOf } from "../revisions.js";
import { openRepository } from "../repository.js";
import { absolute, decode, Failure, fatal, out, readBytes } from "../system.js";
import { fileAt } from "../worktree.js";

export async function blame(args) {
  const options = parseOptions(
    "blame",
    args,
    "L= s e|show-email l !t w date= !porcelain !line-porcelain !p",
  );
  const repository = await openRepository();
  const { objects } = repository;
  const words = options.everything;
  const name = words.at(-1);
  if (name === undefined || words.length > 2) {
    throw new Failure("usage: git blame [<options>] [<rev>] [--] <file>\n", 129);
  }
  const path = repository.within(absolute(name), name);
  const start = words.length > 1 ? await commitOf(repository, words[0]) : await commitOf(repository, "HEAD");
  const textOf = async (oid) => {
    const entry = await entryOf(objects, (await objects.commit(oid)).tree, path);
    return entry && decode((await objects.read(entry.oid, "blob")).bytes);
  };
  const first = await textOf(start);
  if (first === undefined) throw fatal(`no such path '${path}' in ${words.length > 1 ? words[0] : "HEAD"}`);
  const own = words.length > 1 ? undefined : fileAt(repository, path);
  const current = own ? decode(readBytes(own.file)) : first;
  const lines = linesOf(current);
  const blamed = lines.map(() => undefined);
  const space = options.has("w") ? "all" : undefined;
  /** For lines of a version which lines of the file they are. */
  let waiting = [];
  const pass = (text, open, older) => {
    const [now, before] = [linesOf(text), older === undefined ? [] : linesOf(older)];
    const kept = new Map();
    let [x, y] = [0, 0];
    for (const run of [...runsOf(before, now, space), { x: before.length, y: now.length, old: 0, now: 0 }]) {
      while (y < run.y) {
        if (open.has(y)) kept.set(x, open.get(y));
        x++, y++;
      }
      [x, y] = [run.x + run.old, run.y + run.now];
    }
    return kept;
  };
  const all = new Map(lines.map((_, at) => [at, at]));
  waiting.push([start, own ? pass(current, all, first) : all]);
  while (waiting.length > 0) {
    const times = new Map();
    for (const [oid] of waiting) times.set(oid, (await objects.commit(oid)).committer.time);
    waiting.sort(([a], [b]) => times.get(b) - times.get(a));
    const [oid] = waiting[0];
    const open = new Map();
    for (const [each, part] of waiting) {
      if (each === oid) {
        for (const [line, at] of part) open.set(line, at);
      }
    }
    waiting = waiting.filter(([each]) => each !== oid);
    const text = await textOf(oid);
    let left = open;
    for (const parent of (await objects.commit(oid)).parents) {
      const older = await textOf(parent);
      if (older === undefined || left.size === 0) continue;
      const kept = pass(text, left, older);
      const taken = new Set(kept.values());
      left = new Map([...left].filter(([, at]) => !taken.has(at)));
      if (kept.size > 0) waiting.push([parent, kept]);
    }
    for (const at of left.values()) blamed[at] = oid;
  }
  const [from, to] = rangeOfLines(options.value("L"), lines.length);
  const rows = [];
  for (let at = from; at < to; at++) {
    const commit = blamed[at] && await objects.commit(blamed[at]);
    const author = commit?.author ??
      {
        name: "Not Committed Yet",
        email: "not.committed.yet",
        time: Math.floor(Date.now() / 1000),
        zone: "+0000",
      };
    const digits = options.has("l") ? 40 : 8;
    const boundary = commit && commit.parents.length === 0;
    const id = boundary
      ? `^${blamed[at].slice(0, digits - 1)}`
      : (blamed[at] ?? "0".repeat(40)).slice(0, digits);
    rows.push({
      id,
      who: options.has("show-email") ? `<${author.email}>` : author.name,
      date: formatDate(author, options.value("date") ?? "iso"),
      at,
    });
  }
  const width = Math.max(...rows.map(({ who }) => [...who].length));
  const numbers = `${to}`.length;
  for (const { id, who, date, at } of rows) {
    const about = options.has("s") ? "" : `(${who}${" ".repeat(width - [...who].length)} ${date} `;
    const number = `${at + 1}`.padStart(numbers);
    out(`${id} ${about}${number}) ${lines[at].replace(/\n?$/, "\n")}`);
  }
}

function rangeOfLines(text, count) {
  if (text === undefined) return [0, count];
  const [, from, plus, to] = /^(\d+)?(?:,(\+)?(\d+)?)?$/.exec(text) ?? [];
  if (from === undefined && to === undefined) {
    throw fatal(`-L ${text}: a range of line numbers is understood here`);
  }
  const start = Number(from ?? 1) - 1;
  const end = to === undefined ? count : plus ? start + Number(to) : Number(to);
  if (start >= count) throw fatal(`file has only ${count} lines`);
  return [start, Math.min(end, count)];
}
