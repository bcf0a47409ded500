/** `rebase`: commits of a branch made again on top of another one. */
import { changesBetween } from "../compare.js";
import { commitBytes } from "../objects.js";
import { parseOptions } from "../options.js";
import { patchId, patchIds } from "../patch_ids.js";
import { partsOf } from "../pretty.js";
import { openRepository } from "../repository.js";
import { ancestors, commitOf, isRevision, mergeBases } from "../revisions.js";
import { edit, editorOf } from "../shell.js";
import {
  failed,
  Failure,
  fatal,
  isFile,
  note,
  out,
  readText,
  removeFile,
  removeTree,
  writeText,
} from "../system.js";
import { force, moveTo, readIndex, readTracked } from "../worktree.js";
import { cleaned, tellCommit } from "./commit.js";
import { parseList, shownList, squashedOf, withCommands } from "./rebase_list.js";
import { LINE, stateFile, stateOf, writeTodo } from "./rebase_state.js";
import { amend, melded, step } from "./rebase_steps.js";
import { headFiles } from "./staging.js";
import { upstreamOf } from "./status.js";

const BESIDE = ["REBASE_HEAD", "CHERRY_PICK_HEAD", "MERGE_MSG"];

export async function rebase(args) {
  const options = parseOptions(
    "rebase",
    args,
    `onto= continue skip abort quit q|quiet v|verbose f|no-ff|force-rebase m|merge stat n|no-stat i|interactive !root x|exec=
    !r|rebase-merges autosquash no-autosquash !autostash no-autostash no-verify keep-empty no-keep-empty reapply-cherry-picks
    no-reapply-cherry-picks !edit-todo !show-current-patch !s|strategy= X|strategy-option= !keep-base !fork-point no-fork-point
    no-gpg-sign !empty=`,
  );
  const odd = options.all("strategy-option").find((each) => !["ours", "theirs"].includes(each));
  if (odd !== undefined) throw fatal(`the strategy option ${odd} is not supported here: ours and theirs are`);
  if (options.operands.length > 2) throw fatal("git rebase takes an upstream and a branch, no more", 129);
  const repository = await openRepository();
  if (options.has("continue", "skip", "abort", "quit")) return await goOn(repository, options);
  if (isFile(stateFile(repository, "head-name"))) {
    throw fatal(
      "It seems that there is already a rebase-merge directory, and\nI wonder if you are in the middle of another rebase.  If that is the\ncase, please try\n\tgit rebase (--continue | --abort | --skip)\nIf that is not the case, please\n" +
        '\trm -fr ".git/rebase-merge"\nand run me again.  I am stopping in case you still have something\nvaluable there.\n',
    );
  }
  return await begin(repository, options);
}

/** @param options Also of `pull`, which knows what is to be the base. */
export async function begin(repository, options, base) {
  const { refs, objects } = repository;
  const [named, branch] = base ? [base] : options.operands;
  const current = await refs.head();
  const upstream = named ?? await followed(repository, current);
  if (!await isRevision(repository, upstream)) throw fatal(`invalid upstream '${upstream}'`);
  const over = await commitOf(repository, upstream);
  const ontoName = options.value("onto") ?? upstream;
  if (!await isRevision(repository, ontoName)) throw fatal(`Does not point to a valid commit '${ontoName}'`);
  const onto = await commitOf(repository, ontoName);
  const start = branch === undefined ? current : await startOf(repository, branch);
  await checkClean(repository);
  const quiet = options.has("quiet");
  const ours = await ancestors(objects, [start.oid]);
  const theirs = await ancestors(objects, [over]);
  const picks = await ordered(objects, start.oid, theirs);
  const bases = await mergeBases(objects, onto, start.oid);
  const linear = [...ours].filter((oid) => !theirs.has(oid)).length === picks.length;
  if (bases.length === 1 && bases[0] === onto && over === onto && linear && !changesList(options)) {
    if (branch !== undefined) await arrive(repository, start, current);
    if (!quiet) out(`${start.ref ? `Current branch ${start.branch}` : "HEAD"} is up to date.\n`);
    return;
  }
  const applied = options.has("reapply-cherry-picks") ? new Set() : await patchIds(repository, theirs, ours);
  const todo = [];
  for (const oid of picks) {
    const { message, parents } = await objects.commit(oid);
    const line = `pick ${oid} ${partsOf(message).subject}`;
    if (applied.size > 0 && parents.length > 0 && applied.has(await patchId(repository, oid))) {
      note(`warning: skipped previously applied commit ${await objects.short(oid)}\n`);
    } else todo.push(line);
  }
  if (todo.length < picks.length) {
    note(
      'hint: use --reapply-cherry-picks to include skipped commits\nhint: Disable this message with "git config advice.skippedCherryPicks false"\n',
    );
  }
  const list = await edited(repository, options, todo, { onto, over, tip: start.oid });
  await moveTo(
    repository,
    await headFiles(repository),
    await objects.files((await objects.commit(onto)).tree),
    {
      verb: "checkout",
      advice: "switch branches",
    },
  );
  writeText(refs.file("ORIG_HEAD"), `${start.oid}\n`);
  writeText(stateFile(repository, "head-name"), `${start.ref ?? "detached HEAD"}\n`);
  writeText(stateFile(repository, "onto"), `${onto}\n`);
  writeText(stateFile(repository, "orig-head"), `${start.oid}\n`);
  writeText(stateFile(repository, "interactive"), "");
  if (quiet) writeText(stateFile(repository, "quiet"), "");
  const favour = options.value("strategy-option");
  if (favour !== undefined) writeText(stateFile(repository, "strategy_opts"), ` '--${favour}'`);
  writeTodo(repository, [], list);
  await refs.pointHead({ oid: onto }, await repository.because(`rebase (start): checkout ${ontoName}`));
  return await pickAll(repository, { forced: options.has("force-rebase") });
}

