/** `revert`, `cherry-pick`: what makes commits of others. */
import { changesBetween } from "../compare.js";
import { mergeFiles, writeMerged } from "../merge_trees.js";
import { commitBytes, EMPTY_TREE } from "../objects.js";
import { parseOptions } from "../options.js";
import { partsOf } from "../pretty.js";
import { openRepository } from "../repository.js";
import { commitOf, rangeOf } from "../revisions.js";
import { Failure, isFile, note, out, removeFile, writeText } from "../system.js";
import { walk } from "../walk.js";
import { force, overwritten, readIndex } from "../worktree.js";
import { cleaned, commit, tellCommit } from "./commit.js";
import { beginSequence, endSequence, keepRest, sequenceOf } from "./sequence.js";
import { headFiles } from "./staging.js";
import { longText, lookAround } from "./status.js";

const REVERT =
  "q|quiet n|no-commit no-edit !e|edit m|mainline= abort continue quit skip s|signoff x allow-empty";

export const revert = (args) => replay("revert", args);
export const cherryPick = (args) => replay("cherry-pick", args);

/** Does again, or undoes, what commits have done. */
async function replay(verb, args) {
  const options = parseOptions(verb, args, REVERT);
  const repository = await openRepository();
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
  for (const name of names) targets.push(...await commitsOf(repository, name, undoes));
  if (targets.length === 0) throw new Failure(`error: empty commit set passed\nfatal: ${verb} failed\n`, 128);
  if (targets.length > 1) await beginSequence(repository, options, { verb, targets });
  return await replayAll(repository, options, { verb, marker, targets });
}

/** What a name or a range stands for, in the order in which it is done. */
async function commitsOf(repository, name, undoes) {
  const range = name.includes("..") ? await rangeOf(repository, name) : undefined;
  if (!range) return [await commitOf(repository, name)];
  const starts = range.kind === ".." ? [range.to] : [range.from, range.to];
  const hidden = range.kind === ".." ? [range.from] : range.bases;
  const found = [];
  for await (const { oid } of walk(repository.objects, starts, { hidden, topological: true })) {
    found.push(oid);
  }
  return undoes ? found : found.reverse();
}

async function replayAll(repository, options, { verb, marker, targets }) {
  const { refs, objects } = repository;
  const undoes = verb === "revert";
  for (const [at, oid] of targets.entries()) {
    keepRest(repository, targets.slice(at));
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
  endSequence(repository);
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
  const { refs } = repository;
  const sequence = sequenceOf(repository);
  const stopped = isFile(refs.file(marker));
  if (!stopped && !sequence) {
    const what = options.has("skip") ? verb : "cherry-pick or revert";
    throw new Failure(`error: no ${what} in progress\nfatal: ${verb} failed\n`, 128);
  }
  if (options.has("continue", "skip")) {
    if (options.has("skip")) await toHead(repository);
    else if (stopped) {
      const code = await commit(["--no-edit"]);
      if (code) return code;
    }
    for (const name of [marker, "MERGE_MSG"]) removeFile(refs.file(name));
    if (!sequence) return;
    return await replayAll(repository, sequence.options, {
      verb,
      marker,
      targets: sequence.targets.slice(1),
    });
  }
  if (options.has("abort")) {
    await toHead(repository, sequence?.head);
    const { oid } = await refs.head();
    if (sequence && sequence.head !== oid) {
      await refs.updateHead(sequence.head, await repository.because(`reset: moving to ${sequence.head}`));
    }
  }
  for (const name of [marker, "MERGE_MSG"]) removeFile(refs.file(name));
  endSequence(repository);
}

/** Index and work tree as a commit has them, HEAD's if none is given. */
async function toHead(repository, oid) {
  const commit = oid ?? (await repository.refs.head()).oid;
  const { objects } = repository;
  await force(repository, commit ? await objects.files((await objects.commit(commit)).tree) : new Map());
}
