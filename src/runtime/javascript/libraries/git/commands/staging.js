/** `add`, `rm`, `mv`. */
import { SUBMODULE } from "../compare.js";
import { untrackedFiles } from "../ignored.js";
import { byName } from "../objects.js";
import { parseOptions } from "../options.js";
import { openRepository } from "../repository.js";
import {
  absolute,
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
  rename,
} from "../system.js";
import { drop, Pathspec, put, readIndex, readTracked, removeWorkFile, stage } from "../worktree.js";

/** A path of the repository as it looks from the working directory. */
export const fromHere = ({ prefix }, path) =>
  prefix === "" ? path : relative(`/${prefix}`, `/${path}`) + (path.endsWith("/") ? "/" : "");

export async function add(args) {
  const options = parseOptions(
    "add",
    args,
    "A|all u|update f|force n|dry-run v|verbose !N|intent-to-add ignore-removal no-all ignore-errors !p|patch !i|interactive !renormalize",
  );
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
    : await untrackedFiles(repository, known, { ignored: true, replaced: true });
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
export function filesBelow(repository, path) {
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
