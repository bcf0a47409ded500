/** `add`, `rm`, `mv`, `reset`, `restore`, `ls-files`, `clean`. */
import { changesBetween, SUBMODULE } from "../compare.js";
import { Ignored, untrackedFiles } from "../ignored.js";
import { byName } from "../objects.js";
import { parseOptions } from "../options.js";
import { quotePath } from "../patch.js";
import { partsOf } from "../pretty.js";
import { openRepository } from "../repository.js";
import { commitOf, isRevision, peel, resolve, unknownRevision } from "../revisions.js";
import {
  absolute,
  failed,
  Failure,
  fatal,
  isDirectory,
  list,
  lstat,
  out,
  parentOf,
  relative,
  removeEmptyParents,
  removeFile,
  removeTree,
  rename,
  writeText,
} from "../system.js";
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
  stage,
  writeFile,
} from "../worktree.js";

/** A path of the repository as it looks from the working directory. */
export const fromHere = ({ prefix }, path) =>
  prefix === "" ? path : relative(`/${prefix}`, `/${path}`) + (path.endsWith("/") ? "/" : "");

export async function add(args) {
  const options = parseOptions(
    "add",
    args,
    "A|all u|update f|force n|dry-run v|verbose N|intent-to-add ignore-removal no-all ignore-errors p|patch i|interactive renormalize",
  );
  const odd = options.last("patch", "interactive", "intent-to-add", "renormalize");
  if (odd) throw fatal(`git add --${odd} is not supported here`);
  const repository = await openRepository();
  const everywhere = options.everything.length === 0 && options.has("all", "update");
  if (options.everything.length === 0 && !everywhere) {
    throw new Failure(
      "Nothing specified, nothing added.\nhint: Maybe you wanted to say 'git add .'?\nhint: Turn this message off by running\nhint: \"git config advice.addEmptyPathspec false\"\n",
      0,
    );
  }
  const pathspec = new Pathspec(repository, options.everything);
  const { files, unmerged } = await readIndex(repository);
  const known = new Map([...files, ...unmerged]);
  const tracked = await readTracked(repository);
  const { untracked, ignored } = options.has("update")
    ? { untracked: [], ignored: [] }
    : await untrackedFiles(repository, known, { ignored: true });
  const inSubmodule = untracked.find((path) => path.endsWith("/") && pathspec.matches(path.slice(0, -1)));
  if (inSubmodule) {
    throw fatal(`adding the repository in '${inSubmodule.slice(0, -1)}' to this one is not supported here`);
  }
  const wanted = untracked.filter((path) => pathspec.matches(path));
  const refused = [];
  for (const path of ignored) {
    const plain = path.replace(/\/$/, "");
    const named = options.everything.some((arg) => namesIgnored(repository, arg, plain));
    if (!named && !(options.has("force") && pathspec.matches(plain))) continue;
    if (options.has("force")) wanted.push(...filesBelow(repository, plain));
    else refused.push(named);
    pathspec.matches(plain);
  }
  const changed = [...known.keys()].filter((path) => pathspec.matches(path)).filter((path) => {
    const now = tracked.get(path);
    const old = files.get(path);
    if (old?.mode === SUBMODULE) return false;
    return !now
      ? !options.has("ignore-removal", "no-all")
      : !old || now.oid !== old.oid || now.mode !== old.mode;
  });
  const given = options.everything.filter((arg) => namesIgnored(repository, arg, undefined, ignored));
  if (given.length > 0 && !options.has("force")) {
    throw new Failure(
      `The following paths are ignored by one of your .gitignore files:\n${
        [...new Set(given.map((arg) => ignoredRoot(repository, arg, ignored)))].sort().map((path) =>
          `${path}\n`
        ).join("")
      }hint: Use -f if you really want to add them.\nhint: Turn this message off by running\nhint: "git config advice.addIgnoredFile false"\n`,
      1,
    );
  }
  const missing = pathspec.unused.find((arg) => !isThereAndKnown(arg));
  if (missing !== undefined) throw fatal(`pathspec '${missing}' did not match any files`);
  const told = [];
  await repository.index((index) => {
    for (const path of [...changed, ...wanted].sort(byName)) {
      const there = tracked.has(path) || wanted.includes(path);
      if (!there) told.push(`remove '${path}'\n`);
      else told.push(`add '${path}'\n`);
      if (options.has("dry-run")) continue;
      if (!there) drop(index, path);
      else stage(repository, index, path);
    }
  });
  if (options.has("verbose", "dry-run")) out(told.join(""));
}

