/** `log`, `whatchanged`, `show`, `reflog`. */
import { changesBetween } from "../compare.js";
import { DIFF_OPTIONS, selected, wantedOf } from "../diff_options.js";
import { printCombined } from "../combined.js";
import { drawn } from "../graph.js";
import { EMPTY_TREE, parsePerson } from "../objects.js";
import { shownNotes } from "../notes.js";
import { parseOptions } from "../options.js";
import { printChanges } from "../patch.js";
import { Pretty, shapeOf } from "../pretty.js";
import { peel, resolve, unknownRevision } from "../revisions.js";
import { openRepository } from "../repository.js";
import { filterOf, isThere, moreStarts, PARENTS, rangeOrNothing, revisionsOf } from "../selection.js";
import { absolute, fatal, out } from "../system.js";
import { walk } from "../walk.js";
import { Pathspec } from "../worktree.js";
import { formatDate } from "../dates.js";

const COMMON =
  `pretty[=] format= oneline abbrev-commit no-abbrev-commit abbrev= date= decorate[=] no-decorate notes[=] no-notes
  no-show-signature ${DIFF_OPTIONS}`;
const LOG =
  `<n> n|max-count= skip= reverse all branches tags remotes author= committer= i|regexp-ignore-case E|extended-regexp
  F|fixed-strings grep= invert-grep since|after= until|before= merges no-merges first-parent graph topo-order date-order cc c
  ${PARENTS} follow g|walk-reflogs no-walk relative-date ${COMMON}`;

