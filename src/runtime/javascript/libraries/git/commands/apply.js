/** `apply`: a patch, or none of it. */
import { bytesOfChars, charsOf, linesOf } from "../compare.js";
import { parseOptions } from "../options.js";
import { numStat, statText, summaryText } from "../patch.js";
import { applied, parsePatch, reversed } from "../patches.js";
import { findRepository, openRepository } from "../repository.js";
import {
  absolute,
  failed,
  Failure,
  fatal,
  joined,
  lstat,
  note,
  out,
  readBytes,
  readInput,
  started,
} from "../system.js";
import { actionOf, checked } from "../whitespace.js";
import {
  apply as applyFiles,
  bytesAt,
  drop,
  fileAt,
  put,
  readIndex,
  readTracked,
  removeWorkFile,
  writeFile,
} from "../worktree.js";

export async function apply(args) {
  const options = parseOptions(
    "apply",
    args,
    `check stat numstat summary apply R|reverse index cached v|verbose q|quiet p= whitespace= allow-empty !recount !unidiff-zero
    !3|3way !reject !directory= !C= !exclude= !include= !unsafe-paths !inaccurate-eof !build-fake-ancestor= !z binary !N|intent-to-add
    !ignore-whitespace !ignore-space-change`,
  );
  const repository = findRepository() ? await openRepository() : undefined;
  if (options.has("index", "cached") && !repository) throw fatal("--index outside a repository");
  const action = actionOf(options.value("whitespace"));
  const names = options.everything.length > 0 ? options.everything : ["-"];
  for (const name of names) await applyOne(repository, name, options, action);
}

async function applyOne(repository, name, options, action) {
  const bytes = name === "-" ? readInput() : readBytes(absolute(name));
  if (bytes === undefined) {
    throw new Failure(`error: can't open patch '${name}': No such file or directory\n`, 128);
  }
  const parsed = parsePatch(charsOf(bytes), options.number("p", 1)).map((file) => placed(repository, file));
  if (parsed.length === 0) {
    if (options.has("allow-empty")) return;
    throw new Failure('error: No valid patches in input (allow with "--allow-empty")\n', 128);
  }
  const files = options.has("reverse")
    ? parsed.map(reversed).reverse()
    : checked(parsed, action, name === "-" ? "<stdin>" : name);
  for (const path of files.flatMap(({ old, now }) => [old, now])) checkName(path);
  const shows = options.has("stat", "numstat", "summary");
  if (!shows || options.has("apply", "check", "index", "cached")) {
    const results = await workedOut(repository, files, options);
    if (!options.has("check")) {
      await write(repository, results, options);
      if (options.has("verbose")) tellApplied(repository, files);
    }
  }
  if (shows) show(files, options);
}

function tellApplied(repository, files) {
  for (const file of files.filter((each) => isHere(repository, each))) {
    note(`Applied patch ${file.old ?? file.now} cleanly.\n`);
  }
}

/** Of a repository's directory only what is below it is patched. */
function isHere(repository, { old, now }) {
  const prefix = repository?.prefix ?? "";
  return prefix === "" || (old ?? now).startsWith(`${prefix}/`);
}

/** Names of git's own patches are those of the repository's top, all others those of where one is. */
function placed(repository, file) {
  if (file.isGit) return file;
  const below = (name) => name && joined(repository?.prefix ?? "", name);
  return { ...file, old: below(file.old), now: below(file.now) };
}

function checkName(name) {
  if (name === undefined) return;
  const isOdd = (part) => ["", ".", ".."].includes(part) || part.toLowerCase() === ".git";
  if (name.split("/").some(isOdd)) throw failed(`invalid path '${name}'`, 128);
}

/** Where files are: without a repository those of the working directory are meant. */
const treeOf = (repository) => repository ?? { file: (path) => absolute(path), top: started.cwd };

