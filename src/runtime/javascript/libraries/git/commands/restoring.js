/** `reset`, `restore`. */
import { changesBetween, SUBMODULE } from "../compare.js";
import { byName } from "../objects.js";
import { parseOptions } from "../options.js";
import { partsOf } from "../pretty.js";
import { openRepository } from "../repository.js";
import { commitOf, isRevision, peel, resolve, unknownRevision } from "../revisions.js";
import { absolute, Failure, fatal, lstat, out, removeFile, writeText } from "../system.js";
import {
  apply,
  drop,
  fileAt,
  force,
  moveTo,
  Pathspec,
  put,
  readIndex,
  readTracked,
  removeWorkFile,
  writeFile,
} from "../worktree.js";
import { headFiles } from "./staging.js";

export async function reset(args) {
  const options = parseOptions(
    "reset",
    args,
    "q|quiet hard soft mixed keep !merge !p|patch !N|intent-to-add no-refresh",
  );
  const repository = await openRepository();
  const { refs, objects } = repository;
  const mode = options.last("hard", "soft", "mixed", "keep");
  let [name, ...rest] = options.operands;
  if (name !== undefined && !(await isRevision(repository, name))) {
    if (
      options.paths === undefined && !lstat(absolute(name)) &&
      !(await readIndex(repository)).files.has(repository.within(absolute(name), name))
    ) {
      throw unknownRevision(name);
    }
    [name, rest] = [undefined, options.operands];
  }
  const paths = [...rest, ...options.paths ?? []];
  const head = await refs.head();
  if (paths.length > 0) {
    if (mode !== undefined && mode !== "mixed") throw fatal(`Cannot do ${mode} reset with paths.`);
    const tree = name === undefined
      ? undefined
      : await peel(objects, await resolve(repository, name), "tree");
    await resetPaths(repository, tree ? await objects.files(tree) : await headFiles(repository), paths);
    if (!options.has("quiet")) await tellUnstaged(repository);
    return;
  }
  const target = name === undefined ? head.oid : await commitOf(repository, name);
  if (target === undefined && mode === "soft") return;
  const files = target ? await objects.files((await objects.commit(target)).tree) : new Map();
  if (mode === "hard") await force(repository, files);
  else if (mode === "keep") {
    await moveTo(repository, await headFiles(repository), files, { verb: "reset", advice: "reset" });
  } else if (mode !== "soft") await resetIndex(repository, files);
  if (target) {
    const before = head.oid;
    if (before) writeText(refs.file("ORIG_HEAD"), `${before}\n`);
    await refs.updateHead(target, await repository.because(`reset: moving to ${name ?? "HEAD"}`));
  }
  if (mode !== "soft") {
    for (const file of ["MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "CHERRY_PICK_HEAD", "REVERT_HEAD"]) {
      removeFile(refs.file(file));
    }
  }
  if (options.has("quiet") || mode === "soft" || mode === "keep") return;
  if (mode === "hard") {
    if (target) {
      out(
        `HEAD is now at ${await objects.short(target)} ${
          partsOf((await objects.commit(target)).message).subject
        }\n`,
      );
    }
  } else await tellUnstaged(repository);
}

/** Makes the index the same as some files. */
export async function resetIndex(repository, files) {
  await repository.index((index) => {
    for (const path of [...index.entriesMap.keys()]) if (!files.has(path)) drop(index, path);
    for (const [path, now] of files) {
      const entry = index.entriesMap.get(path);
      const same = entry && entry.flags.stage === 0 && entry.oid === now.oid &&
        entry.mode === parseInt(now.mode, 8);
      if (!same) put(index, path, now);
    }
  });
  await readTracked(repository);
}

async function resetPaths(repository, files, paths) {
  const pathspec = new Pathspec(repository, paths);
  const index = await readIndex(repository);
  const named = new Set(
    [...files.keys(), ...index.files.keys(), ...index.unmerged.keys()].filter((path) =>
      pathspec.matches(path)
    ),
  );
  const missing = pathspec.unused.find((arg) => arg !== ".");
  if (missing !== undefined) {
    throw fatal(
      `ambiguous argument '${missing}': unknown revision or path not in the working tree.\n` +
        "Use '--' to separate paths from revisions, like this:\n'git <command> [<revision>...] -- [<file>...]'",
    );
  }
  await repository.index((index) => {
    for (const path of named) {
      const now = files.get(path);
      const entry = index.entriesMap.get(path);
      if (!now) drop(index, path);
      else if (
        !entry || entry.flags.stage !== 0 || entry.oid !== now.oid || entry.mode !== parseInt(now.mode, 8)
      ) put(index, path, now);
    }
  });
}

async function tellUnstaged(repository) {
  const { files } = await readIndex(repository);
  const changes = changesBetween(files, await readTracked(repository)).filter(({ path }) => files.has(path));
  if (changes.length === 0) return;
  out(`Unstaged changes after reset:\n${changes.map(({ status, path }) => `${status}\t${path}\n`).join("")}`);
}

export async function restore(args) {
  const options = parseOptions(
    "restore",
    args,
    "s|source= S|staged W|worktree q|quiet ours theirs !p|patch ignore-unmerged !overlay no-overlay progress no-progress",
  );
  const repository = await openRepository();
  if (options.everything.length === 0) throw fatal("you must specify path(s) to restore");
  const staged = options.has("staged");
  const worktree = options.has("worktree") || !staged;
  const source = options.value("source") ?? (staged ? "HEAD" : undefined);
  const side = options.last("ours", "theirs");
  await restorePaths(repository, { source, paths: options.everything, staged, worktree, side });
}

/** Takes files out of a commit, or out of the index, into the index, or the work tree, or both. */
export async function restorePaths(repository, { source, paths, staged, worktree, side, overlay = false }) {
  const { files: own, unmerged } = await readIndex(repository);
  const unborn = source === "HEAD" && !(await repository.refs.head()).oid;
  const tree = source === undefined || unborn ? undefined : await treeOf(repository, source);
  const files = source === undefined ? own : tree ? await repository.objects.files(tree) : new Map();
  const pathspec = new Pathspec(repository, paths);
  const names = new Set([...files.keys(), ...own.keys(), ...unmerged.keys()]);
  const todo = [];
  const blocked = [];
  for (const path of [...names].sort(byName)) {
    if (overlay && !files.has(path) && !unmerged.has(path)) continue;
    if (!pathspec.matches(path)) continue;
    if (source === undefined && unmerged.has(path)) {
      const chosen = side && unmerged.get(path)[side === "ours" ? 2 : 3];
      if (chosen) todo.push([path, chosen]);
      else blocked.push(path);
    } else todo.push([path, files.get(path)]);
  }
  const missing = pathspec.unused.filter((arg) => arg !== ".");
  if (missing.length > 0) {
    throw new Failure(
      missing.map((arg) => `error: pathspec '${arg}' did not match any file(s) known to git\n`).join(""),
      1,
    );
  }
  if (blocked.length > 0) {
    throw new Failure(blocked.map((path) => `error: path '${path}' is unmerged\n`).join(""), 1);
  }
  if (staged && worktree) return await applied(repository, todo);
  if (staged) {
    await repository.index((index) => {
      for (const [path, now] of todo) {
        const entry = index.entriesMap.get(path);
        if (!now) drop(index, path);
        else if (
          !entry || entry.flags.stage !== 0 || entry.oid !== now.oid || entry.mode !== parseInt(now.mode, 8)
        ) put(index, path, now);
      }
    });
    return todo.length;
  }
  let count = 0;
  await repository.index(async (index) => {
    for (const [path, now] of todo) {
      if (!now) {
        removeWorkFile(repository, path);
        continue;
      }
      const there = fileAt(repository, path);
      if (there?.oid === now.oid && there.mode === now.mode) continue;
      count++;
      if (now.mode === SUBMODULE) continue;
      const stats = writeFile(
        repository,
        path,
        now.mode,
        (await repository.objects.read(now.oid, "blob")).bytes,
      );
      const entry = index.entriesMap.get(path);
      if (entry?.flags.stage === 0 && entry.oid === now.oid) put(index, path, { ...now, stats });
    }
  });
  return count;
}

async function applied(repository, todo) {
  const tracked = await readTracked(repository);
  await apply(repository, todo);
  return todo.filter(([path, now]) =>
    now && (tracked.get(path)?.oid !== now.oid || tracked.get(path).mode !== now.mode)
  ).length;
}

export async function treeOf(repository, name) {
  const oid = await resolve(repository, name);
  const tree = oid && await peel(repository.objects, oid, "tree");
  if (!tree) throw fatal(`could not resolve ${name}`);
  return tree;
}
