/** `diff`, `rev-parse`, and what looks at single objects and lines. */
import { changesBetween, linesOf, runsOf } from "../compare.js";
import { printUnmerged } from "../combined.js";
import { formatDate } from "../dates.js";
import { DIFF_OPTIONS, filtered, selected, wantedOf } from "../diff_options.js";
import { idOf } from "../objects.js";
import { parseOptions } from "../options.js";
import { printChanges, quotePath } from "../patch.js";
import {
  commitOf,
  entryOf,
  isRevision,
  mergeBases,
  peel,
  rangeOf,
  resolve,
  unknownRevision,
} from "../revisions.js";
import { findRepository, openRepository } from "../repository.js";
import {
  absolute,
  decode,
  Failure,
  fatal,
  lstat,
  out,
  readBytes,
  readInput,
  relative,
  started,
} from "../system.js";
import { fileAt, Pathspec, readIndex, readTracked } from "../worktree.js";
import { walk } from "../walk.js";
import { headFiles } from "./staging.js";

export async function diff(args) {
  const options = parseOptions(
    "diff",
    args,
    `cached staged q|quiet exit-code merge-base no-index ours theirs base ${DIFF_OPTIONS}`,
  );
  const odd = options.last("ours", "theirs", "base");
  if (odd) throw fatal(`git diff --${odd} is not supported here`);
  if (options.has("no-index") || (!(findRepository()) && options.operands.length === 2)) {
    return await diffFiles(options);
  }
  const repository = await openRepository({ bare: true });
  const { objects } = repository;
  const names = [];
  const paths = [...options.paths ?? []];
  for (const [at, name] of options.operands.entries()) {
    const isRange = name.includes("..") && !lstat(absolute(name)) && await rangeOf(repository, name);
    if (isRange) names.push(isRange);
    else if (await isRevision(repository, name)) names.push({ at: name });
    else if (options.paths === undefined && (lstat(absolute(name)) || /[*?[]|^:/.test(name))) {
      paths.push(...options.operands.slice(at));
      break;
    } else throw unknownRevision(name);
  }
  const pathspec = new Pathspec(repository, paths);
  const wanted = await wantedOf(repository, options, options.has("quiet") ? [] : ["patch"]);
  const filesOf = async (name) => {
    const oid = await resolve(repository, name);
    const tree = oid && await peel(objects, oid, "tree");
    if (!tree) throw fatal(`${name} is no commit and no tree`);
    return await objects.files(tree);
  };
  let before, after;
  let unmerged = new Map();
  const cached = options.has("cached", "staged");
  if (names.length === 2 && names.every(({ at }) => at)) {
    const kinds = [];
    for (const { at } of names) kinds.push(await typeOf(repository, at));
    if (kinds.every((kind) => kind === "blob")) {
      return await diffBlobs(
        repository,
        names.map(({ at }) => at),
        wanted,
        options,
      );
    }
    [before, after] = [await filesOf(names[0].at), await filesOf(names[1].at)];
  } else if (names.length === 1 && names[0].kind) {
    const { from, to, kind, bases } = names[0];
    if (kind === "..." && bases.length === 0) throw fatal(`${options.operands[0]}: no merge base`);
    [before, after] = [await filesOf(kind === "..." ? bases[0] : from), await filesOf(to)];
  } else if (names.length <= 1 && !names[0]?.kind) {
    const index = await readIndex(repository);
    repository.needTree();
    let start = names[0]?.at;
    if (start !== undefined && options.has("merge-base")) {
      start =
        (await mergeBases(objects, await commitOf(repository, start), await commitOf(repository, "HEAD")))[0];
    }
    if (cached) {
      before = start === undefined ? await headFiles(repository) : await filesOf(start);
      after = index.files;
      unmerged = index.unmerged;
    } else {
      const tracked = await readTracked(repository);
      unmerged = index.unmerged;
      if (start === undefined) {
        before = new Map([...index.files].filter(([, { intent }]) => !intent));
        after = tracked;
      } else {
        before = await filesOf(start);
        after = tracked;
        unmerged = new Map();
      }
    }
  } else throw fatal("of git diff there are forms with up to two revisions here");
  const without = (files) =>
    new Map([...files].filter(([path]) => !unmerged.has(path) && pathspec.matches(path)));
  let changes = await selected(repository, changesBetween(without(before), without(after)), wanted);
  const conflicts = [...unmerged].filter(([path]) => pathspec.matches(path));
  if (conflicts.length > 0) {
    if (wanted.forms.includes("patch") && !cached) {
      const left = await printUnmerged(repository, conflicts);
      const rows = left.map((path) => ({ status: "U", path, from: path }));
      changes = [...changes, ...rows].sort((a, b) => a.path < b.path ? -1 : 1);
    } else {
      const rows = conflicts.map(([path]) => ({ status: "U", path, from: path }));
      const ours = new Map(
        conflicts.filter(([, stages]) => stages[2]).map(([path, stages]) => [path, stages[2]]),
      );
      const now = cached
        ? ours
        : new Map([...ours.keys()].filter((path) => after.has(path)).map((path) => [path, after.get(path)]));
      const more = filtered([...rows, ...changesBetween(ours, now)], wanted.filter);
      changes = [...changes, ...more].sort((a, b) => a.path < b.path ? -1 : a.path > b.path ? 1 : 0);
    }
  }
  await printChanges(repository, changes, { ...wanted, shown: (path) => path });
  return options.has("exit-code", "quiet") && changes.length + conflicts.length > 0 ? 1 : 0;
}

async function typeOf(repository, name) {
  const oid = await resolve(repository, name);
  return (await repository.objects.find(oid))?.type;
}

async function diffBlobs(repository, names, wanted, options) {
  const ids = [];
  for (const name of names) ids.push(await resolve(repository, name));
  const path = names[1].replace(/^[^:]*:/, "");
  const [old, now] = ids.map((oid) => ({ mode: "100644", oid }));
  const changes = old.oid === now.oid
    ? []
    : [{ status: "M", path, from: names[0].replace(/^[^:]*:/, ""), old, now }];
  await printChanges(repository, changes, wanted);
  return options.has("exit-code", "quiet") && changes.length > 0 ? 1 : 0;
}

/** Two files that need not be in any repository. */
async function diffFiles(options) {
  const [left, right] = options.everything;
  if (options.everything.length !== 2) {
    throw new Failure("usage: git diff --no-index [<options>] <path> <path>\n", 129);
  }
  const sides = [left, right].map((name) => {
    const file = absolute(name);
    if (name === "/dev/null") return undefined;
    const there = lstat(file);
    if (!there) throw new Failure(`error: Could not access '${name}'\n`, 1);
    if (there.type !== "file") throw fatal(`${name}: git diff --no-index compares files here`);
    return { mode: there.mode & 0o100 ? "100755" : "100644", file, oid: idOf("blob", readBytes(file)) };
  });
  const objects = { short: (oid) => Promise.resolve(oid.slice(0, 7)) };
  const repository = { objects, config: { get: () => Promise.resolve(undefined) } };
  const wanted = await wantedOf(repository, options, options.has("quiet") ? [] : ["patch"]);
  const [old, now] = sides;
  const status = !old ? "A" : !now ? "D" : "M";
  const named = (name, other) => (name === "/dev/null" ? other : name).replace(/^\//, "");
  const same = old && now && old.oid === now.oid && old.mode === now.mode;
  const changes = same ? [] : [{ status, path: named(right, left), from: named(left, right), old, now }];
  await printChanges(repository, changes, wanted);
  return changes.length > 0 ? 1 : 0;
}

export async function revParse(args) {
  const plain = [
    "--show-toplevel",
    "--git-dir",
    "--absolute-git-dir",
    "--is-inside-work-tree",
    "--is-inside-git-dir",
    "--is-bare-repository",
    "--show-prefix",
    "--show-cdup",
    "--git-common-dir",
  ];
  const repository = await openRepository({ bare: true });
  let abbrev, symbolic, quiet = false, verify = false;
  const found = [];
  for (const [at, arg] of args.entries()) {
    if (plain.includes(arg)) {
      out(`${placeOf(repository, arg)}\n`);
      continue;
    }
    if (arg === "--verify") verify = true;
    else if (arg === "-q" || arg === "--quiet") quiet = true;
    else if (arg === "--short") abbrev = 7;
    else if (/^--short=\d+$/.test(arg)) abbrev = Number(arg.slice(8));
    else if (arg === "--abbrev-ref" || arg === "--abbrev-ref=strict" || arg === "--abbrev-ref=loose") {
      symbolic = "short";
    } else if (arg === "--symbolic-full-name") symbolic = "full";
    else if (arg === "--git-path") {
      out(`${shownDirectory(repository)}/${args[at + 1]}\n`);
      return;
    } else if (arg === "--") out("--\n");
    else if (["--all", "--branches", "--tags", "--remotes"].includes(arg)) {
      const prefix = {
        "--all": "refs/",
        "--branches": "refs/heads/",
        "--tags": "refs/tags/",
        "--remotes": "refs/remotes/",
      }[arg];
      for (const [, oid] of await repository.refs.list(prefix)) out(`${oid}\n`);
    } else if (arg.startsWith("--")) throw fatal(`git rev-parse ${arg} is not supported here`);
    else found.push(arg);
  }
  for (const name of found) {
    const code = await parseOne(repository, name, { abbrev, symbolic, quiet, verify });
    if (code) return code;
  }
  if (verify && found.length !== 1) {
    if (quiet) return 1;
    throw fatal("Needed a single revision");
  }
}

async function parseOne(repository, name, { abbrev, symbolic, quiet, verify }) {
  const { refs, objects } = repository;
  if (symbolic) {
    const head = name === "HEAD" || name === "@" ? await refs.head() : undefined;
    const upstream = /^(.*)@\{(u|upstream)\}$/.exec(name);
    if (upstream) {
      throw fatal(`no upstream configured for branch '${upstream[1] || (await refs.head()).branch}'`);
    }
    const found = head?.oid ? { ref: head.ref ?? "HEAD" } : await refs.find(name);
    if (!found && await isRevision(repository, name)) return void out("");
    if (!found) {
      out(`${name}\n`);
      throw unknownRevision(name);
    }
    return void out(
      `${symbolic === "full" ? found.ref : found.ref.replace(/^refs\/(heads|tags|remotes)\//, "")}\n`,
    );
  }
  const range = name.includes("..") && await rangeOf(repository, name);
  if (range) {
    const excluded = range.kind === ".." ? [range.from] : range.bases;
    return void out(
      [range.to, ...range.kind === "..." ? [range.from] : []].map((oid) => `${oid}\n`).join("") +
        excluded.map((oid) => `^${oid}\n`).join(""),
    );
  }
  const negated = name.startsWith("^");
  const oid = await resolve(repository, negated ? name.slice(1) : name);
  if (!oid) {
    if (verify) {
      if (quiet) return 1;
      throw fatal("Needed a single revision");
    }
    if (quiet) return 1;
    out(`${name}\n`);
    throw unknownRevision(name);
  }
  out(`${negated ? "^" : ""}${abbrev ? await objects.short(oid, Math.max(4, abbrev)) : oid}\n`);
}

function shownDirectory({ gitdir, top }) {
  const cwd = started.cwd;
  if (top === cwd) return ".git";
  return gitdir === cwd ? "." : gitdir;
}
function placeOf(repository, arg) {
  const { gitdir, top, prefix } = repository;
  const inGit = started.cwd === gitdir || started.cwd.startsWith(`${gitdir}/`);
  switch (arg) {
    case "--show-toplevel":
      if (top === undefined || inGit) throw fatal("this operation must be run in a work tree");
      return top;
    case "--git-dir":
    case "--git-common-dir":
      return shownDirectory(repository);
    case "--absolute-git-dir":
      return gitdir;
    case "--is-inside-work-tree":
      return `${top !== undefined && !inGit}`;
    case "--is-inside-git-dir":
      return `${inGit}`;
    case "--is-bare-repository":
      return `${top === undefined}`;
    case "--show-prefix":
      return prefix === "" ? "" : `${prefix}/`;
    default:
      return prefix === "" ? "" : `${relative(`/${prefix}`, "/")}/`;
  }
}

export async function catFile(args) {
  const options = parseOptions("cat-file", args, "t s p e");
  const repository = await openRepository({ bare: true });
  const { objects } = repository;
  const kind = options.last("t", "s", "p", "e");
  const [first, second] = options.operands;
  const name = kind ? first : second;
  if (name === undefined) {
    throw new Failure("usage: git cat-file (-t | -s | -e | -p | <type>) <object>\n", 129);
  }
  const oid = await resolve(repository, name);
  if (kind === "e") return oid && await objects.has(oid) ? 0 : 1;
  if (!oid) throw fatal(`Not a valid object name ${name}`);
  const { type, bytes } = await objects.read(oid);
  if (kind === "t") return out(`${type}\n`);
  if (kind === "s") return out(`${bytes.length}\n`);
  if (!kind) {
    const wanted = await peel(objects, oid, first);
    if (!wanted) throw fatal(`git cat-file ${name}: bad file`);
    return out((await objects.read(wanted)).bytes);
  }
  if (type !== "tree") return out(bytes);
  for (const entry of await objects.tree(oid)) {
    out(`${entry.mode} ${typeOfMode(entry.mode)} ${entry.oid}\t${quotePath(entry.name)}\n`);
  }
}

const typeOfMode = (mode) => mode === "040000" ? "tree" : mode === "160000" ? "commit" : "blob";

export async function hashObject(args) {
  const options = parseOptions("hash-object", args, "w stdin t= no-filters");
  const type = options.value("t") ?? "blob";
  if (type !== "blob") throw fatal("git hash-object makes blobs here");
  const contents = options.has("stdin") ? [readInput()] : [];
  for (const name of options.everything) {
    const bytes = readBytes(absolute(name));
    if (!bytes) throw fatal(`could not open '${name}' for reading: No such file or directory`);
    contents.push(bytes);
  }
  const repository = options.has("w") ? await openRepository({ bare: true }) : undefined;
  for (const bytes of contents) {
    out(`${repository ? repository.objects.write("blob", bytes) : idOf("blob", bytes)}\n`);
  }
}

export async function lsTree(args) {
  const options = parseOptions(
    "ls-tree",
    args,
    "r t d l|long name-only name-status z full-tree full-name abbrev[=]",
  );
  const repository = await openRepository({ bare: true });
  const { objects } = repository;
  const [name, ...paths] = options.operands;
  if (name === undefined) throw new Failure("usage: git ls-tree [<options>] <tree-ish> [<path>...]\n", 129);
  const oid = await resolve(repository, name);
  const tree = oid && await peel(objects, oid, "tree");
  if (!tree) throw fatal(`Not a valid object name ${name}`);
  const end = options.has("z") ? "\0" : "\n";
  const top = options.has("full-tree") ? "" : repository.prefix;
  const wanted = [...paths, ...options.paths ?? []].map((path) => top === "" ? path : `${top}/${path}`);
  const print = async ({ mode, oid, path }) => {
    const shown = end === "\0" ? path : quotePath(path);
    if (options.has("name-only", "name-status")) return out(`${shown}${end}`);
    const type = typeOfMode(mode);
    const size = options.has("long")
      ? ` ${(type === "blob" ? `${(await objects.read(oid)).bytes.length}` : "-").padStart(7)}`
      : "";
    const id = options.has("abbrev") ? await objects.short(oid, Number(options.value("abbrev") ?? 7)) : oid;
    out(`${mode} ${type} ${id}${size}\t${shown}${end}`);
  };
  const visit = async (id, prefix) => {
    for (const entry of await objects.tree(id)) {
      const path = `${prefix}${entry.name}`;
      const isTree = entry.mode === "040000";
      const inside = wanted.some((each) => each.startsWith(`${path}/`));
      const hit = wanted.length === 0 ||
        wanted.some((each) =>
          path === each.replace(/\/$/, "") || path.startsWith(each.endsWith("/") ? each : `${each}/`)
        );
      if (!hit && !inside) continue;
      const opens = isTree && (options.has("r") || inside);
      if (hit && (!opens || options.has("t")) && (!options.has("d") || isTree) && !(isTree && inside)) {
        await print({ ...entry, path });
      }
      if (opens) await visit(entry.oid, `${path}/`);
    }
  };
  if (top !== "" && wanted.length === 0) {
    const below = await entryOf(objects, tree, top);
    return below ? await visit(below.oid, "") : undefined;
  }
  await visit(tree, "");
}

export async function describe(args) {
  const options = parseOptions(
    "describe",
    args,
    "tags always abbrev= long dirty[=] all exact-match match= contains",
  );
  const odd = options.last("all", "match", "contains");
  if (odd) throw fatal(`git describe --${odd} is not supported here`);
  const repository = await openRepository({ bare: true });
  const { objects, refs } = repository;
  const oid = await commitOf(repository, options.operands[0] ?? "HEAD");
  const tags = new Map();
  for (const [ref, id] of await refs.list("refs/tags/")) {
    const commit = await peel(objects, id, "commit");
    const annotated = commit !== id;
    if (!commit || (!annotated && !options.has("tags"))) continue;
    const time = annotated ? (await objects.tag(id)).tagger?.time ?? 0 : 0;
    const known = tags.get(commit);
    if (!known || (annotated && !known.annotated) || (annotated === known.annotated && time > known.time)) {
      tags.set(commit, { name: ref.slice(10), annotated, time });
    }
  }
  const dirty = options.has("dirty") && await isDirty(repository) ? options.value("dirty") ?? "-dirty" : "";
  let best;
  const reachable = [];
  for await (const commit of walk(objects, [oid])) reachable.push(commit.oid);
  for (const each of reachable) {
    const tag = tags.get(each);
    if (!tag) continue;
    let count = 0;
    for await (const _ of walk(objects, [oid], { hidden: [each] })) count++;
    if (!best || count < best.count) best = { ...tag, count };
    if (count === 0) break;
  }
  const digits = options.number("abbrev", 7);
  const short = await objects.short(oid, Math.max(4, digits));
  if (!best || (options.has("exact-match") && best.count > 0)) {
    if (options.has("always")) return out(`${short}${dirty}\n`);
    if (options.has("exact-match")) throw fatal(`no tag exactly matches '${oid}'`);
    throw tags.size > 0
      ? fatal(`No tags can describe '${oid}'.\nTry --always, or create some tags.`)
      : fatal("No names found, cannot describe anything.");
  }
  const suffix = (best.count > 0 || options.has("long")) && digits > 0 ? `-${best.count}-g${short}` : "";
  out(`${best.name}${suffix}${dirty}\n`);
}

async function isDirty(repository) {
  const { files } = await readIndex(repository);
  const tracked = await readTracked(repository);
  return changesBetween(await headFiles(repository), files).length > 0 ||
    changesBetween(files, tracked).length > 0;
}

export async function blame(args) {
  const options = parseOptions("blame", args, "L= s e|show-email l t w date= porcelain line-porcelain p");
  const odd = options.last("porcelain", "line-porcelain", "p", "t", "w");
  if (odd) throw fatal(`git blame ${odd.length > 1 ? "--" : "-"}${odd} is not supported here`);
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
  /** For lines of a version which lines of the file they are. */
  let waiting = [];
  const pass = (text, open, older) => {
    const [now, before] = [linesOf(text), older === undefined ? [] : linesOf(older)];
    const kept = new Map();
    let [x, y] = [0, 0];
    for (const run of [...runsOf(before, now), { x: before.length, y: now.length, old: 0, now: 0 }]) {
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