/** What becomes of each file. @throws {Failure} where one does not fit: nothing is done then. */
export async function workedOut(repository, files, options) {
  const index = options.has("index", "cached") ? await readIndex(repository) : undefined;
  const tracked = options.has("index") ? await readTracked(repository) : undefined;
  const results = new Map();
  const problems = [];
  for (const file of files) {
    const name = file.old ?? file.now;
    if (!isHere(repository, file)) {
      if (options.has("verbose")) note(`Skipped patch '${name}'.\n`);
      continue;
    }
    if (options.has("verbose")) note(`Checking patch ${name}...\n`);
    try {
      if (file.binary) throw failed(`cannot apply binary patch to '${name}' here`);
      const { text, mode } = await before({ repository, index, tracked, results }, file, name, options);
      const lines = applied(linesOf(text), file.hunks, name, (number, line, offset) => {
        if (!options.has("verbose")) return;
        const off = options.has("reverse") ? -offset : offset;
        note(`Hunk #${number} succeeded at ${line} (offset ${off} line${off === 1 ? "" : "s"}).\n`);
      });
      const isGone = file.isGone || file.now === undefined;
      if (isGone && lines.length > 0) {
        throw failed(`removal patch leaves file contents\nerror: ${name}: patch does not apply`);
      }
      if (isGone || (file.from !== undefined && !file.copies)) results.set(name, { gone: true });
      if (!isGone) results.set(file.now, { text: lines.join(""), mode: file.mode ?? mode });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      problems.push(error.message);
    }
  }
  if (problems.length > 0) throw new Failure(problems.join(""), 1);
  return results;
}

/** What a file is that a patch is for. @throws {Failure} if it is not there, or should not be. */
async function before({ repository, index, tracked, results }, file, name, options) {
  const tree = treeOf(repository);
  const [own, earlier, cached] = [index?.files.get(name), results.get(name), options.has("cached")];
  for (const path of [name, file.now ?? name]) if (!cached) checkWay(tree, path);
  if (file.isNew || file.old === undefined) {
    if (earlier ? !earlier.gone : cached ? own : lstat(tree.file(file.now))) {
      throw failed(`${file.now}: already exists in ${cached ? "index" : "working directory"}`);
    }
    return { text: "", mode: "100644" };
  }
  if (earlier) {
    if (earlier.gone) throw failed(`path ${name} has been renamed/deleted`);
    return earlier;
  }
  if (index && !own) throw failed(`${name}: does not exist in index`);
  if (cached) {
    return { text: charsOf((await repository.objects.read(own.oid, "blob")).bytes), mode: own.mode };
  }
  if (tracked && tracked.get(name)?.oid !== own.oid) throw failed(`${name}: does not match index`);
  const found = fileAt(tree, name);
  if (!found) throw failed(`${name}: ${lstat(tree.file(name)) ? "wrong type" : "No such file or directory"}`);
  return { text: charsOf(bytesAt(found.file, found.there)), mode: found.mode };
}

/** A link may lead anywhere. */
function checkWay(tree, path) {
  for (let at = path.indexOf("/"); at > 0; at = path.indexOf("/", at + 1)) {
    if (lstat(tree.file(path.slice(0, at)))?.type === "symlink") {
      throw failed(`affected file '${path}' is beyond a symbolic link`);
    }
  }
}

export async function write(repository, results, options) {
  if (options.has("index", "cached")) {
    const todo = [...results].map(([name, { gone, text, mode }]) => {
      const file = gone ? undefined : { mode, oid: repository.objects.write("blob", bytesOfChars(text)) };
      return [name, file];
    });
    if (options.has("index")) return await applyFiles(repository, todo);
    return await repository.index((index) => {
      for (const [path, file] of todo) file ? put(index, path, file) : drop(index, path);
    });
  }
  const tree = treeOf(repository);
  for (const [name, { gone }] of results) if (gone) removeWorkFile(tree, name);
  for (const [name, { gone, text, mode }] of results) {
    if (!gone) writeFile(tree, name, mode, bytesOfChars(text));
  }
}

function show(files, options) {
  const changes = files.map(({ old, now, from, isNew, isGone, oldMode, mode }) => ({
    path: now ?? old,
    from: from ?? now ?? old,
    status: isNew || old === undefined
      ? "A"
      : isGone || now === undefined
      ? "D"
      : from === undefined
      ? "M"
      : "R",
    score: 100,
    old: { mode: oldMode ?? mode ?? "100644" },
    now: { mode: mode ?? "100644" },
  }));
  const counted = (hunks, sign) =>
    hunks.flatMap(({ lines }) => lines).filter((line) => line[0] === sign).length;
  const counts = files.map(({ hunks }) => ({ added: counted(hunks, "+"), deleted: counted(hunks, "-") }));
  // Its column is wider than that of `diff --stat`.
  if (options.has("stat")) {
    out(statText(changes, counts).replace(/\| +(\d+)/g, (_, count) => `|${count.padStart(5)}`));
  }
  if (options.has("numstat")) out(numStat(changes, counts));
  if (options.has("summary")) out(summaryText(changes));
}
