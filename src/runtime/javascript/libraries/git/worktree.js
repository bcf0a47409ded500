/** The index and the work tree: what is in them, and what is put into them. */
import { SUBMODULE } from "./compare.js";
import { Ignored } from "./ignored.js";
import { byName, idOf } from "./objects.js";
import {
  absolute,
  encode,
  failed,
  Failure,
  fatal,
  lstat,
  makeDirectory,
  makeLink,
  out,
  parentOf,
  readBytes,
  readLink,
  realPath,
  removeEmptyParents,
  removeFile,
  removeTree,
  setMode,
  started,
  statsOf,
  writeBytes,
} from "./system.js";

const modeText = (mode) => mode.toString(8).padStart(6, "0");
const FILE = "100644";
const EXECUTABLE = "100755";
const LINK = "120000";

/** The mode of a file as git has it; undefined for what it doesn't keep. */
function modeOf({ type, mode }) {
  if (type === "symlink") return LINK;
  if (type !== "file") return undefined;
  return mode & 0o100 ? EXECUTABLE : FILE;
}

/** @param there What the file system says of it: of a link, where it leads. */
export const bytesAt = (path, { type }) =>
  type === "symlink" ? encode(readLink(path)) : readBytes(path) ?? new Uint8Array(0);

/** What the index has: files by their paths, and those with a conflict by path and stage. */
export async function readIndex(repository) {
  const files = new Map();
  const unmerged = new Map();
  await repository.index((index) => {
    for (const entry of index.entries) {
      const { path, oid, mode, flags } = entry;
      if (flags.stage === 0) {
        files.set(path, { mode: modeText(mode), oid, intent: Boolean(flags.intentToAdd) });
        continue;
      }
      const stages = {};
      for (const each of entry.stages) {
        if (each) stages[each.flags.stage] = { mode: modeText(each.mode), oid: each.oid };
      }
      unmerged.set(path, stages);
    }
  });
  return { files, unmerged };
}

function timesOf({ mtimeMs, ctimeMs }) {
  return [mtimeMs, ctimeMs].flatMap((ms) => {
    const seconds = Math.floor(ms / 1000);
    return [seconds, Math.floor((ms - seconds * 1000) * 1000000)];
  });
}
const isAsStaged = (entry, found) => {
  const [mtime, mtimeRest, ctime, ctimeRest] = timesOf(found);
  return entry.size === found.size % 2 ** 32 && entry.ino === found.ino % 2 ** 32 &&
    entry.mtimeSeconds === mtime &&
    entry.mtimeNanoseconds === mtimeRest && entry.ctimeSeconds === ctime &&
    entry.ctimeNanoseconds === ctimeRest;
};

/**
 * The files of the index as they are in the work tree: those that are there, with what they are now. What has only been
 * touched is noted in the index, so that it need not be read again.
 *
 * @param options.noting False, for commands that never look at what has been touched: it is `touched` then, and stays so.
 */
export async function readTracked(repository, { noting = true } = {}) {
  const found = new Map();
  const written = repository.indexTime;
  await repository.index((index) => {
    for (const entry of index.entries) {
      const { path, flags } = entry;
      const file = repository.file(path);
      const there = reachable(repository, path) ? lstat(file) : undefined;
      if (modeText(entry.mode) === SUBMODULE) {
        if (there) found.set(path, { mode: SUBMODULE, oid: entry.oid });
        continue;
      }
      const mode = there && modeOf(there);
      if (!mode) continue;
      const clean = flags.stage === 0 && isAsStaged(entry, there) && there.mtimeMs < written;
      if (clean && mode === modeText(entry.mode)) {
        found.set(path, { mode, oid: entry.oid });
        continue;
      }
      const oid = idOf("blob", bytesAt(file, there));
      const touched = !noting && entry.mtimeSeconds !== timesOf(there)[0];
      const same = oid === entry.oid && mode === modeText(entry.mode);
      found.set(path, touched || !same ? { mode, oid, file, touched } : { mode, oid });
      if (
        noting && flags.stage === 0 && same && !isAsStaged(entry, there)
      ) {
        index.insert({ filepath: path, stats: statsOf(there), oid });
      }
    }
  });
  return found;
}