const isThereAndKnown = (arg) => arg === "." || isDirectory(absolute(arg));

/** The files below a path, whatever git thinks of them. */
function filesBelow(repository, path) {
  const file = repository.file(path);
  if (lstat(file)?.type !== "directory") return [path];
  return list(file).flatMap(([name]) => name === ".git" ? [] : filesBelow(repository, `${path}/${name}`));
}

/** Whether an argument names what is ignored, or something in it, by its own name. */
function namesIgnored(repository, arg, path, all) {
  if (/[*?[]|^:/.test(arg)) return false;
  const own = repository.within(absolute(arg), arg);
  if (own === "") return false;
  const is = (each) => own === each || own.startsWith(`${each}/`);
  return all ? all.some((each) => is(each.replace(/\/$/, ""))) : is(path);
}
const ignoredRoot = (repository, arg, ignored) => {
  const own = repository.within(absolute(arg), arg);
  const root = ignored.map((each) => each.replace(/\/$/, "")).find((each) =>
    own === each || own.startsWith(`${each}/`)
  );
  return root ?? own;
};

export async function rm(args) {
  const options = parseOptions("rm", args, "cached f|force r|recursive n|dry-run q|quiet ignore-unmatch");
  const repository = await openRepository();
  if (options.everything.length === 0) throw fatal("No pathspec was given. Which files should I remove?");
  const pathspec = new Pathspec(repository, options.everything);
  const { files, unmerged } = await readIndex(repository);
  const paths = [...files.keys(), ...unmerged.keys()].filter((path) => pathspec.matches(path)).sort(byName);
  const missing = options.has("ignore-unmatch") ? undefined : pathspec.unused[0];
  if (missing !== undefined) throw fatal(`pathspec '${missing}' did not match any files`);
  if (!options.has("recursive")) {
    for (const arg of options.everything) {
      const own = /[*?[]|^:/.test(arg) ? undefined : repository.within(absolute(arg), arg);
      if (own !== undefined && !files.has(own) && !unmerged.has(own)) {
        throw fatal(`not removing '${arg}' recursively without -r`);
      }
    }
  }
  if (!options.has("force")) await checkRemoval(repository, files, paths, options.has("cached"));
  for (const path of paths) if (!options.has("quiet")) out(`rm '${path}'\n`);
  if (options.has("dry-run")) return;
  await repository.index((index) => {
    for (const path of paths) drop(index, path);
  });
  if (!options.has("cached")) { for (const path of paths) removeWorkFile(repository, path); }
}

async function checkRemoval(repository, files, paths, cached) {
  const head = await headFiles(repository);
  const tracked = await readTracked(repository);
  const differs = (a, b) => a?.oid !== b?.oid || a?.mode !== b?.mode;
  const [both, staged, local] = [[], [], []];
  for (const path of paths) {
    const [own, now, old] = [files.get(path), tracked.get(path), head.get(path)];
    if (!own) continue;
    const changed = now !== undefined && differs(now, own);
    const added = differs(own, old);
    if (changed && added) both.push(path);
    else if (!cached && added) staged.push(path);
    else if (!cached && changed) local.push(path);
  }
  const told = (paths, what, advice) =>
    paths.length === 0
      ? ""
      : `error: the following ${paths.length === 1 ? "file has" : "files have"} ${what}:\n${
        paths.map((path) => `    ${path}\n`).join("")
      }(use ${advice})\n`;
  const message =
    told(both, "staged content different from both the\nfile and the HEAD", "-f to force removal") +
    told(staged, "changes staged in the index", "--cached to keep the file, or -f to force removal") +
    told(local, "local modifications", "--cached to keep the file, or -f to force removal");
  if (message !== "") throw new Failure(message, 1);
}

/** The files of the last commit. */
export async function headFiles({ refs, objects }) {
  const { oid } = await refs.head();
  return oid ? await objects.files((await objects.commit(oid)).tree) : new Map();
}

export async function mv(args) {
  const options = parseOptions("mv", args, "f|force k n|dry-run v|verbose");
  const repository = await openRepository();
  const sources = [...options.everything];
  const target = sources.pop();
  if (sources.length === 0) {
    throw new Failure("usage: git mv [-v] [-f] [-n] [-k] <source> <destination>\n", 129);
  }
  const { files } = await readIndex(repository);
  const into = isDirectory(absolute(target));
  if (sources.length > 1 && !into) throw fatal(`destination '${target}' is not a directory`);
  const moves = [];
  for (const source of sources) {
    const from = repository.within(absolute(source), source);
    const base = from.slice(from.lastIndexOf("/") + 1);
    const shown = into ? `${target.replace(/\/+$/, "")}/${base}` : target.replace(/\/+$/, "");
    const to = repository.within(absolute(shown), shown);
    const bad = (why) => fatal(`${why}, source=${source.replace(/\/+$/, "")}, destination=${shown}`);
    const inside = [...files.keys()].filter((path) => path.startsWith(`${from}/`));
    const refusal = !lstat(absolute(source))
      ? bad("bad source")
      : from === to || to.startsWith(`${from}/`)
      ? bad("can not move directory into itself")
      : inside.length === 0 && !files.has(from)
      ? bad(isDirectory(absolute(source)) ? "source directory is empty" : "not under version control")
      : lstat(absolute(shown)) && !(options.has("force") && !isDirectory(absolute(shown)))
      ? bad("destination exists")
      : !isDirectory(parentOf(absolute(shown)))
      ? fatal(`renaming '${source.replace(/\/+$/, "")}' failed: No such file or directory`)
      : undefined;
    if (refusal && options.has("k")) continue;
    if (refusal) throw refusal;
    moves.push({
      from,
      to,
      paths: files.has(from) ? [[from, to]] : inside.map((path) => [path, to + path.slice(from.length)]),
    });
  }
  for (const { from, to, paths } of moves) {
    if (options.has("verbose", "dry-run")) out(`Renaming ${from} to ${to}\n`);
    if (options.has("dry-run")) continue;
    if (options.has("force")) removeFile(repository.file(to));
    rename(repository.file(from), repository.file(to));
    removeEmptyParents(repository.file(from), repository.file(parentOf(`/${from}`).slice(1)));
    await repository.index((index) => {
      for (const [old, now] of paths) {
        const entry = index.entriesMap.get(old);
        const stats = { ...entry };
        drop(index, old);
        put(index, now, { mode: files.get(old).mode, oid: entry.oid, stats });
      }
    });
  }
}

export async function reset(args) {
  const options = parseOptions(
    "reset",
    args,
    "q|quiet hard soft mixed keep merge p|patch N|intent-to-add no-refresh",
  );
  const odd = options.last("patch", "intent-to-add");
  if (odd) throw fatal(`git reset --${odd} is not supported here`);
  const repository = await openRepository();
  const { refs, objects } = repository;
  const mode = options.last("hard", "soft", "mixed", "keep", "merge");
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
  else if (mode === "keep" || mode === "merge") {
    if (mode === "merge") throw fatal("git reset --merge is not supported here");
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
    "s|source= S|staged W|worktree q|quiet ours theirs p|patch ignore-unmerged overlay no-overlay progress no-progress",
  );
  if (options.has("patch", "overlay")) {
    throw fatal("git restore --patch and --overlay are not supported here");
  }
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

export async function lsFiles(args) {
  const options = parseOptions(
    "ls-files",
    args,
    "c|cached d|deleted m|modified o|others i|ignored s|stage u|unmerged z exclude-standard error-unmatch full-name k|killed directory t",
  );
  if (options.has("killed", "t")) throw fatal("git ls-files -k and -t are not supported here");
  const repository = await openRepository();
  const { files, unmerged } = await readIndex(repository);
  const end = options.has("z") ? "\0" : "\n";
  const pathspec = new Pathspec(repository, options.everything);
  const scope = repository.prefix;
  const inScope = (path) =>
    pathspec.isEmpty ? scope === "" || path.startsWith(`${scope}/`) : pathspec.matches(path);
  const shown = (path) => {
    const named = options.has("full-name") ? path : fromHere(repository, path);
    return end === "\0" ? named : quotePath(named);
  };
  const lines = [];
  if (options.has("others")) {
    const known = new Map([...files, ...unmerged]);
    const both = await untrackedFiles(repository, known, { ignored: true, whole: options.has("directory") });
    const others = options.has("ignored")
      ? both.ignored.flatMap((path) =>
        options.has("directory") ? [path] : filesBelow(repository, path.replace(/\/$/, ""))
      )
      : options.has("exclude-standard")
      ? both.untracked
      : [
        ...both.untracked,
        ...both.ignored.flatMap((path) => filesBelow(repository, path.replace(/\/$/, ""))),
      ];
    if (options.has("ignored") && !options.has("exclude-standard")) {
      throw fatal("ls-files --ignored needs some exclude pattern");
    }
    lines.push(...others.sort(byName).filter(inScope).map(shown));
  }
  const tracked = options.has("deleted", "modified") ? await readTracked(repository) : undefined;
  if (options.has("deleted")) {
    lines.push(...[...files.keys()].filter((path) => !tracked.has(path) && inScope(path)).map(shown));
  }
  if (options.has("modified")) {
    lines.push(
      ...[...files].filter(([path, { oid, mode }]) => {
        const now = tracked.get(path);
        return inScope(path) && (now?.oid !== oid || now.mode !== mode);
      }).map(([path]) => shown(path)),
    );
  }
  if (options.has("stage", "unmerged")) {
    const rows = [...unmerged].flatMap(([path, stages]) =>
      Object.entries(stages).map(([number, side]) => [path, number, side])
    );
    if (options.has("stage") && !options.has("unmerged")) {
      rows.push(...[...files].map(([path, side]) => [path, "0", side]));
    }
    rows.sort(([a, x], [b, y]) => byName(a, b) || byName(x, y));
    lines.push(
      ...rows.filter(([path]) => inScope(path)).map(([path, number, { mode, oid }]) =>
        `${mode} ${oid} ${number}\t${shown(path)}`
      ),
    );
  } else if (options.has("cached") || !options.has("deleted", "modified", "others")) {
    lines.push(
      ...[...new Set([...files.keys(), ...unmerged.keys()])].sort(byName).filter(inScope).map(shown),
    );
  }
  out(lines.map((line) => `${line}${end}`).join(""));
  const missing = pathspec.unused;
  if (!options.has("error-unmatch") || missing.length === 0) return;
  throw failed(
    `pathspec '${missing[0]}' did not match any file(s) known to git\nDid you forget to 'git add'?`,
  );
}

export async function clean(args) {
  const options = parseOptions("clean", args, "f|force d n|dry-run q|quiet x X e|exclude=");
  if (options.has("exclude")) throw fatal("git clean -e is not supported here");
  const repository = await openRepository();
  if (!options.has("force", "dry-run") && await repository.config.flag("clean.requireforce", true)) {
    throw fatal("clean.requireForce is true and -f not given: refusing to clean");
  }
  const { files, unmerged } = await readIndex(repository);
  const known = new Map([...files, ...unmerged]);
  const both = await untrackedFiles(repository, known, { whole: true, ignored: true });
  const pathspec = new Pathspec(repository, options.everything);
  const scope = repository.prefix;
  const chosen = [...options.has("X") ? [] : both.untracked, ...options.has("x", "X") ? both.ignored : []]
    .sort(byName);
  const rules = await new Ignored(repository).load();
  for (const path of chosen) {
    const directory = path.endsWith("/");
    const plain = path.replace(/\/$/, "");
    if (directory && (!options.has("d") || lstat(`${repository.file(plain)}/.git`))) continue;
    if (!(pathspec.isEmpty ? scope === "" || path.startsWith(`${scope}/`) : pathspec.matches(plain))) {
      continue;
    }
    const targets = directory && !options.has("x", "X")
      ? filesBelow(repository, plain).filter((each) => !rules.has(each))
      : undefined;
    const whole = targets === undefined || targets.length === filesBelow(repository, plain).length;
    for (const each of whole ? [path] : targets) {
      if (!options.has("quiet") || options.has("dry-run")) {
        out(
          `${options.has("dry-run") ? "Would remove" : "Removing"} ${
            quotePath(fromHere(repository, each))
          }\n`,
        );
      }
      if (options.has("dry-run")) continue;
      if (each.endsWith("/")) removeTree(repository.file(plain));
      else removeWorkFile(repository, each);
    }
  }
}
