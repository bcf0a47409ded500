/** `diff-index`, `diff-files`, `diff-tree`: what scripts ask for changes. None of them looks for renames by itself. */
import { printCombined } from "../combined.js";
import { DIFF_OPTIONS, selected, wantedOf } from "../diff_options.js";
import { Options, parseOptions } from "../options.js";
import { printChanges, quotePath } from "../patch.js";
import { isRevision, peel, rangeOf, resolve, unknownRevision } from "../revisions.js";
import { openRepository } from "../repository.js";
import { absolute, Failure, fatal, lstat, out } from "../system.js";
import { treeChanges } from "../tree_changes.js";
import { Pathspec, readIndex, readTracked } from "../worktree.js";
import { printStates } from "./diff.js";
import { prettyOf } from "./log.js";

const PLUMBING = `quiet exit-code abbrev[=] ${DIFF_OPTIONS}`;
const WHOLE_ID = 40;

/** As {@link wantedOf}, in the manner of plumbing: raw, with whole ids, and whatever is configured. */
async function plainly(repository, options) {
  const wanted = await wantedOf(repository, options, ["raw"]);
  const digits = options.has("abbrev") ? Number(options.value("abbrev") ?? 7) : WHOLE_ID;
  if (!(digits >= 4 && digits <= WHOLE_ID)) throw fatal("--abbrev takes a number from 4 to 40 here");
  if (options.value("abbrev") !== undefined && wanted.forms.includes("patch")) {
    throw fatal("--abbrev=<n> beside a patch is not supported here");
  }
  return {
    ...wanted,
    forms: options.has("quiet") ? [] : wanted.forms,
    context: options.number("unified", 3),
    renames: options.has("find-renames"),
    digits,
  };
}

const codeOf = (options, count) => options.has("quiet", "exit-code") && count > 0 ? 1 : 0;