/** Whether no link stands in the place of a directory of the path. */
function reachable(repository, path) {
  for (let at = path.indexOf("/"); at > 0; at = path.indexOf("/", at + 1)) {
    const directory = path.slice(0, at);
    const kept = reached.get(directory);
    const is = kept ?? lstat(repository.file(directory))?.type === "directory";
    if (kept === undefined) reached.set(directory, is);
    if (!is) return false;
  }
  return true;
}
/** What the last look at directories has shown; forgotten with each change. */
const reached = new Map();

/** What one path is in the work tree; undefined if there is no file. */
export function fileAt(repository, path) {
  reached.clear();
  if (!reachable(repository, path)) return undefined;
  const file = repository.file(path);
  const there = lstat(file);
  const mode = there && modeOf(there);
  return mode && { mode, file, there, oid: idOf("blob", bytesAt(file, there)) };
}

/** Puts a file of the work tree into the index. @returns false if it is of a kind that git doesn't keep. */
export function stage(repository, index, path) {
  const file = repository.file(path);
  const there = lstat(file);
  const mode = there && modeOf(there);
  if (!mode) return false;
  const oid = repository.objects.write("blob", bytesAt(file, there));
  put(index, path, { mode, oid, stats: statsOf(there) });
  return true;
}

/** Puts an entry into the index, in the place of what stands in its way. */
export function put(index, path, { mode, oid, stats }) {
  for (let at = path.indexOf("/"); at > 0; at = path.indexOf("/", at + 1)) drop(index, path.slice(0, at));
  const directories = directoriesOf(index);
  if (directories.has(path)) {
    const below = `${path}/`;
    for (const each of [...index.entriesMap.keys()]) if (each.startsWith(below)) drop(index, each);
  }
  addDirectories(directories, path);
  drop(index, path);
  index.insert({ filepath: path, stats: { ...stats ?? NO_STATS, mode: parseInt(mode, 8) }, oid });
}
/** Whether a path would stand in the place of a directory of the index, or below a file of it. */
export function standsInWay(index, path) {
  for (let at = path.indexOf("/"); at > 0; at = path.indexOf("/", at + 1)) {
    if (index.entriesMap.has(path.slice(0, at))) return true;
  }
  const below = `${path}/`;
  return directoriesOf(index).has(path) &&
    [...index.entriesMap.keys()].some((each) => each.startsWith(below));
}
/** Directories of an index; some of them may be gone. */
const known = new WeakMap();
function directoriesOf(index) {
  let found = known.get(index);
  if (!found) {
    known.set(index, found = new Set());
    for (const path of index.entriesMap.keys()) addDirectories(found, path);
  }
  return found;
}
function addDirectories(directories, path) {
  for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
    const directory = path.slice(0, at);
    if (directories.has(directory)) return;
    directories.add(directory);
  }
}
const NO_STATS = { mtimeMs: 0, ctimeMs: 0, dev: 0, ino: 0, uid: 0, gid: 0, size: 0 };

export function drop(index, path) {
  if (index.has({ filepath: path })) index.delete({ filepath: path });
}

/** Leaves a conflict in the index. @param stages By their numbers; what is undefined is left out. */
export function putConflict(index, path, stages) {
  drop(index, path);
  for (const number of [1, 2, 3]) {
    const side = stages[number];
    if (!side) continue;
    index.insert({
      filepath: path,
      stats: { ...NO_STATS, mode: parseInt(side.mode, 8) },
      oid: side.oid,
      stage: number,
    });
  }
}