/** Whether commits may come out as others than they are, though they need not move. */
const changesList = (options) => options.has("force-rebase", "interactive", "exec", "autosquash");

/** What is to be done, as options and an editor make it of the picks. */
async function edited(repository, options, picks, { onto, over, tip }) {
  const squashed = options.last("autosquash", "no-autosquash") === "autosquash" ? squashedOf(picks) : picks;
  const commands = options.all("exec");
  const list = commands.length === 0 ? squashed : withCommands(squashed, commands);
  if (!options.has("interactive")) return list;
  const editor = await editorOf(repository, { sequence: true });
  if (editor === undefined) {
    throw new Failure(
      "error: Terminal is dumb, but EDITOR unset: GIT_SEQUENCE_EDITOR is the command that changes the list\n",
      1,
    );
  }
  const path = stateFile(repository, "git-rebase-todo");
  try {
    writeText(path, await shownList(repository, list, { onto, over, tip }));
    edit(repository, editor, path);
    const wanted = await parseList(repository, readText(path) ?? "");
    if (wanted.length === 0) throw failed("nothing to do");
    return wanted;
  } finally {
    removeTree(repository.refs.file("rebase-merge"));
  }
}

async function followed(repository, head) {
  const upstream = head.ref && await upstreamOf(repository, head.branch);
  if (upstream?.oid) return upstream.name;
  out(
    "There is no tracking information for the current branch.\nPlease specify which branch you want to rebase against.\nSee git-rebase(1) for details.\n\n    git rebase '<branch>'\n\nIf you wish to set tracking information for this branch you can do so with:\n\n" +
      `    git branch --set-upstream-to=<remote>/<branch> ${head.branch ?? ""}\n\n`,
  );
  throw new Failure("", 1);
}

async function startOf(repository, name) {
  const ref = `refs/heads/${name}`;
  const oid = await repository.refs.resolve(ref);
  if (oid) return { ref, branch: name, oid };
  if (!await isRevision(repository, name)) throw fatal(`no such branch/commit '${name}'`);
  return { oid: await commitOf(repository, name) };
}

async function checkClean(repository) {
  const { files, unmerged } = await readIndex(repository);
  const tracked = await readTracked(repository);
  const known = new Map(
    [...files.keys()].filter((path) => tracked.has(path)).map((path) => [path, tracked.get(path)]),
  );
  const unstaged = unmerged.size > 0 || changesBetween(files, known).length > 0;
  const staged = changesBetween(await headFiles(repository), files).length > 0;
  if (!unstaged && !staged) return;
  const index = "your index contains uncommitted changes.";
  const first = unstaged ? "You have unstaged changes." : `Y${index.slice(1)}`;
  const second = unstaged && staged ? `error: additionally, ${index}\n` : "";
  throw new Failure(`error: cannot rebase: ${first}\n${second}error: Please commit or stash them.\n`, 1);
}

/** Goes to a branch whose commits stay as they are. */
async function arrive(repository, start, current) {
  const { refs, objects } = repository;
  await moveTo(
    repository,
    await headFiles(repository),
    await objects.files((await objects.commit(start.oid)).tree),
    {
      verb: "checkout",
      advice: "switch branches",
    },
  );
  const log = await repository.because(`rebase (start): checkout ${start.branch ?? start.oid}`);
  if (current.ref !== start.ref) await refs.pointHead({ ref: start.ref, oid: start.oid }, log);
}

