/** `stash`. */
import { changesBetween } from "../compare.js";
import { DIFF_OPTIONS, selected, wantedOf } from "../diff_options.js";
import { untrackedFiles } from "../ignored.js";
import { mergeFiles, writeMerged } from "../merge_trees.js";
import { commitBytes } from "../objects.js";
import { parseOptions } from "../options.js";
import { printChanges } from "../patch.js";
import { partsOf } from "../pretty.js";
import { openRepository } from "../repository.js";
import { commitOf } from "../revisions.js";
import { failed, Failure, fatal, lstat, out, readBytes, removeFile } from "../system.js";
import {
  apply,
  force,
  overwritten,
  Pathspec,
  readIndex,
  readTracked,
  removeWorkFile,
  writeFile,
} from "../worktree.js";
import { log } from "./log.js";
import { filesBelow, headFiles } from "./staging.js";
import { resetIndex } from "./restoring.js";
import { longText, lookAround } from "./status.js";
import { checkout } from "./switching.js";

const REF = "refs/stash";

export async function stash(args) {
  const [verb = "push", ...rest] = args;
  const known = {
    push,
    save: push,
    list,
    pop,
    apply: applyStash,
    drop: dropStash,
    clear,
    show,
    branch,
    create,
    store,
  };
  const repository = await openRepository();
  if (verb.startsWith("-")) return await push(repository, args);
  if (!Object.hasOwn(known, verb)) {
    throw fatal(`subcommand wasn't specified; 'push' can't be assumed due to unexpected token '${verb}'`);
  }
  return await known[verb](repository, rest, verb);
}

async function push(repository, args, verb) {
  const options = parseOptions(
    "stash push",
    args,
    "m|message= u|include-untracked a|all S|staged k|keep-index no-keep-index q|quiet !p|patch",
  );
  const saved = verb === "save" && options.everything.length > 0;
  const pathspec = new Pathspec(repository, saved ? [] : options.everything);
  const message = options.value("message") ?? (saved ? options.everything.join(" ") : undefined);
  const made = await makeEntry(repository, { options, pathspec, message });
  if (!made) {
    if (!options.has("quiet")) {
      out(
        `No ${options.has("staged") ? "staged" : "local"} changes${
          options.has("staged") ? "" : " to save"
        }\n`,
      );
    }
    return options.has("staged") ? 1 : 0;
  }
  const { oid, title, who, before, staged, touched, others } = made;
  await repository.refs.update(REF, oid, { who, why: title });
  if (!options.has("quiet")) out(`Saved working directory and index state ${title}\n`);
  const keeps = options.last("keep-index", "no-keep-index") === "keep-index";
  const target = keeps ? staged : before;
  if (pathspec.isEmpty && !options.has("staged")) await force(repository, target);
  else await apply(repository, touched.map((path) => [path, target.get(path)]));
  for (const path of others) removeWorkFile(repository, path);
}

async function untrackedOf(repository, files, { options, pathspec }) {
  if (!options.has("include-untracked", "all")) return [];
  const { untracked, ignored } = await untrackedFiles(repository, files, {
    ignored: options.has("all"),
  });
  const found = options.has("all")
    ? [...untracked, ...ignored].flatMap((path) =>
      path.endsWith("/") ? filesBelow(repository, path.slice(0, -1)) : [path]
    )
    : untracked;
  return found.filter((path) => pathspec.matches(path) && !path.endsWith("/"));
}