/** Writes a file into the work tree. @returns what the index is to remember of it. */
export function writeFile(repository, path, mode, bytes) {
  reached.clear();
  const file = repository.file(path);
  clearWay(repository, path);
  if (mode === SUBMODULE) {
    makeDirectory(file);
    return undefined;
  }
  if (mode === LINK) makeLink(new TextDecoder().decode(bytes), file);
  else {
    writeBytes(file, bytes);
    setMode(file, mode === EXECUTABLE ? 0o755 : 0o644);
  }
  return statsOf(lstat(file));
}

/** Nothing of the work tree may lead out of it: links on the way are removed, and what has the name. */
function clearWay(repository, path) {
  for (let at = path.indexOf("/"); at > 0; at = path.indexOf("/", at + 1)) {
    const directory = repository.file(path.slice(0, at));
    const there = lstat(directory);
    if (there && there.type !== "directory") removeFile(directory);
    if (there?.type !== "directory") break;
  }
  const file = repository.file(path);
  const there = lstat(file);
  if (there?.type === "directory") removeTree(file);
  else if (there) removeFile(file);
}

/** Removes a file of the work tree, with the directories that it leaves empty. */
export function removeWorkFile(repository, path) {
  if (!reachable(repository, path)) return;
  reached.clear();
  const file = repository.file(path);
  if (lstat(file)?.type === "directory") return;
  removeFile(file);
  removeEmptyParents(file, repository.top);
}

const same = (a, b) => a?.oid === b?.oid && a?.mode === b?.mode;

/** @throws {Failure} where there are conflicts. */
export function checkMerged(unmerged) {
  if (unmerged.size === 0) return;
  for (const path of unmerged.keys()) out(`${path}: needs merge\n`);
  throw failed("you need to resolve your current index first");
}

/**
 * Brings index and work tree from one state to another, and keeps what was changed beside that.
 *
 * @param before What the present state was meant to be. @param after What it is to be.
 * @throws {Failure} if that would lose changes; nothing is done then. @param verb What is told to be the reason.
 */
export async function moveTo(repository, before, after, { verb, advice }) {
  const { files, unmerged } = await readIndex(repository);
  checkMerged(unmerged);
  const tracked = await readTracked(repository);
  const rules = await new Ignored(repository).load();
  const todo = [];
  const changed = [];
  const untracked = [];
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    const [old, now, own] = [before.get(path), after.get(path), files.get(path)];
    if (same(old, now) || (own && same(own, now))) continue;
    if (own === undefined && old === undefined) {
      const stands = inTheWay(repository, path, files);
      if (stands && !rules.has(stands)) untracked.push(stands);
      todo.push([path, now]);
    } else if (own === undefined && now === undefined) continue;
    else if (!same(own, old) || (tracked.has(path) && !same(tracked.get(path), own))) changed.push(path);
    else todo.push([path, now]);
  }
  if (changed.length > 0 || untracked.length > 0) throw overwritten({ changed, untracked, verb, advice });
  await apply(repository, todo);
}

/** A file that is not in the index where one is to be. */
function inTheWay(repository, path, files) {
  for (let at = path.indexOf("/"); at > 0; at = path.indexOf("/", at + 1)) {
    const above = path.slice(0, at);
    const there = lstat(repository.file(above));
    if (there === undefined) return undefined;
    if (there.type !== "directory") return files.has(above) ? undefined : above;
  }
  const there = lstat(repository.file(path));
  return there && there.type !== "directory" ? path : undefined;
}

export function overwritten({ changed, untracked, verb, advice }) {
  const list = (paths) => paths.sort(byName).map((path) => `\t${path}\n`).join("");
  const parts = [];
  if (changed.length > 0) {
    parts.push(
      `error: Your local changes to the following files would be overwritten by ${verb}:\n${list(changed)}` +
        `Please commit your changes or stash them before you ${advice}.\n`,
    );
  }
  if (untracked.length > 0) {
    parts.push(
      `error: The following untracked working tree files would be overwritten by ${verb}:\n${
        list([...new Set(untracked)])
      }` +
        `Please move or remove them before you ${advice}.\n`,
    );
  }
  return new Failure(`${parts.join("")}Aborting\n`, 1);
}

