/** `commit`, and what makes commits of others: `revert`, `cherry-pick`. */
import { changesBetween, SUBMODULE, withRenames } from "../compare.js";
import { commitBytes, EMPTY_TREE } from "../objects.js";
import { mergeFiles, writeMerged } from "../merge_trees.js";
import { parseOptions } from "../options.js";
import { countsOf, shortStat, summaryText } from "../patch.js";
import { partsOf } from "../pretty.js";
import { commitOf } from "../revisions.js";
import { openRepository } from "../repository.js";
import { formatDate, parseDate } from "../dates.js";
import {
  absolute,
  decode,
  Failure,
  fatal,
  isFile,
  note,
  out,
  readInput,
  readText,
  removeFile,
  started,
  stat,
  writeText,
} from "../system.js";
import { drop, force, overwritten, Pathspec, readIndex, readTracked, stage } from "../worktree.js";
import { headFiles } from "./staging.js";
import { longText, lookAround } from "./status.js";

/** Takes away what is no part of a message: space at its ends, more than one empty line, comments if they are. */
export function cleaned(message, mode = "whitespace") {
  if (mode === "verbatim") return message;
  const lines = message.split("\n").filter((line) => mode !== "strip" || !line.startsWith("#")).map((line) =>
    line.trimEnd()
  );
  const text = lines.join("\n").replace(/^\n+/, "").replace(/\n{3,}/g, "\n\n").trimEnd();
  return text === "" ? "" : `${text}\n`;
}

/** Whether the editor that is set takes every message as it is. */
async function hasSilentEditor(repository) {
  const { GIT_EDITOR, VISUAL, EDITOR } = started.env;
  const editor = GIT_EDITOR ?? await repository.config.get("core.editor") ?? VISUAL ?? EDITOR;
  return editor === "true" || editor === ":" || editor === "/bin/true";
}
const noEditor = () =>
  new Failure(
    "error: Terminal is dumb, but EDITOR unset\nPlease supply the message using either -m or -F option.\n",
    1,
  );

const fileIf = (path) => isFile(path) ? readText(path) : undefined;