/** Names of references by what they point to, as `--decorate` shows them. */
async function decorationsOf({ refs, objects }, full = false) {
  const found = new Map();
  const add = (oid, text) => found.set(oid, [...found.get(oid) ?? [], text]);
  const head = await refs.head();
  const short = (name) => full ? name : name.replace(/^refs\/(heads|remotes|tags)\//, "");
  if (head.oid) add(head.oid, head.ref ? `HEAD -> ${short(head.ref)}` : "HEAD");
  for (const [name, oid] of (await refs.list("refs/")).reverse()) {
    if (name === head.ref) continue;
    add(await peel(objects, oid) ?? oid, name.startsWith("refs/tags/") ? `tag: ${short(name)}` : short(name));
  }
  return found;
}

export async function prettyOf(repository, options, format) {
  const kind = options.has("oneline") && options.last("oneline", "pretty", "format") === "oneline"
    ? "oneline"
    : options.last("pretty", "format") === "format"
    ? formatOf(options.value("format"))
    : options.value("pretty") ?? format;
  const shape = shapeOf(kind);
  const length = options.value("abbrev");
  const abbrev = !options.has("no-abbrev-commit") && (options.has("oneline", "abbrev-commit"))
    ? (length ? Number(length) : true)
    : false;
  const style = options.last("decorate", "no-decorate") === "decorate"
    ? options.value("decorate") ?? "short"
    : undefined;
  const wants = (style && style !== "no" && style !== "auto") || /%[-+ ]?[dD]/.test(shape.pattern ?? "");
  const date = options.value("date") ??
    (options.has("relative-date") ? "relative" : await repository.config.get("log.date"));
  const plain = !options.has("oneline", "pretty", "format");
  const notes = await shownNotes(repository, options, plain || shape.pattern?.includes("%N"));
  const pretty = new Pretty(repository, shape, {
    abbrev,
    notes,
    ...date && { date },
    ...wants && { decorations: await decorationsOf(repository, style === "full") },
  });
  return { shape, pretty };
}
const formatOf = (value) =>
  /^(format:|tformat:)/.test(value) || !value.includes("%") ? value : `tformat:${value}`;

/** Prints a commit in its shape, and what its changes begin with. */
async function printCommit({ pretty, shape, wanted }, commit) {
  out(await pretty.text(commit, commit.entry));
  if (shape.separate === "end" && shape.pattern !== "") out(wanted.end);
}

async function printItsChanges(repository, changes, { shape, wanted }) {
  if (changes.length === 0) return;
  const both = wanted.forms.includes("patch") && wanted.forms.length > 1;
  if (shape.name !== "oneline" && shape.pattern !== "") out(both ? "---\n" : "\n");
  await printChanges(repository, changes, wanted);
}

export const log = (args) => logOf("log", args);
/** As `log`, of commits that change something, and with what they change. */
export const whatchanged = (args) => logOf("whatchanged", args);

async function logOf(verb, args) {
  const options = parseOptions(verb, args, LOG);
  const changing = verb === "whatchanged";
  const repository = await openRepository({ bare: true });
  if (options.has("c", "cc") && options.has("graph")) {
    throw fatal("changes of merges are not shown in a graph here");
  }
  const { starts, hidden, paths } = await revisionsOf(repository, options);
  await moreStarts(repository, options, starts);
  if (starts.length === 0 && !options.has("all", "branches", "tags", "remotes")) {
    const head = await repository.refs.head();
    if (!head.oid) throw fatal(`your current branch '${head.branch}' does not have any commits yet`);
    starts.push(head.oid);
  }
  const { shape, pretty } = await prettyOf(
    repository,
    options,
    await repository.config.get("format.pretty") ?? "medium",
  );
  const wanted = await wantedOf(repository, options, changing ? ["raw"] : []);
  const pathspec = new Pathspec(repository, paths);
  const fits = filterOf(options);
  const graph = options.has("graph");
  if (graph && (wanted.forms.length > 0 || paths.length > 0 || isFiltered(options))) {
    throw fatal("a graph shows whole commits here, and all of them: leave --graph out, or what selects");
  }
  if (graph && options.has("reverse")) {
    throw fatal("options '--reverse' and '--graph' cannot be used together");
  }
  const most = options.number("<n>", options.number("max-count", Infinity));
  const limit = most < 0 ? Infinity : most;
  let skip = options.number("skip", 0);
  if (options.has("follow") && paths.length !== 1) throw fatal("--follow requires exactly one pathspec");
  const commits = options.has("follow")
    ? followed(repository, { starts, hidden, wanted }, repository.within(absolute(paths[0]), paths[0]))
    : options.has("walk-reflogs")
    ? logged(repository, options)
    : options.has("no-walk")
    ? listed(repository, starts)
    : walk(repository.objects, starts, {
      hidden,
      // Whatever else becomes of its paths: a line of history is not left out for another one here.
      pathspec: changing ? undefined : pathspec,
      firstParent: options.has("first-parent"),
      topological: options.has("graph", "topo-order"),
    });
  const shown = [];
  for await (const commit of commits) {
    if (
      !fits(commit) ||
      ((changing || wanted.needle !== undefined) &&
        isEmpty(await changesOf(repository, commit, wanted, pathspec, changing ? options : undefined)))
    ) {
      continue;
    }
    if (skip-- > 0) continue;
    if (shown.length >= limit && !graph) break;
    shown.push(commit);
    if (!options.has("reverse") && !graph) await print(shown.length === 1, commit);
  }
  if (options.has("reverse")) {
    for (const [at, commit] of shown.reverse().entries()) await print(at === 0, commit);
  }
  if (graph) {
    const known = new Set(shown.map(({ oid }) => oid));
    const entries = [];
    for (const commit of shown.slice(0, limit)) {
      entries.push([commit.oid, commit.parents.filter((oid) => known.has(oid)), await pretty.text(commit)]);
    }
    out(drawn(entries, shape.separate));
  }

  async function print(first, commit) {
    const changes = wanted.forms.length > 0
      ? await changesOf(repository, commit, wanted, pathspec, options)
      : [];
    if (!first && shape.separate !== "end") out(wanted.end);
    await printCommit({ pretty, shape, wanted }, commit);
    if (changes.combined) return void await printCombined(repository, changes.combined, wanted, shape);
    await printItsChanges(repository, changes, { shape, wanted });
  }
}

const isEmpty = (changes) => changes.length === 0 && !changes.combined;

const isFiltered = (options) =>
  options.has(
    "author",
    "committer",
    "grep",
    "after",
    "before",
    "merges",
    "no-merges",
    "min-parents",
    "max-parents",
    "skip",
    "S",
    "walk-reflogs",
    "no-walk",
    "first-parent",
  );

async function* listed({ objects }, starts) {
  for (const oid of starts) yield await objects.commit(oid);
}

/** Those that change a file, under whatever name it had. */
async function* followed(repository, { starts, hidden, wanted }, path) {
  const { objects } = repository;
  let name = path;
  for await (const commit of walk(objects, starts, { hidden })) {
    if (commit.parents.length > 1) continue;
    const before = commit.parents[0] ? (await objects.commit(commit.parents[0])).tree : EMPTY_TREE;
    const [old, now] = [await objects.files(before), await objects.files(commit.tree)];
    const [a, b] = [old.get(name), now.get(name)];
    if (a?.oid === b?.oid && a?.mode === b?.mode) continue;
    const all = await selected(repository, changesBetween(old, now), { ...wanted, renames: !a });
    const changes = all.filter((change) => change.path === name);
    yield { ...commit, changes };
    if (changes[0]?.status === "R") name = changes[0].from;
  }
}

async function* logged({ refs, objects }, options) {
  const name = options.operands[0] ?? "HEAD";
  const found = await refs.find(name);
  const log = refs.log(found?.ref ?? "HEAD");
  for (const [at, { after, why, who }] of log.entries()) {
    const { name: person, email } = parsePerson(who);
    yield {
      ...await objects.commit(after),
      entry: { name: `${name}@{${at}}`, why, by: `${person} <${email}>` },
    };
  }
}

/** What a commit changes; of a merge nothing, unless it is asked for. */
async function changesOf(repository, commit, wanted, pathspec, options) {
  if (commit.changes) return commit.changes;
  const { objects } = repository;
  const merge = commit.parents.length > 1;
  if (merge && !options?.has("first-parent")) {
    if (!options?.has("c", "cc")) return [];
    return Object.assign([], { combined: commit });
  }
  const before = commit.parents[0] ? (await objects.commit(commit.parents[0])).tree : EMPTY_TREE;
  const changes = changesBetween(await objects.files(before), await objects.files(commit.tree));
  return await selected(repository, changes.filter(({ path }) => pathspec.matches(path)), wanted);
}

export async function show(args) {
  const options = parseOptions("show", args, `${COMMON} first-parent c cc q|quiet`);
  const repository = await openRepository({ bare: true });
  const { objects } = repository;
  const names = [];
  const paths = [...options.paths ?? []];
  for (const [at, name] of options.operands.entries()) {
    const known = await resolve(repository, name) !== undefined || await rangeOrNothing(repository, name);
    if (known) names.push(name);
    else if (options.paths === undefined && isThere(name)) {
      paths.push(...options.operands.slice(at));
      break;
    } else throw unknownRevision(name);
  }
  const pathspec = new Pathspec(repository, paths);
  const { shape, pretty } = await prettyOf(repository, options, "medium");
  const wanted = await wantedOf(repository, options, options.has("quiet") ? [] : ["patch"]);
  if (names.length === 0) {
    const head = await repository.refs.head();
    if (!head.oid) throw fatal(`your current branch '${head.branch}' does not have any commits yet`);
    names.push("HEAD");
  }
  let first = true;
  const between = () => {
    if (!first) out("\n");
    first = false;
  };
  for (const name of names) {
    const range = await rangeOrNothing(repository, name);
    if (range) {
      for await (const commit of walk(objects, [range.to], { hidden: [range.from] })) {
        await showCommit(commit);
      }
      continue;
    }
    let oid = await resolve(repository, name);
    for (;;) {
      const { type, bytes } = await objects.read(oid);
      if (type === "tag") {
        const tag = await objects.tag(oid);
        between();
        const who = tag.tagger &&
          `Tagger: ${tag.tagger.name} <${tag.tagger.email}>\nDate:   ${formatDate(tag.tagger)}\n`;
        out(`tag ${tag.tag}\n${who ?? ""}\n${tag.message}`);
        oid = tag.object;
        continue;
      }
      if (type === "commit") await showCommit(await objects.commit(oid));
      else if (type === "blob") out(bytes);
      else {
        between();
        out(`tree ${name}\n\n`);
        for (const entry of await objects.tree(oid)) {
          out(`${entry.name}${entry.mode === "040000" ? "/" : ""}\n`);
        }
      }
      break;
    }
  }

  async function showCommit(commit) {
    if (shape.separate !== "end") between();
    first = false;
    await printCommit({ pretty, shape, wanted }, commit);
    const merge = commit.parents.length > 1 && !options.has("first-parent");
    if (wanted.forms.length === 0) return;
    if (merge) return void await printCombined(repository, commit, wanted, shape);
    const before = commit.parents[0] ? (await objects.commit(commit.parents[0])).tree : EMPTY_TREE;
    const all = changesBetween(await objects.files(before), await objects.files(commit.tree));
    const changes = await selected(repository, all.filter(({ path }) => pathspec.matches(path)), wanted);
    await printItsChanges(repository, changes, { shape, wanted });
  }
}

export async function reflog(args) {
  const [verb, ...rest] = args;
  if (["expire", "delete", "exists"].includes(verb)) throw fatal(`git reflog ${verb} is not supported here`);
  const names = verb === "show" ? rest : args;
  await log(["-g", "--abbrev-commit", "--pretty=oneline", ...names]);
}
