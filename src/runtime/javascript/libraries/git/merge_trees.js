/** Joins the files of two commits that come from one. */
import { changesBetween, contentOf, SUBMODULE, withRenames } from "./compare.js";
import { mergeText } from "./merge_text.js";
import { byName } from "./objects.js";
import { mergeBases } from "./revisions.js";
import { fatal, lstat, note } from "./system.js";
import { Ignored } from "./ignored.js";
import { drop, put, putConflict, readIndex, readTracked, removeWorkFile, writeFile } from "./worktree.js";

const same = (a, b) => a?.oid === b?.oid && a?.mode === b?.mode;
const isFile = ({ mode }) => mode.startsWith("100");

/**
 * @param sides Files by their paths: `base`, `ours`, `theirs`. @param labels What messages and markers call them.
 * @returns the files, those with a conflict, and what is to be told.
 */
export async function mergeFiles(repository, sides, labels, options = {}) {
  const { base, ours, theirs, renamed } = await followRenames(repository, sides, labels);
  const files = new Map();
  const stages = new Map();
  const notes = [];
  for (const path of [...new Set([...base.keys(), ...ours.keys(), ...theirs.keys()])].sort(byName)) {
    const [o, a, b] = [base.get(path), ours.get(path), theirs.get(path)];
    const lost = renamed.get(path);
    if (lost && (!a || !b)) {
      const kept = a ?? b;
      const [by, other] = a ? [labels.ours, labels.theirs] : [labels.theirs, labels.ours];
      notes.push(`CONFLICT (rename/delete): ${lost} renamed to ${path} in ${by}, but deleted in ${other}.\n`);
      files.set(path, kept);
      stages.set(path, { 1: o, [a ? 2 : 3]: kept });
    } else if (same(a, b) || same(o, b)) {
      if (a) files.set(path, a);
    } else if (same(o, a)) {
      if (b) files.set(path, b);
    } else if (a && b) await both(path, o, a, b);
    else {
      const kept = a ?? b;
      const [by, other] = a ? [labels.ours, labels.theirs] : [labels.theirs, labels.ours];
      notes.push(
        `CONFLICT (modify/delete): ${path} deleted in ${other} and modified in ${by}.  Version ${by} of ${path} left in tree.\n`,
      );
      files.set(path, kept);
      stages.set(path, { 1: o, [a ? 2 : 3]: kept });
    }
  }
  for (const path of files.keys()) {
    for (let at = path.indexOf("/"); at > 0; at = path.indexOf("/", at + 1)) {
      if (files.has(path.slice(0, at))) {
        throw fatal(
          `${
            path.slice(0, at)
          } is a file on one side and a directory on the other: this can't be merged here`,
        );
      }
    }
  }
  return { files, stages, notes, conflicts: [...stages.keys()] };

  async function both(path, o, a, b) {
    if (!isFile(a) || !isFile(b)) {
      throw fatal(`${path}: links and submodules that differ can't be merged here`);
    }
    const base = o && isFile(o) ? o : undefined;
    const contents = {
      base: await contentOf(repository, base),
      ours: await contentOf(repository, a),
      theirs: await contentOf(repository, b),
    };
    const mode = base && a.mode === base.mode ? b.mode : a.mode;
    notes.push(`Auto-merging ${path}\n`);
    if (a.oid === b.oid) return void files.set(path, { mode, oid: a.oid });
    if (base && base.oid === a.oid) return void files.set(path, { mode, oid: b.oid });
    if (base && base.oid === b.oid) return void files.set(path, { mode, oid: a.oid });
    const moved = renamed.names.get(path);
    const named = {
      ...labels,
      ours: moved?.ours ? `${labels.ours}:${moved.ours}` : labels.ours,
      theirs: moved?.theirs ? `${labels.theirs}:${moved.theirs}` : labels.theirs,
    };
    const joined = mergeText(contents, named, {
      style: await repository.config.get("merge.conflictstyle"),
      ...options,
    });
    if (!joined) {
      const favoured = options.favour === "theirs" ? b : a;
      if (!options.favour) {
        note(`warning: Cannot merge binary files: ${path} (${labels.ours} vs. ${labels.theirs})\n`);
        stages.set(path, { 1: base, 2: a, 3: b });
        notes.push(`CONFLICT (${base ? "content" : "add/add"}): Merge conflict in ${path}\n`);
      }
      return void files.set(path, { mode, oid: favoured.oid });
    }
    files.set(path, { mode, oid: repository.objects.write("blob", joined.bytes) });
    if (joined.conflicts === 0) return;
    notes.push(`CONFLICT (${base ? "content" : "add/add"}): Merge conflict in ${path}\n`);
    stages.set(path, { 1: base, 2: a, 3: b });
  }
}

