/** `write-tree`, `read-tree`, `update-index`: the index by itself. */
import { SUBMODULE } from "../compare.js";
import { byName } from "../objects.js";
import { parseOptions } from "../options.js";
import { openRepository } from "../repository.js";
import { entryOf, peel, resolve } from "../revisions.js";
import { absolute, decode, Failure, fatal, lstat, note, out, readInput } from "../system.js";
import { drop, put, readIndex, readTracked, stage, standsInWay } from "../worktree.js";

export async function writeTree(args) {
  const options = parseOptions("write-tree", args, "missing-ok prefix=");
  const repository = await openRepository({ bare: true });
  const { objects } = repository;
  const { files, unmerged } = await readIndex(repository);
  if (unmerged.size > 0) {
    const rows = [...unmerged].flatMap(([path, stages]) =>
      Object.values(stages).map(({ oid }) => `${path}: unmerged (${oid})\n`)
    );
    throw new Failure(`${rows.join("")}fatal: git-write-tree: error building trees\n`, 128);
  }
  for (const [path, { mode, oid, intent }] of files) {
    if (intent || mode === SUBMODULE || options.has("missing-ok") || await objects.has(oid)) continue;
    throw new Failure(
      `error: invalid object ${mode} ${oid} for '${path}'\nfatal: git-write-tree: error building trees\n`,
      128,
    );
  }
  const tree = objects.writeTree(new Map([...files].filter(([, { intent }]) => !intent)));
  const prefix = options.value("prefix");
  const below = prefix === undefined ? { oid: tree } : await entryOf(objects, tree, prefix);
  if (!below || (prefix !== undefined && below.mode !== "040000")) {
    throw fatal(`git-write-tree: prefix ${prefix} not found`);
  }
  out(`${below.oid}\n`);
}

export async function readTree(args) {
  const options = parseOptions(
    "read-tree",
    args,
    "empty !m !u !i !reset !prefix= !n|dry-run !v !trivial !aggressive !no-sparse-checkout q|quiet",
  );
  const repository = await openRepository({ bare: true });
  const [name, ...more] = options.everything;
  if (more.length > 0) throw fatal("git read-tree takes one tree here");
  if ((name === undefined) !== options.has("empty")) {
    throw new Failure("usage: git read-tree (--empty | <tree-ish>)\n", 129);
  }
  const oid = name === undefined ? undefined : await resolve(repository, name);
  if (name !== undefined && !oid) throw fatal(`Not a valid object name ${name}`);
  const tree = oid && await peel(repository.objects, oid, "tree");
  if (oid && !tree) throw fatal(`failed to unpack tree object ${name}`);
  const files = tree ? await repository.objects.files(tree) : new Map();
  await repository.index((index) => {
    for (const path of [...index.entriesMap.keys()]) drop(index, path);
    for (const [path, file] of files) put(index, path, file);
  });
}

const UPDATE =
  `q refresh really-refresh unmerged ignore-missing add remove force-remove replace chmod= cacheinfo= stdin z
  !info-only verbose ignore-submodules !index-info !assume-unchanged !no-assume-unchanged !skip-worktree
  !no-skip-worktree !g|again !unresolve !split-index !no-split-index !untracked-cache !no-untracked-cache
  !force-untracked-cache !fsmonitor !no-fsmonitor !index-version= !force-write-index`;

export async function updateIndex(args) {
  const options = parseOptions("update-index", withCommas(args), UPDATE);
  const repository = await openRepository();
  const chmod = options.value("chmod");
  if (chmod !== undefined && !/^[+-]x$/.test(chmod)) {
    throw new Failure('error: option \'chmod\' expects "+x" or "-x"\n', 129);
  }
  if (new Set(options.all("chmod")).size > 1) throw fatal("git update-index takes one --chmod here");
  let code = 0;
  if (options.has("refresh", "really-refresh")) code = await refresh(repository, options);
  const paths = [...options.everything];
  if (options.has("stdin")) {
    const end = options.has("z") ? "\0" : "\n";
    paths.push(...decode(readInput()).split(end).filter((each) => each !== ""));
  }
  const told = [];
  await repository.index((index) => {
    for (const text of options.all("cacheinfo")) addEntry(index, options, text, told);
    for (const name of paths) updatePath(repository, index, name, { options, chmod, told });
  });
  if (options.has("verbose")) out(told.join(""));
  return code;
}

/** `--cacheinfo` with three words is what it is with one. */
function withCommas(args) {
  const words = [...args];
  for (let at = 0; at < words.length; at++) {
    if (words[at] === "--") break;
    if (words[at] !== "--cacheinfo" || words[at + 1]?.includes(",") || at + 3 >= words.length) continue;
    words.splice(at + 1, 3, words.slice(at + 1, at + 4).join(","));
  }
  return words;
}

