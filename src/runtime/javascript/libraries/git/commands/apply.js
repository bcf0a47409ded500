/** `apply`: a patch, or none of it. */
import { linesOf } from "../compare.js";
import { parseOptions } from "../options.js";
import { numStat, statText, summaryText } from "../patch.js";
import { applied, parsePatch, reversed } from "../patches.js";
import { findRepository, openRepository } from "../repository.js";
import {
  absolute,
  decode,
  encode,
  failed,
  Failure,
  fatal,
  lstat,
  makeDirectory,
  note,
  out,
  parentOf,
  readBytes,
  readInput,
  removeFile,
  setMode,
  writeBytes,
} from "../system.js";
import { apply as applyFiles, drop, put, readIndex, readTracked } from "../worktree.js";

const EXECUTABLE = "100755";
const LINK = "120000";

export async function apply(args) {
  const options = parseOptions(
    "apply",
    args,
    `check stat numstat summary apply R|reverse index cached v|verbose q|quiet p= whitespace= allow-empty !recount !unidiff-zero
    !3|3way !reject !directory= !C= !exclude= !include= !unsafe-paths !inaccurate-eof !build-fake-ancestor= !z binary !N|intent-to-add
    !ignore-whitespace !ignore-space-change`,
  );
  const repository = findRepository() ? await openRepository() : undefined;
  const staged = options.has("index", "cached");
  if (staged && !repository) throw fatal("--index outside a repository");
  const names = options.everything.length > 0 ? options.everything : ["-"];
  const text = names.map((name) => {
    const bytes = name === "-" ? readInput() : readBytes(absolute(name));
    if (bytes === undefined) {
      throw new Failure(`error: can't open patch '${name}': No such file or directory\n`, 128);
    }
    return decode(bytes);
  }).join("");
  const strip = options.number("p", 1);
  const parsed = parsePatch(text, strip);
  if (parsed.length === 0) {
    if (options.has("allow-empty")) return;
    throw new Failure('error: No valid patches in input (allow with "--allow-empty")\n', 128);
  }
  const files = options.has("reverse") ? parsed.map(reversed).reverse() : parsed;
  const shows = options.has("stat", "numstat", "summary");
  if (!shows || options.has("apply", "check", "index", "cached")) {
    const worked = await workedOut(repository, files, options);
    if (!options.has("check")) await write(repository, worked, options);
  }
  if (shows) show(files, options);
}

/** What becomes of each file. @throws {Failure} where one does not fit: nothing is done then. */
async function workedOut(repository, files, options) {
  const index = options.has("index", "cached") ? await readIndex(repository) : undefined;
  const tracked = options.has("index") ? await readTracked(repository) : undefined;
  const prefix = repository?.prefix ?? "";
  const results = new Map();
  const place = (name) => repository ? repository.file(name) : absolute(name);
  const problems = [];
  for (const file of files) {
    const name = file.old ?? file.now;
    if (options.has("verbose")) note(`Checking patch ${name}...\n`);
    try {
      if (file.binary) throw failed(`cannot apply binary patch to '${name}' here`);
      if ((file.now ?? "").split("/").includes("..")) throw failed(`invalid path '${file.now}'`);
      // Of a repository's directory only what is below it is patched; names are those of its top.
      if (prefix !== "" && !name.startsWith(`${prefix}/`)) continue;
      const isNew = file.isNew || file.old === undefined;
      const own = index?.files.get(name);
      const earlier = results.get(name);
      let before;
      let mode;
      if (isNew) {
        if (earlier ? !earlier.gone : options.has("cached") ? own : lstat(place(file.now))) {
          throw failed(
            `${file.now}: already exists in ${options.has("cached") ? "index" : "working directory"}`,
          );
        }
      } else if (earlier) [before, mode] = [earlier.text, earlier.mode];
      else {
        if (index && !own) throw failed(`${name}: does not exist in index`);
        const now = tracked?.get(name);
        if (tracked && (!now || now.oid !== own.oid)) throw failed(`${name}: does not match index`);
        const found = options.has("cached") ? undefined : lstat(place(name));
        if (!options.has("cached") && !found) throw failed(`${name}: No such file or directory`);
        const bytes = options.has("cached")
          ? (await repository.objects.read(own.oid, "blob")).bytes
          : readBytes(place(name));
        before = decode(bytes);
        mode = own?.mode ?? ((found.mode & 0o100) !== 0 ? EXECUTABLE : "100644");
      }
      if (mode === LINK || file.mode === LINK) throw failed(`${name}: symbolic links are not patched here`);
      const lines = applied(linesOf(before ?? ""), file.hunks, name);
      const isGone = file.isGone || file.now === undefined;
      if (isGone && lines.length > 0) {
        throw failed(`removal patch leaves file contents\nerror: ${name}: patch does not apply`);
      }
      if (isGone || (file.from !== undefined && !file.copies)) results.set(name, { gone: true });
      if (!isGone) results.set(file.now, { text: lines.join(""), mode: file.mode ?? mode ?? "100644" });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      problems.push(error.message);
    }
  }
  if (problems.length > 0) throw new Failure(problems.join(""), 1);
  return { results, place };
}

async function write(repository, { results, place }, options) {
  if (options.has("index", "cached")) {
    const todo = [...results].map(([name, { gone, text, mode }]) => {
      const file = gone ? undefined : { mode, oid: repository.objects.write("blob", encode(text)) };
      return [name, file];
    });
    if (options.has("index")) return await applyFiles(repository, todo);
    return await repository.index((index) => {
      for (const [path, file] of todo) file ? put(index, path, file) : drop(index, path);
    });
  }
  for (const [name, { gone }] of results) if (gone) removeFile(place(name));
  for (const [name, { gone, text, mode }] of results) {
    if (gone) continue;
    makeDirectory(parentOf(place(name)));
    writeBytes(place(name), encode(text));
    if (mode === EXECUTABLE) setMode(place(name), 0o755);
  }
}

function show(files, options) {
  const changes = files.map(({ old, now, from, isNew, isGone, mode }) => ({
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
    old: { mode: mode ?? "100644" },
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