/** Commits that are no merges, parents first, without those that are there already. */
async function ordered(objects, tip, there) {
  const found = [];
  const seen = new Set(there);
  const waiting = [[tip, false]];
  while (waiting.length > 0) {
    const [oid, below] = waiting.pop();
    if (below) {
      found.push(oid);
      continue;
    }
    if (seen.has(oid)) continue;
    seen.add(oid);
    const { parents } = await objects.commit(oid);
    if (parents.length < 2) waiting.push([oid, true]);
    waiting.push(...parents.map((parent) => [parent, false]));
  }
  return found;
}

async function pickAll(repository, { forced = false } = {}) {
  for (;;) {
    const { todo, done, quiet } = stateOf(repository);
    if (todo.length === 0) return await finish(repository, done.length > 0);
    const [line, ...rest] = todo;
    writeTodo(repository, [...done, line], rest);
    if (!quiet) note(`Rebasing (${done.length + 1}/${done.length + todo.length})\r`);
    const ended = await step(repository, line, rest, forced);
    if (ended !== undefined) return ended;
  }
}

async function finish(repository, picked) {
  const { refs } = repository;
  const { name, onto, quiet } = stateOf(repository);
  const { oid } = await refs.head();
  if (name !== "detached HEAD") {
    await refs.update(name, oid, await repository.because(`rebase (finish): ${name} onto ${onto}`));
    await refs.pointHead(
      { ref: name, oid },
      await repository.because(`rebase (finish): returning to ${name}`),
    );
  }
  tidyUp(repository);
  if (quiet) return;
  if (picked) note(`\r${LINE}\r`);
  note(`Successfully rebased and updated ${name}.\n`);
}

function tidyUp(repository) {
  for (const name of BESIDE) removeFile(repository.refs.file(name));
  removeTree(repository.refs.file("rebase-merge"));
}

async function goOn(repository, options) {
  const { refs, objects } = repository;
  const state = stateOf(repository);
  if (!state) throw fatal("No rebase in progress?");
  if (options.has("quit")) return tidyUp(repository);
  if (options.has("abort")) {
    await force(repository, await objects.files((await objects.commit(state.before)).tree));
    const ref = state.name === "detached HEAD" ? undefined : state.name;
    const log = await repository.because(`rebase (abort): returning to ${ref ?? state.before}`);
    await refs.pointHead(ref ? { ref, oid: state.before } : { oid: state.before }, log);
    return tidyUp(repository);
  }
  const head = await refs.head();
  if (options.has("skip")) {
    await force(repository, await objects.files((await objects.commit(head.oid)).tree));
  } else await commitStaged(repository, head);
  for (const name of BESIDE) removeFile(refs.file(name));
  for (const name of ["amend", "melts"]) removeFile(stateFile(repository, name));
  return await pickAll(repository);
}

/** What was made of the commit that had conflicts. */
async function commitStaged(repository, head) {
  const { refs, objects } = repository;
  const { files, unmerged } = await readIndex(repository);
  const tracked = await readTracked(repository);
  const known = new Map(
    [...files.keys()].map((path) => [path, tracked.get(path)]).filter(([, file]) => file),
  );
  if (unmerged.size > 0 || changesBetween(files, known).length > 0) {
    for (const path of unmerged.keys()) out(`${path}: needs merge\n`);
    if (unmerged.size > 0) {
      out("You must edit all merge conflicts and then\nmark them as resolved using git add\n");
    } else note("error: cannot rebase: You have unstaged changes.\nerror: Please commit or stash them.\n");
    throw new Failure("", 1);
  }
  const before = await headFiles(repository);
  const tree = objects.writeTree(files);
  const melts = readText(stateFile(repository, "melts"))?.trim();
  const stopped = readText(refs.file("REBASE_HEAD"))?.trim();
  if (melts && stopped) {
    removeFile(stateFile(repository, "melts"));
    return await melded(repository, melts, await objects.commit(stopped), tree, stateOf(repository).todo);
  }
  const edits = readText(stateFile(repository, "amend"))?.trim();
  if (edits === head.oid && changesBetween(before, files).length > 0) {
    const { parents, author, message } = await objects.commit(head.oid);
    return void await amend(repository, { tree, parents, author, message, why: "continue" });
  }
  if (changesBetween(before, files).length === 0 || stopped === undefined) return;
  const { author, message: own } = await objects.commit(stopped);
  const committer = await repository.person("COMMITTER");
  const message = cleaned(readText(refs.file("MERGE_MSG")) ?? own, "strip");
  const oid = objects.write("commit", commitBytes({ tree, parents: [head.oid], author, committer, message }));
  const { subject } = partsOf(message);
  await refs.updateHead(oid, { who: committer, why: `rebase (continue): ${subject}` });
  await tellCommit(repository, { oid, head, subject, before, author, committer, undated: true });
}