export async function commit(args) {
  const options = parseOptions(
    "commit",
    args,
    `m|message= F|file= a|all amend q|quiet v|verbose allow-empty allow-empty-message no-edit !e|edit n|no-verify author= date=
    C|reuse-message= s|signoff no-gpg-sign dry-run o|only !i|include cleanup= reset-author !short !porcelain trailer= fixup= no-status
    no-post-rewrite u|untracked-files[=]`,
  );
  const repository = await openRepository();
  const { refs, objects } = repository;
  const head = await refs.head();
  const amend = options.has("amend");
  const merging = fileIf(refs.file("MERGE_HEAD"));
  if (amend && !head.oid) throw fatal("You have nothing to amend.");
  if (amend && merging) throw fatal("You are in the middle of a merge -- cannot amend.");
  const picked = fileIf(refs.file("CHERRY_PICK_HEAD"))?.trim();
  if (amend && picked) throw fatal("You are in the middle of a cherry-pick -- cannot amend.");
  const last = amend ? await objects.commit(head.oid) : undefined;
  if (options.everything.length > 0 && options.has("all")) {
    throw fatal(`paths '${options.everything[0]} ...' with -a does not make sense`);
  }
  const only = options.everything.length > 0 ? new Pathspec(repository, options.everything) : undefined;
  if (only && merging) throw fatal("cannot do a partial commit during a merge.");
  if (options.has("all")) await stageTracked(repository);
  const aside = only && await stageOnly(repository, only);
  const { files, unmerged } = await readIndex(repository);
  if (unmerged.size > 0) {
    for (const path of unmerged.keys()) out(`U\t${path}\n`);
    throw new Failure(
      "error: Committing is not possible because you have unmerged files.\nhint: Fix them up in the work tree, and then use 'git add/rm <file>'\nhint: as appropriate to mark resolution and make a commit.\nfatal: Exiting because of an unresolved conflict.\n",
      128,
    );
  }
  const staged = aside?.files ?? new Map([...files].filter(([, { intent }]) => !intent));
  const base = amend ? last.parents[0] : head.oid;
  const before = base ? await objects.files((await objects.commit(base)).tree) : new Map();
  const tree = objects.writeTree(staged);
  const unchanged = head.oid
    ? tree === (await objects.commit(base ?? head.oid)).tree && (!amend || base !== undefined)
    : staged.size === 0;
  if (
    options.has("dry-run") ||
    (unchanged && !merging && !options.has("allow-empty") && !(amend && last.tree === tree))
  ) {
    if (amend && !options.has("dry-run")) {
      throw new Failure(
        'You asked to amend the most recent commit, but doing so would make\nit empty. You can repeat your command with --allow-empty, or you can\nremove the commit entirely with "git reset HEAD^".\n',
        1,
      );
    }
    const seen = await lookAround(repository);
    out(await longText(repository, seen, { untracked: "normal", committing: !head.oid }));
    return options.has("dry-run") && !unchanged ? 0 : 1;
  }
  if (!options.has("no-verify")) warnOfHooks(repository);
  const message = await messageOf(repository, options, { last });
  if (message.trim() === "" && !options.has("allow-empty-message")) {
    throw new Failure("Aborting commit due to empty commit message.\n", 1);
  }
  const reused = options.has("reuse-message")
    ? await objects.commit(await commitOf(repository, options.value("reuse-message")))
    : last;
  const author = await authorOf(repository, options, reused ?? (picked && await objects.commit(picked)));
  const committer = await repository.person("COMMITTER");
  const parents = amend
    ? last.parents
    : [...head.oid ? [head.oid] : [], ...merging ? merging.trim().split(/\s+/) : []];
  const oid = objects.write("commit", commitBytes({ tree, parents, author, committer, message }));
  if (aside) await aside.commit();
  const { subject } = partsOf(message);
  const kind = amend
    ? " (amend)"
    : parents.length > 1
    ? " (merge)"
    : parents.length === 0
    ? " (initial)"
    : picked
    ? " (cherry-pick)"
    : "";
  await refs.updateHead(oid, { who: committer, why: `commit${kind}: ${subject}` });
  for (const name of ["MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "CHERRY_PICK_HEAD", "REVERT_HEAD"]) {
    removeFile(refs.file(name));
  }
  if (options.has("quiet")) return;
  await tellCommit(repository, {
    oid,
    head,
    root: parents.length === 0,
    subject,
    before,
    author,
    committer,
    merge: parents.length > 1,
    dated: (amend && !options.has("reset-author")) || options.has("date") || picked !== undefined,
  });
}

/** The line about a commit, and what it changed. */
export async function tellCommit(
  repository,
  { oid, head, root, subject, before, author, committer, merge, dated, undated },
) {
  const { objects } = repository;
  const name = head.ref ? head.branch : "detached HEAD";
  out(`[${name}${root ? " (root-commit)" : ""} ${await objects.short(oid)}] ${subject}\n`);
  if (author.name !== committer.name || author.email !== committer.email) {
    out(` Author: ${author.name} <${author.email}>\n`);
  }
  if (dated || !undated && author.time !== committer.time && (author.name !== committer.name)) {
    out(` Date: ${formatDate(author)}\n`);
  }
  if (merge) return;
  const after = await objects.files((await objects.commit(oid)).tree);
  const changes = await withRenames(repository, changesBetween(before, after));
  if (changes.length === 0) return;
  const counts = [];
  for (const change of changes) counts.push(await countsOf(repository, change));
  out(shortStat(counts) + summaryText(changes));
}

/** Says so where git would run something of the repository's. */
function warnOfHooks({ gitdir }) {
  for (const name of ["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"]) {
    const hook = stat(`${gitdir}/hooks/${name}`);
    if (hook && (hook.mode & 0o100) !== 0) note(`warning: the hook ${name} is not run here\n`);
  }
}

async function stageTracked(repository) {
  const { files, unmerged } = await readIndex(repository);
  const tracked = await readTracked(repository);
  await repository.index((index) => {
    for (const [path, old] of [...files, ...unmerged]) {
      const now = tracked.get(path);
      if (old.mode === SUBMODULE) continue;
      if (!now) drop(index, path);
      else if (unmerged.has(path) || now.oid !== old.oid || now.mode !== old.mode) {
        stage(repository, index, path);
      }
    }
  });
}

/** A commit of some paths, whatever else is staged. */
async function stageOnly(repository, pathspec) {
  const { files, unmerged } = await readIndex(repository);
  const tracked = await readTracked(repository);
  const result = await headFiles(repository);
  const chosen = [...new Set([...files.keys(), ...unmerged.keys(), ...result.keys()])].filter((path) =>
    pathspec.matches(path)
  );
  const [missing] = pathspec.unused;
  if (missing !== undefined) {
    throw new Failure(`error: pathspec '${missing}' did not match any file(s) known to git\n`, 1);
  }
  await repository.index((index) => {
    for (const path of chosen) {
      if (tracked.has(path)) {
        stage(repository, index, path);
        result.set(path, tracked.get(path));
      } else {
        drop(index, path);
        result.delete(path);
      }
    }
  });
  return { files: result, commit: () => Promise.resolve() };
}

async function messageOf(repository, options, { last }) {
  const { refs } = repository;
  const mode = options.value("cleanup");
  if (mode !== undefined && !["default", "whitespace", "strip", "verbatim"].includes(mode)) {
    throw fatal(`Invalid cleanup mode ${mode}`);
  }
  const lines = options.all("message");
  let text;
  if (options.has("fixup")) {
    if (options.value("fixup").includes(":")) throw fatal("git commit --fixup=amend: is not supported here");
    const { message } = await repository.objects.commit(await commitOf(repository, options.value("fixup")));
    text = `fixup! ${partsOf(message).subject}\n`;
  } else if (lines.length > 0) text = `${lines.join("\n\n")}\n`;
  else if (options.has("file")) {
    const name = options.value("file");
    text = name === "-" ? decode(readInput()) : fileIf(absolute(name));
    if (text === undefined) throw fatal(`could not read log file '${name}': No such file or directory`);
  } else if (options.has("reuse-message")) {
    text =
      (await repository.objects.commit(await commitOf(repository, options.value("reuse-message")))).message;
  } else {
    const prepared = last?.message ?? fileIf(refs.file("MERGE_MSG"));
    if (!options.has("no-edit") && !(await hasSilentEditor(repository))) throw noEditor();
    text = options.has("no-edit") ? prepared ?? "" : cleaned(prepared ?? "", "strip");
  }
  if (options.has("signoff") || options.has("trailer")) {
    const { name, email } = await repository.person("COMMITTER");
    const trailers = options.has("signoff") ? [`Signed-off-by: ${name} <${email}>`] : [];
    trailers.push(...options.all("trailer").map((each) => each.replace(/^([^:=]+)[:=]\s*/, "$1: ")));
    const body = cleaned(text).trimEnd();
    const follows = /\n\n(?:[A-Za-z-]+: .*\n?)+$/.test(`${body}\n`);
    const added = trailers.filter((each) => !body.endsWith(each));
    if (added.length > 0) text = `${body}${follows ? "\n" : "\n\n"}${added.join("\n")}\n`;
  }
  return cleaned(text, mode === "default" ? "whitespace" : mode);
}

async function authorOf(repository, options, reused) {
  const own = options.value("author");
  const date = options.value("date");
  const when = date === undefined ? undefined : parseDate(date);
  if (date !== undefined && !when) throw fatal(`invalid date format: ${date}`);
  if (own !== undefined) {
    const [, name, email] = /^\s*(.*?)\s*<([^>]*)>\s*$/.exec(own) ?? [];
    if (name === undefined) {
      throw fatal(`--author '${own}' is not 'Name <email>' and matches no existing author`);
    }
    const kept = reused?.author ?? await repository.person("AUTHOR");
    return { ...kept, name, email, ...when };
  }
  if (reused && !options.has("reset-author")) return { ...reused.author, ...when };
  return { ...await repository.person("AUTHOR"), ...when };
}

const REVERT =
  "q|quiet n|no-commit no-edit !e|edit m|mainline= abort continue quit skip s|signoff x allow-empty";

export const revert = (args) => replay("revert", args);
export const cherryPick = (args) => replay("cherry-pick", args);

/** Does again, or undoes, what commits have done. */
async function replay(verb, args) {
  const options = parseOptions(verb, args, REVERT);
  const repository = await openRepository();
  const { refs, objects } = repository;
  const undoes = verb === "revert";
  const marker = undoes ? "REVERT_HEAD" : "CHERRY_PICK_HEAD";
  if (options.has("abort", "quit", "skip", "continue")) {
    return await goOn(repository, options, { verb, marker });
  }
  const names = options.operands;
  if (names.length === 0) {
    throw new Failure(`usage: git ${verb} [--[no-]edit] [-n] [-m <parent-number>] <commit>...\n`, 129);
  }
  const targets = [];
  for (const name of names) {
    if (name.includes("..")) throw fatal(`ranges are not supported by git ${verb} here: name the commits`);
    targets.push(await commitOf(repository, name));
  }
  for (const oid of targets) {
    const target = await objects.commit(oid);
    const number = options.number("mainline", 0);
    if (target.parents.length > 1 && number === 0) {
      throw new Failure(
        `error: commit ${oid} is a merge but no -m option was given.\nfatal: ${verb} failed\n`,
        128,
      );
    }
    if (number > 0 && target.parents.length < 2) {
      throw new Failure(
        `error: mainline was specified but commit ${oid} is not a merge.\nfatal: ${verb} failed\n`,
        128,
      );
    }
    const parent = target.parents[Math.max(0, number - 1)];
    const parentTree = parent ? (await objects.commit(parent)).tree : EMPTY_TREE;
    const { subject } = partsOf(target.message);
    const head = await refs.head();
    const ours = await headFiles(repository);
    const { files, unmerged } = await readIndex(repository);
    const dirty = unmerged.size > 0 || changesBetween(ours, files).length > 0;
    if (dirty && !options.has("no-commit")) {
      throw new Failure(
        `error: your local changes would be overwritten by ${verb}.\nhint: commit your changes or stash them to proceed.\nfatal: ${verb} failed\n`,
        128,
      );
    }
    const [base, theirs] = undoes ? [target.tree, parentTree] : [parentTree, target.tree];
    const short = await objects.short(oid);
    const labels = undoes
      ? { ours: "HEAD", theirs: `parent of ${short} (${subject})`, base: `${short} (${subject})` }
      : { ours: "HEAD", theirs: `${short} (${subject})`, base: `parent of ${short} (${subject})` };
    const merged = await mergeFiles(repository, {
      base: await objects.files(base),
      ours: options.has("no-commit") ? files : ours,
      theirs: await objects.files(theirs),
    }, labels);
    const message = undoes
      ? revertMessage(target, subject)
      : options.has("x")
      ? `${cleaned(target.message)}${
        /\n\n\(cherry picked from/.test(target.message) ? "" : "\n"
      }(cherry picked from commit ${oid})\n`
      : target.message;
    await writeMerged(repository, options.has("no-commit") ? files : ours, merged, { verb, overwritten });
    for (const line of merged.notes) out(line);
    if (merged.conflicts.length > 0) {
      if (!options.has("no-commit")) writeText(refs.file(marker), `${oid}\n`);
      writeText(
        refs.file("MERGE_MSG"),
        `${message}\n# Conflicts:\n${merged.conflicts.map((path) => `#\t${path}\n`).join("")}`,
      );
      throw new Failure(
        `error: could not ${undoes ? "revert" : "apply"} ${short}... ${subject}\n` +
          'hint: After resolving the conflicts, mark them with\nhint: "git add/rm <pathspec>", then run\n' +
          `hint: "git ${verb} --continue".\nhint: You can instead skip this commit with "git ${verb} --skip".\n` +
          `hint: To abort and get back to the state before "git ${verb}",\nhint: run "git ${verb} --abort".\n` +
          'hint: Disable this message with "git config advice.mergeConflict false"\n',
        1,
      );
    }
    if (options.has("no-commit")) continue;
    const tree = objects.writeTree(merged.files);
    if (head.oid && tree === (await objects.commit(head.oid)).tree && !options.has("allow-empty")) {
      if (!undoes) writeText(refs.file(marker), `${oid}\n`);
      const seen = await lookAround(repository);
      out(await longText(repository, seen, { untracked: "normal" }));
      if (undoes) return 1;
      note(
        "The previous cherry-pick is now empty, possibly due to conflict resolution.\nIf you wish to commit it anyway, use:\n\n    git commit --allow-empty\n\nOtherwise, please use 'git cherry-pick --skip'\n",
      );
      return 1;
    }
    const author = undoes ? await repository.person("AUTHOR") : target.author;
    const committer = await repository.person("COMMITTER");
    const signed = options.has("signoff")
      ? `${cleaned(message)}\nSigned-off-by: ${committer.name} <${committer.email}>\n`
      : message;
    const made = objects.write(
      "commit",
      commitBytes({ tree, parents: [head.oid], author, committer, message: signed }),
    );
    await refs.updateHead(made, { who: committer, why: `${verb}: ${partsOf(signed).subject}` });
    await tellCommit(repository, {
      oid: made,
      head,
      subject: partsOf(signed).subject,
      before: ours,
      author,
      committer,
      dated: true,
    });
  }
}

const revertMessage = (target, subject) => {
  const again = /^Revert "(.*)"$/s.exec(subject)?.[1];
  const title = again !== undefined && !again.startsWith('Revert "')
    ? `Reapply "${again}"`
    : `Revert "${subject}"`;
  const merge = target.parents.length > 1 ? `, reversing\nchanges made to ${target.parents[0]}` : "";
  return `${title}\n\nThis reverts commit ${target.oid}${merge}.\n`;
};

async function goOn(repository, options, { verb, marker }) {
  const { refs, objects } = repository;
  if (!isFile(refs.file(marker))) {
    const what = options.has("skip") ? verb : "cherry-pick or revert";
    throw new Failure(`error: no ${what} in progress\nfatal: ${verb} failed\n`, 128);
  }
  if (options.has("continue")) return await commit(["--no-edit"]);
  if (!options.has("quit")) {
    const head = await refs.head();
    await force(
      repository,
      head.oid ? await objects.files((await objects.commit(head.oid)).tree) : new Map(),
    );
  }
  for (const name of [marker, "MERGE_MSG"]) removeFile(refs.file(name));
}