/** Puts files into index and work tree. @param todo Pairs of paths and files; undefined: none is to be there. */
export async function apply(repository, todo) {
  await repository.index(async (index) => {
    for (const [path, now] of todo) {
      if (now) continue;
      drop(index, path);
      removeWorkFile(repository, path);
    }
    for (const [path, now] of todo) {
      if (!now) continue;
      const bytes = now.mode === SUBMODULE
        ? undefined
        : (await repository.objects.read(now.oid, "blob")).bytes;
      put(index, path, { ...now, stats: writeFile(repository, path, now.mode, bytes) });
    }
  });
}

/** Makes index and work tree the same as some files, whatever was changed. */
export async function force(repository, after) {
  const { files, unmerged } = await readIndex(repository);
  const tracked = await readTracked(repository);
  const todo = [];
  for (const path of new Set([...files.keys(), ...unmerged.keys(), ...after.keys()])) {
    const now = after.get(path);
    if (!now || unmerged.has(path) || !same(now, files.get(path)) || !same(now, tracked.get(path))) {
      todo.push([path, now]);
    }
  }
  await apply(repository, todo);
}

/** Which paths some arguments name. */
export class Pathspec {
  #rules;

  /** @param args As they were given, relative to the working directory. */
  constructor(repository, args) {
    this.args = args;
    this.used = new Set();
    this.#rules = args.map((given) => {
      const [, magic = "", rest] = /^(:\/|:[!^]|:\([^)]*\)|:(?=$))?(.*)$/s.exec(given);
      if (magic.startsWith(":(") && magic !== ":(top)" && magic !== ":(exclude)") {
        throw fatal(`Unimplemented pathspec magic in '${given}'`);
      }
      const fromTop = magic === ":/" || magic === ":(top)" || magic === ":";
      const path = fromTop ? rest.replace(/\/+$/, "") : repository.within(resolved(rest), rest);
      return {
        given,
        path,
        excludes: /^:[!^]|^:\(exclude\)/.test(magic),
        pattern: /[*?[]/.test(path) ? globOf(path) : undefined,
      };
    });
  }

  get isEmpty() {
    return this.args.length === 0;
  }

  matches(path) {
    if (this.isEmpty) return true;
    let found = this.#rules.every(({ excludes }) => excludes);
    for (const { given, path: wanted, excludes, pattern } of this.#rules) {
      const hit = wanted === "" || path === wanted || path.startsWith(`${wanted}/`) || pattern?.test(path);
      if (!hit) continue;
      if (excludes) return false;
      this.used.add(given);
      found = true;
    }
    return found;
  }

  /** The paths themselves, if each of them is one. */
  get plain() {
    return this.#rules.some(({ excludes, pattern }) => excludes || pattern)
      ? undefined
      : this.#rules.map(({ path }) => path);
  }

  /** Arguments that have named nothing so far. */
  get unused() {
    return this.#rules.filter(({ given, excludes }) => !excludes && !this.used.has(given)).map(({ given }) =>
      given
    );
  }
}

/** The path that an argument names; the directories on the way to it may be links, itself not. */
function resolved(name) {
  const path = absolute(name);
  if (path === absolute(started.cwd) || lstat(path)?.type === "directory") {
    return lstat(path) ? realPath(path) : path;
  }
  const above = parentOf(path);
  return lstat(above)
    ? `${realPath(above).replace(/\/$/, "")}/${path.slice(path.lastIndexOf("/") + 1)}`
    : path;
}

function globOf(text) {
  const source = text.replace(/\\(.)|\*\*\/|\*+|\?|\[!?[^\]]*\]|[.+^${}()|\\]/g, (part, escaped) => {
    if (escaped) return `\\${escaped}`;
    if (part === "**/") return "(?:.*/)?";
    if (part.startsWith("*")) return ".*";
    if (part === "?") return ".";
    if (part.startsWith("[")) return part.replace(/^\[!/, "[^");
    return `\\${part}`;
  });
  return new RegExp(`^${source}(?:/.*)?$`, "s");
}
