/** `diff`: of commits, index and work tree, of two blobs, of two files that need not be in any repository. */
import { changesBetween } from "../compare.js";
import { printUnmerged } from "../combined.js";
import { DIFF_OPTIONS, filtered, selected, wantedOf } from "../diff_options.js";
import { idOf } from "../objects.js";
import { parseOptions } from "../options.js";
import { printChanges } from "../patch.js";
import { commitOf, isRevision, mergeBases, peel, rangeOf, resolve, unknownRevision } from "../revisions.js";
import { findRepository, openRepository } from "../repository.js";
import { absolute, Failure, fatal, lstat, readBytes } from "../system.js";
import { Pathspec, readIndex, readTracked } from "../worktree.js";
import { headFiles } from "./staging.js";

export async function diff(args) {
  const options = parseOptions(
    "diff",
    args,
    `cached staged q|quiet exit-code merge-base no-index !ours !theirs !base ${DIFF_OPTIONS}`,
  );
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
  const states = { before, after, unmerged, cached };
  const count = await printStates(repository, states, pathspec, { ...wanted, shown: (path) => path });
  return options.has("exit-code", "quiet") && count > 0 ? 1 : 0;
}

/** Prints what differs between files before and after, conflicts among it. @returns how much it is. */
export async function printStates(repository, { before, after, unmerged, cached }, pathspec, wanted) {
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
      const rows = conflicts.map(([path]) => ({
        status: "U",
        path,
        from: path,
        ...cached ? { old: before.get(path) } : { now: after.get(path) },
      }));
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
  await printChanges(repository, changes, wanted);
  return changes.length + conflicts.length;
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