/** Files that one side has renamed go by their new names on all sides. */
async function followRenames(repository, sides) {
  const moves = {};
  for (const side of ["ours", "theirs"]) {
    const changes = await withRenames(repository, changesBetween(sides.base, sides[side]));
    moves[side] = new Map(
      changes.filter(({ status }) => status === "R").map(({ from, path }) => [from, path]),
    );
  }
  const made = { base: new Map(sides.base), ours: new Map(sides.ours), theirs: new Map(sides.theirs) };
  const renamed = Object.assign(new Map(), { names: new Map() });
  for (const from of new Set([...moves.ours.keys(), ...moves.theirs.keys()])) {
    const [a, b] = [moves.ours.get(from), moves.theirs.get(from)];
    if (a !== undefined && b !== undefined && a !== b) {
      throw fatal(
        `${from} was renamed to ${a} on one side and to ${b} on the other: this can't be merged here`,
      );
    }
    const to = a ?? b;
    const other = a !== undefined && b !== undefined ? undefined : a === undefined ? "ours" : "theirs";
    if (other && made[other].has(to)) continue;
    made.base.set(to, sides.base.get(from));
    made.base.delete(from);
    if (!other) continue;
    const there = made[other].get(from);
    made[other].delete(from);
    if (there) {
      made[other].set(to, there);
      if (!same(there, sides.base.get(from))) {
        renamed.names.set(to, { [other]: from, [other === "ours" ? "theirs" : "ours"]: to });
      }
    } else renamed.set(to, from);
  }
  return { ...made, renamed };
}

/** The files that two commits come from; of several best ancestors what becomes of merging them. */
export async function baseFiles(repository, ours, theirs, depth = 0) {
  const { objects } = repository;
  const bases = await mergeBases(objects, ours, theirs);
  const filesOf = async (oid) => await objects.files((await objects.commit(oid)).tree);
  if (bases.length === 0) return { bases, files: new Map() };
  let files = await filesOf(bases[0]);
  if (depth > 20) throw fatal("the histories cross too often to be merged here");
  for (const [at, next] of bases.slice(1).entries()) {
    const below = await baseFiles(repository, bases[at], next, depth + 1);
    const labels = {
      ours: "Temporary merge branch 1",
      theirs: "Temporary merge branch 2",
      base: "merged common ancestors",
    };
    files =
      (await mergeFiles(repository, { base: below.files, ours: files, theirs: await filesOf(next) }, labels))
        .files;
  }
  return { bases, files };
}

/** Brings index and work tree to what a merge has made of them. @throws {Failure} if changes would be lost; nothing is done then. */
export async function writeMerged(repository, ours, { files, stages }, { verb, overwritten }) {
  const tracked = await readTracked(repository);
  const index = await readIndex(repository);
  const rules = await new Ignored(repository).load();
  const todo = [];
  const [changed, untracked] = [[], []];
  for (const path of new Set([...ours.keys(), ...files.keys()])) {
    const [old, now] = [ours.get(path), files.get(path)];
    if (same(old, now) && !stages.has(path)) continue;
    todo.push([path, now]);
    const own = index.files.get(path);
    if (own && (!same(own, old) || !same(tracked.get(path), own))) changed.push(path);
    else if (!own && now && !old && lstat(repository.file(path)) && !rules.has(path)) untracked.push(path);
  }
  if (changed.length > 0 || untracked.length > 0) {
    const [what, advice] = verb === "merge"
      ? ["merge", "merge"]
      : ["merge", verb === "stash" ? "merge" : verb];
    throw overwritten({ changed, untracked, verb: what, advice });
  }
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
      const stats = same(tracked.get(path), now) && !stages.has(path)
        ? undefined
        : writeFile(repository, path, now.mode, bytes);
      if (stages.has(path)) putConflict(index, path, stages.get(path));
      else put(index, path, { ...now, stats });
    }
  });
}