/** Writes what is changed as commits. @returns undefined if nothing is. */
async function makeEntry(repository, { options, pathspec, message: given }) {
  const { refs, objects } = repository;
  const head = await refs.head();
  if (!head.oid) throw new Failure("You do not have the initial commit yet\n", 1);
  const before = await headFiles(repository);
  const { files, unmerged } = await readIndex(repository);
  if (unmerged.size > 0) {
    throw new Failure([...unmerged.keys()].map((path) => `${path}: needs merge\n`).join(""), 1);
  }
  const tracked = await readTracked(repository);
  const others = await untrackedOf(repository, files, { options, pathspec });
  const named = [...new Set([...before.keys(), ...files.keys()])].filter((path) => pathspec.matches(path));
  const [missing] = pathspec.unused;
  if (missing !== undefined) {
    throw new Failure(
      `error: pathspec ':(,prefix:0)${missing}' did not match any file(s) known to git\nDid you forget to 'git add'?\n`,
      1,
    );
  }
  const differs = (a, b) => a?.oid !== b?.oid || a?.mode !== b?.mode;
  const isStaged = (path) => differs(before.get(path), files.get(path));
  const isEdited = (path) => files.has(path) && differs(files.get(path), tracked.get(path));
  const touched = named.filter((path) => isStaged(path) || (!options.has("staged") && isEdited(path)));
  if (touched.length === 0 && others.length === 0) return undefined;
  const edited = options.has("staged") && touched.find(isEdited);
  if (edited) {
    throw fatal(`git stash push --staged is not supported here where more is changed than staged: ${edited}`);
  }
  const staged = new Map(pathspec.isEmpty ? files : before);
  const now = new Map(before);
  for (const path of touched) {
    const [own, current] = [files.get(path), files.has(path) ? tracked.get(path) : undefined];
    if (own) staged.set(path, own);
    else staged.delete(path);
    if (!current) now.delete(path);
    else {now.set(path, {
        mode: current.mode,
        oid: current.file === undefined ? current.oid : objects.write("blob", bytesOf(current)),
      });}
  }
  const { message } = await objects.commit(head.oid);
  const where = head.ref ? head.branch.replace(/^.*\//, "") : "(no branch)";
  const about = `${where}: ${await objects.short(head.oid)} ${partsOf(message).subject}`;
  const who = await repository.person("COMMITTER");
  const author = await repository.person("AUTHOR");
  const make = (files, parents, message) =>
    objects.write(
      "commit",
      commitBytes({ tree: objects.writeTree(files), parents, author, committer: who, message }),
    );
  const index = make(staged, [head.oid], `index on ${about}\n`);
  const untracked = others.length === 0 ? [] : [make(
    new Map(others.map((path) => {
      const bytes = readBytes(repository.file(path)) ?? new Uint8Array(0);
      return [path, {
        mode: lstat(repository.file(path)).mode & 0o100 ? "100755" : "100644",
        oid: objects.write("blob", bytes),
      }];
    })),
    [],
    `untracked files on ${about}\n`,
  )];
  const title = given === undefined ? `WIP on ${about}` : `On ${where}: ${given}`;
  const oid = make(now, [head.oid, index, ...untracked], title);
  return { oid, title, who, before, staged, touched, others };
}

/** Makes an entry that nothing leads to yet, and leaves everything as it is. */
async function create(repository, args) {
  const options = parseOptions("stash create", [], "");
  const message = args.length > 0 ? args.join(" ") : undefined;
  const made = await makeEntry(repository, { options, pathspec: new Pathspec(repository, []), message });
  if (made) out(`${made.oid}\n`);
}

async function store(repository, args) {
  const options = parseOptions("stash store", args, "m|message= q|quiet");
  const [name, ...more] = options.operands;
  if (name === undefined || more.length > 0) {
    throw new Failure('"git stash store" requires one <commit> argument\n', 1);
  }
  const oid = await commitOf(repository, name);
  const { parents } = await repository.objects.commit(oid);
  if (parents.length < 2) throw failed(`'${name}' is not a stash-like commit`);
  const why = options.value("message") ?? 'Created via "git stash store".';
  await repository.refs.update(REF, oid, await repository.because(why));
}

const bytesOf = ({ file }) => readBytes(file) ?? new Uint8Array(0);

async function list({ refs }, args) {
  if (!await refs.resolve(REF)) return;
  await log(["-g", "--first-parent", "--format=%gd: %gs", ...args, "stash", "--"]);
}

/** The entry of a name; the newest one without it. */
async function entryOf(repository, name) {
  const { refs, objects } = repository;
  const log = refs.log(REF);
  if (log.length === 0) {
    throw name === undefined
      ? new Failure("No stash entries found.\n", 1)
      : failed(`${name} is not a valid reference`);
  }
  const at = name === undefined
    ? 0
    : Number(/^(?:stash@\{)?(\d+)\}?$/.exec(name)?.[1] ?? (name === "stash" ? 0 : NaN));
  if (Number.isNaN(at)) throw failed(`'${name}' is not a stash-like commit`);
  if (at >= log.length) throw failed(`stash@{${at}} is not a valid reference`);
  const commit = await objects.commit(log[at].after);
  return { at, commit, oid: log[at].after };
}

async function applyStash(repository, args, verb) {
  const options = parseOptions(`stash ${verb}`, args, "q|quiet index");
  const entry = await entryOf(repository, options.operands[0]);
  return await restore(repository, entry, options);
}

/** @returns an exit code. */
async function restore(repository, { commit }, options) {
  const { objects } = repository;
  const filesOf = async (oid) => await objects.files((await objects.commit(oid)).tree);
  const base = await filesOf(commit.parents[0]);
  const { files: index, unmerged } = await readIndex(repository);
  if (unmerged.size > 0) {
    throw new Failure([...unmerged.keys()].map((path) => `${path}: needs merge\n`).join(""), 1);
  }
  const untracked = commit.parents[2] ? await filesOf(commit.parents[2]) : new Map();
  const inTheWay = [...untracked.keys()].filter((path) => lstat(repository.file(path)));
  if (inTheWay.length > 0) {
    throw new Failure(
      `${
        inTheWay.map((path) => `${path} already exists, no checkout\n`).join("")
      }error: could not restore untracked files from stash\n`,
      1,
    );
  }
  const theirs = await objects.files(commit.tree);
  const labels = { ours: "Updated upstream", theirs: "Stashed changes", base: "Stash base" };
  const merged = await mergeFiles(repository, { base, ours: index, theirs }, labels);
  const stagedThere = await filesOf(commit.parents[1]);
  await writeMerged(repository, index, merged, { verb: "stash", overwritten });
  if (changesBetween(base, theirs).length === 0) out("Already up to date.\n");
  for (const line of merged.notes) out(line);
  if (merged.conflicts.length === 0) {
    // What was new stays in the index; other changes are left in the work tree alone.
    const kept = new Map(index);
    for (const [path, file] of merged.files) if (!index.has(path)) kept.set(path, file);
    if (options.has("index")) {
      for (const { path, now } of changesBetween(base, stagedThere)) {
        if (now) kept.set(path, now);
        else kept.delete(path);
      }
    }
    await resetIndex(repository, kept);
  }
  await repository.index(async () => {
    for (const [path, { mode, oid }] of untracked) {
      writeFile(repository, path, mode, (await objects.read(oid, "blob")).bytes);
    }
  });
  if (!options.has("quiet")) {
    out(await longText(repository, await lookAround(repository), { untracked: "normal" }));
  }
  return merged.conflicts.length > 0 ? 1 : 0;
}

async function pop(repository, args) {
  const options = parseOptions("stash pop", args, "q|quiet index");
  const entry = await entryOf(repository, options.operands[0]);
  const code = await restore(repository, entry, options);
  if (code === 0) return await remove(repository, entry, options);
  out("The stash entry is kept in case you need it again.\n");
  return code;
}

async function dropStash(repository, args) {
  const options = parseOptions("stash drop", args, "q|quiet");
  await remove(repository, await entryOf(repository, options.operands[0]), options);
}

async function remove({ refs }, { at, oid }, options) {
  const left = refs.log(REF).filter((_, each) => each !== at);
  if (left.length === 0) await refs.remove(REF);
  else {
    refs.writeLog(REF, left);
    await refs.update(REF, left[0].after);
  }
  const name = options.operands[0] === undefined ? `refs/stash@{${at}}` : `stash@{${at}}`;
  if (!options.has("quiet")) out(`Dropped ${name} (${oid})\n`);
}

async function clear({ refs }) {
  if (await refs.resolve(REF)) await refs.remove(REF);
  removeFile(refs.file(`logs/${REF}`));
}

async function show(repository, args) {
  const options = parseOptions(
    "stash show",
    args.map((arg) => arg === "-u" ? "--include-untracked" : arg),
    `include-untracked no-include-untracked only-untracked ${DIFF_OPTIONS}`,
  );
  const { commit } = await entryOf(repository, options.operands[0]);
  const { objects } = repository;
  const filesOf = async (oid) => await objects.files((await objects.commit(oid)).tree);
  const untracked = commit.parents[2] && options.has("include-untracked", "only-untracked")
    ? await filesOf(commit.parents[2])
    : new Map();
  const [base, now] = options.has("only-untracked")
    ? [new Map(), untracked]
    : [await filesOf(commit.parents[0]), new Map([...await objects.files(commit.tree), ...untracked])];
  const wanted = await wantedOf(repository, options, ["stat"]);
  await printChanges(repository, await selected(repository, changesBetween(base, now), wanted), wanted);
}

/** Goes on with an entry on a branch of its own, at the commit that it was made on. */
async function branch(repository, args) {
  const [name, given, ...more] = args;
  if (name === undefined || more.length > 0) throw new Failure("No branch name specified\n", 1);
  const entry = await entryOf(repository, given);
  await checkout(["-b", name, entry.commit.parents[0]]);
  const options = parseOptions(
    "stash branch",
    ["--index", ...given === undefined ? [] : [given]],
    "index q|quiet",
  );
  // What there is now it reads anew.
  const there = await openRepository();
  const code = await restore(there, entry, options);
  return code === 0 ? await remove(there, entry, options) : code;
}