/** Revisions first, then paths, as in {@link Options}. @param most How many revisions there may be. */
async function operandsOf(repository, options, most) {
  const { operands, paths } = options;
  const names = [];
  for (const name of operands) {
    if (names.length === most || !await isRevision(repository, name)) break;
    names.push(name);
  }
  const rest = operands.slice(names.length);
  const isThere = (name) => lstat(absolute(name)) || /[*?[]|^:/.test(name);
  if (rest.length > 0 && (paths !== undefined || !isThere(rest[0]))) throw unknownRevision(rest[0]);
  return { names, pathspec: new Pathspec(repository, [...rest, ...paths ?? []]) };
}

async function treeOf({ objects }, oid, name) {
  const tree = oid && await peel(objects, oid, "tree");
  if (!tree) throw fatal(`bad object ${name}`);
  return tree;
}

export async function diffIndex(args) {
  const options = parseOptions("diff-index", args, `cached m !merge-base ${PLUMBING}`);
  const cached = options.has("cached");
  const repository = await openRepository({ bare: cached });
  const { names, pathspec } = await operandsOf(repository, options, 1);
  if (names.length !== 1) {
    throw new Failure(
      "usage: git diff-index [-m] [--cached] [--merge-base] [<common-diff-options>] <tree-ish> [<path>...]\n",
      129,
    );
  }
  const wanted = await plainly(repository, options);
  const tree = await treeOf(repository, await resolve(repository, names[0]), names[0]);
  const { files, unmerged } = await readIndex(repository);
  const before = await repository.objects.files(tree);
  const now = cached ? files : await readTracked(repository, { noting: false });
  const after = options.has("m") && !cached ? new Map([...files, ...now]) : now;
  const conflicts = cached ? unmerged : new Map();
  const states = { before, after, unmerged: conflicts, cached };
  return codeOf(options, await printStates(repository, states, pathspec, wanted));
}

export async function diffFiles(args) {
  const options = parseOptions(
    "diff-files",
    args,
    `q|silent !0 !1|base !2|ours !3|theirs !c !cc ${PLUMBING}`,
  );
  const repository = await openRepository();
  const { pathspec } = await operandsOf(repository, options, 0);
  const wanted = await plainly(repository, options);
  const { files, unmerged } = await readIndex(repository);
  const after = await readTracked(repository, { noting: false });
  const before = new Map([...files].filter(([, { intent }]) => !intent));
  return codeOf(options, await printStates(repository, { before, after, unmerged }, pathspec, wanted));
}

export async function diffTree(args) {
  const options = parseOptions(
    "diff-tree",
    args,
    `r t m c cc root no-commit-id v pretty[=] format= oneline !stdin !merge-base !always !combined-all-paths
    abbrev-commit date= ${PLUMBING}`,
  );
  const repository = await openRepository({ bare: true });
  const range = options.operands[0]?.includes("..")
    ? await rangeOf(repository, options.operands[0])
    : undefined;
  if (range?.kind === "...") throw fatal("git diff-tree takes no A...B here");
  if (range) options.operands.splice(0, 1, range.from, range.to);
  const { names, pathspec } = await operandsOf(repository, options, 2);
  if (names.length === 0) {
    throw new Failure("usage: git diff-tree [<options>] <tree-ish> [<tree-ish>] [<path>...]\n", 129);
  }
  const wanted = await plainly(repository, options);
  const flat = wanted.forms.every((form) => ["raw", "name-only", "name-status"].includes(form));
  const how = {
    recursive: !flat || options.has("r", "t", "c", "cc"),
    trees: options.has("t"),
    pathspec,
  };
  const between = async (a, b) =>
    await selected(repository, await treeChanges(repository.objects, a, b, how), wanted);
  const ids = [];
  for (const name of names) ids.push(await resolve(repository, name));
  if (ids.length === 2) {
    const [a, b] = [await treeOf(repository, ids[0], names[0]), await treeOf(repository, ids[1], names[1])];
    const changes = await between(a, b);
    await printChanges(repository, changes, wanted);
    return codeOf(options, changes.length);
  }
  const oid = await peel(repository.objects, ids[0], "commit");
  if (!oid) throw fatal(`${names[0]} is no commit: git diff-tree compares a tree with another one`);
  return codeOf(options, await printCommit(repository, oid, options, { wanted, pathspec, between }));
}

/** Ids in what is told of a commit are whole, too. */
function withWholeIds(options) {
  if (options.has("abbrev", "abbrev-commit")) return options;
  const whole = new Options();
  const long = (text) => text?.replace(/%(%|[htp])/g, (place) => place.toUpperCase());
  whole.given = options.given.map(([name, value]) =>
    ["pretty", "format"].includes(name) ? [name, long(value)] : [name, value]
  );
  whole.given.push(["no-abbrev-commit"]);
  return whole;
}

/** What a commit changes, below its id. @returns how much it is. */
async function printCommit(repository, oid, options, { wanted, pathspec, between }) {
  const { objects } = repository;
  const commit = await objects.commit(oid);
  const trees = [];
  for (const parent of commit.parents) trees.push((await objects.commit(parent)).tree);
  const told = options.has("v", "pretty", "format", "oneline");
  const { shape, pretty } = told ? await prettyOf(repository, withWholeIds(options), "medium") : {};
  const head = async () => {
    if (options.has("no-commit-id") || options.has("quiet")) return;
    if (!told) return out(`${oid}${wanted.end}`);
    out(await pretty.text(commit));
    if (shape.separate === "end" && shape.pattern !== "") out(wanted.end);
    if (shape.name !== "oneline" && shape.pattern !== "" && wanted.forms.length > 0) {
      out(wanted.forms.includes("patch") && wanted.forms.length > 1 ? "---\n" : "\n");
    }
  };
  if (trees.length === 0 && !options.has("root")) return 0;
  if (trees.length > 1 && options.has("c", "cc")) {
    return await printMerge(repository, commit, options, { wanted, pathspec, between, trees, head });
  }
  if (trees.length > 1 && !options.has("m")) return 0;
  let count = 0;
  for (const tree of trees.length === 0 ? [undefined] : trees) {
    const changes = await between(tree, commit.tree);
    if (changes.length === 0) continue;
    await head();
    await printChanges(repository, changes, wanted);
    count += changes.length;
  }
  return count;
}

/** A merge beside all of its parents: what differs from each of them. */
async function printMerge(repository, commit, options, { wanted, pathspec, between, trees, head }) {
  const forms =
    options.has("cc") && options.given.every(([name]) => name !== "raw" && !name.startsWith("name-"))
      ? ["patch"]
      : wanted.forms;
  if (
    forms.some((form) => !["raw", "name-only", "name-status", "patch"].includes(form)) || forms.length > 1
  ) {
    throw fatal("of a merge one of --raw, --name-only, --name-status, -p is shown here");
  }
  if (forms[0] === "patch" && (!options.has("cc") || !pathspec.isEmpty)) {
    throw fatal("a merge is shown as a patch with --cc here, and without paths");
  }
  const sides = [];
  for (const tree of trees) {
    sides.push(new Map((await between(tree, commit.tree)).map((each) => [each.path, each])));
  }
  const paths = [...sides[0].keys()].filter((path) => sides.every((side) => side.has(path)));
  if (paths.length === 0) return 0;
  await head();
  if (forms[0] === "patch") {
    await printCombined(repository, commit, { ...wanted, forms }, { name: "oneline" });
    return paths.length;
  }
  for (const path of paths) {
    const changes = sides.map((side) => side.get(path));
    const letters = changes.map(({ status }) => status).join("");
    const shown = wanted.end === "\0" ? path : quotePath(path);
    const tab = wanted.end === "\0" ? "\0" : "\t";
    if (forms[0] === "raw") {
      const all = [...changes.map(({ old }) => old), changes[0].now];
      const ids = [];
      for (const side of all) {
        ids.push(side ? await repository.objects.short(side.oid, wanted.digits) : "0".repeat(wanted.digits));
      }
      const modes = all.map((side) => side?.mode ?? "000000").join(" ");
      out(`${":".repeat(changes.length)}${modes} ${ids.join(" ")} ${letters}${tab}${shown}${wanted.end}`);
    } else if (forms[0] === "name-status") out(`${letters}${tab}${shown}${wanted.end}`);
    else if (forms[0] === "name-only") out(`${shown}${wanted.end}`);
  }
  return paths.length;
}