/** Notes what has only been touched, and tells what has changed. @returns 1 if something has. */
async function refresh(repository, options) {
  const tracked = await readTracked(repository);
  const { files, unmerged } = await readIndex(repository);
  let code = 0;
  const tell = (text) => {
    out(text);
    code = 1;
  };
  for (const path of [...files.keys(), ...unmerged.keys()].sort(byName)) {
    if (unmerged.has(path)) {
      if (!options.has("unmerged")) tell(`${path}: needs merge\n`);
      continue;
    }
    const [own, now] = [files.get(path), tracked.get(path)];
    if ((own.oid === now?.oid && own.mode === now.mode) || own.mode === SUBMODULE || own.intent) continue;
    if (!options.has("q") && !(now === undefined && options.has("ignore-missing"))) {
      tell(`${path}: needs update\n`);
    }
  }
  return code;
}

/** Names that git's own files could have, or that lead out of the work tree. */
const isPath = (path) =>
  path !== "" && !path.startsWith("/") &&
  path.split("/").every((part) => !/^(?:\.{0,2}|\.git)$/i.test(part));

const NOT_ADDED = "cannot add to the index - missing --add option?";

/** Why a path can't come into the index; undefined if it can. */
function refusalOf(index, path, options) {
  if (!index.entriesMap.has(path) && !options.has("add")) return `${path}: ${NOT_ADDED}`;
  if (options.has("replace") || !standsInWay(index, path)) return undefined;
  return `'${path}' appears as both a file and as a directory\nerror: ${path}: ${NOT_ADDED}`;
}

function addEntry(index, options, text, told) {
  const [, mode, oid, path] = /^([0-7]+),([0-9a-f]{40}),(.+)$/s.exec(text) ?? [];
  if (mode === undefined) {
    throw new Failure("error: option 'cacheinfo' expects <mode>,<sha1>,<path>\n", 129);
  }
  const refuse = (why) =>
    new Failure(`error: ${why}\nfatal: git update-index: --cacheinfo cannot add ${path}\n`, 128);
  if (!isPath(path)) throw refuse(`Invalid path '${path}'`);
  if (!/^(?:100644|100755|120000|160000)$/.test(mode)) throw refuse(`${mode} is the mode of no file`);
  const why = refusalOf(index, path, options);
  if (why) throw refuse(why);
  put(index, path, { mode, oid });
  told.push(`add '${path}'\n`);
}

/** Whether a directory on the way is a link: what is behind it is no part of the work tree. */
function isBeyondLink(repository, path) {
  for (let at = path.indexOf("/"); at > 0; at = path.indexOf("/", at + 1)) {
    if (lstat(repository.file(path.slice(0, at)))?.type === "symlink") return true;
  }
  return false;
}

function updatePath(repository, index, name, { options, chmod, told }) {
  const path = repository.within(absolute(name), name);
  if (!isPath(path)) return note(`Ignoring path ${path}\n`);
  const refuse = (why) => new Failure(`error: ${why}\nfatal: Unable to process path ${path}\n`, 128);
  if (isBeyondLink(repository, path) && !options.has("force-remove")) {
    throw refuse(`'${path}' is beyond a symbolic link`);
  }
  const there = lstat(repository.file(path));
  const known = index.entriesMap.get(path);
  if (options.has("force-remove")) {
    drop(index, path);
    told.push(`remove '${path}'\n`);
    return;
  }
  if (!there) {
    if (!options.has("remove")) throw refuse(`${path}: does not exist and --remove not passed`);
    drop(index, path);
  } else if (there.type === "directory") {
    if (known?.mode === parseInt(SUBMODULE, 8)) return;
    throw refuse(`${path}: is a directory - add individual files instead`);
  } else {
    const why = refusalOf(index, path, options);
    if (why) throw refuse(why);
    if (!stage(repository, index, path)) {
      throw refuse(`${path}: can only add regular files, symbolic links or git-directories`);
    }
  }
  told.push(`add '${path}'\n`);
  if (chmod === undefined) return;
  const entry = index.entriesMap.get(path);
  if (!entry || (entry.mode & 0o170000) !== 0o100000) {
    throw fatal(`git update-index: cannot chmod ${chmod} '${path}'`);
  }
  put(index, path, { mode: chmod === "+x" ? "100755" : "100644", oid: entry.oid, stats: entry });
  told.push(`chmod ${chmod} '${path}'\n`);
}
