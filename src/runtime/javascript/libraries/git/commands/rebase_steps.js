/** What `rebase` does with each line of its list. */
import { changesBetween } from "../compare.js";
import { mergeFiles, writeMerged } from "../merge_trees.js";
import { commitBytes } from "../objects.js";
import { filesBefore } from "../patch_ids.js";
import { partsOf } from "../pretty.js";
import { edit, editorOf, messageFile, runLine } from "../shell.js";
import { failed, Failure, note, out, readText, removeFile, writeText } from "../system.js";
import { moveTo, overwritten } from "../worktree.js";
import { cleaned, tellCommit } from "./commit.js";
import { combined } from "./rebase_list.js";
import { LINE, stateFile } from "./rebase_state.js";
import { headFiles } from "./staging.js";

/** One line of the list. @returns the exit code of a rebase that stops here. */
export async function step(repository, line, rest, forced) {
  const [verb, oid] = line.split(" ");
  switch (verb) {
    case "drop":
    case "noop":
      return undefined;
    case "break":
      return 0;
    case "exec":
      return execute(repository, line.slice("exec ".length), rest);
    case "squash":
    case "fixup":
      await meld(repository, verb, oid, rest);
      return undefined;
    case "reword":
      await pick(repository, oid, { verb, forced });
      await reword(repository);
      return undefined;
    case "edit": {
      await pick(repository, oid, { verb, forced });
      const { oid: head } = await repository.refs.head();
      writeText(stateFile(repository, "amend"), `${head}\n`);
      const { subject } = partsOf((await repository.objects.commit(oid)).message);
      note(
        `Stopped at ${await repository.objects.short(
          oid,
        )}...  ${subject}\nYou can amend the commit now, with\n\n  git commit --amend \n\n` +
          "Once you are satisfied with your changes, run\n\n  git rebase --continue\n",
      );
      return 0;
    }
    default:
      await pick(repository, oid, { verb, forced });
      return undefined;
  }
}

function execute(repository, command, rest) {
  note(`${LINE}\rExecuting: ${command}\n`);
  const code = runLine(command, [], { cwd: repository.top });
  if (code === 0) return undefined;
  note(
    `warning: execution failed: ${command}\nYou can fix the problem, and then run\n\n  git rebase --continue\n\n${
      rest.length === 0 ? "" : "\n"
    }`,
  );
  return 1;
}

/** What the files are with a commit's changes. @throws {Failure} where they conflict: the rebase stops there. */
async function applied(repository, oid, target, melts) {
  const { refs, objects } = repository;
  const { subject } = partsOf(target.message);
  const ours = await headFiles(repository);
  const theirs = await objects.files(target.tree);
  const short = await objects.short(oid);
  const base = await filesBefore(objects, target);
  const labels = { ours: "HEAD", theirs: `${short} (${subject})`, base: `parent of ${short} (${subject})` };
  const favour = /--(ours|theirs)/.exec(readText(stateFile(repository, "strategy_opts")) ?? "")?.[1];
  const merged = await mergeFiles(repository, { base, ours, theirs }, labels, { favour });
  await writeMerged(repository, ours, merged, { verb: "merge", overwritten });
  if (merged.conflicts.length > 0) {
    for (const line of merged.notes) out(line);
    for (const name of ["REBASE_HEAD", "CHERRY_PICK_HEAD"]) writeText(refs.file(name), `${oid}\n`);
    writeText(stateFile(repository, "stopped-sha"), `${oid}\n`);
    if (melts) writeText(stateFile(repository, "melts"), `${melts}\n`);
    const list = merged.conflicts.map((path) => `#\t${path}\n`).join("");
    writeText(refs.file("MERGE_MSG"), `${target.message}\n# Conflicts:\n${list}`);
    throw new Failure(
      `error: could not apply ${short}... ${subject}\nhint: Resolve all conflicts manually, mark them as resolved with\n` +
        'hint: "git add/rm <conflicted_files>", then run "git rebase --continue".\nhint: You can instead skip this commit: run "git rebase --skip".\n' +
        'hint: To abort and get back to the state before "git rebase", run "git rebase --abort".\nhint: Disable this message with "git config advice.mergeConflict false"\n' +
        `Could not apply ${short}... ${subject}\n`,
      1,
    );
  }
  return { tree: objects.writeTree(merged.files), isEmpty: changesBetween(base, theirs).length === 0 };
}

async function pick(repository, oid, { verb, forced }) {
  const { refs, objects } = repository;
  const target = await objects.commit(oid);
  const { subject } = partsOf(target.message);
  const head = (await refs.head()).oid;
  const why = `rebase (${verb}): ${subject}`;
  if (target.parents[0] === head && !forced) {
    const theirs = await objects.files(target.tree);
    await moveTo(repository, await headFiles(repository), theirs, { verb: "rebase", advice: "rebase" });
    return await refs.updateHead(oid, await repository.because(why));
  }
  const { tree, isEmpty } = await applied(repository, oid, target);
  if (tree === (await objects.commit(head)).tree && !isEmpty) {
    return note(`dropping ${oid} ${subject} -- patch contents already upstream\n`);
  }
  const committer = await repository.person("COMMITTER");
  const { author, message } = target;
  const made = objects.write("commit", commitBytes({ tree, parents: [head], author, committer, message }));
  await refs.updateHead(made, { who: committer, why });
}

/** Puts a commit's changes into the one before it. */
async function meld(repository, verb, oid, rest) {
  const target = await repository.objects.commit(oid);
  const { tree } = await applied(repository, oid, target, verb);
  await melded(repository, verb, target, tree, rest);
}

/** What `squash` and `fixup` make of the commit before, once their changes are in a tree. */
export async function melded(repository, verb, target, tree, rest) {
  const { refs, objects } = repository;
  const { oid: head } = await refs.head();
  const { author, message: before, parents } = await objects.commit(head);
  const path = stateFile(repository, "message-squash");
  const texts = combined(readText(path), before, verb, target.message);
  const goesOn = /^(?:squash|fixup) /.test(rest[0] ?? "");
  writeText(path, texts.text);
  if (goesOn || !texts.isSquash) {
    await amend(repository, { tree, parents, author, message: before, why: verb });
  } else {
    const editor = await editorOf(repository);
    const { path: file } = messageFile(repository);
    writeText(file, texts.text);
    if (editor !== undefined) edit(repository, editor, file);
    const message = cleaned(readText(file), "strip");
    await toldAmend(repository, { tree, parents, author, message, why: verb });
  }
  if (!goesOn) removeFile(path);
}

export async function amend(repository, { tree, parents, author, message, why }) {
  const { refs, objects } = repository;
  const committer = await repository.person("COMMITTER");
  const oid = objects.write("commit", commitBytes({ tree, parents, author, committer, message }));
  const { subject } = partsOf(message);
  await refs.updateHead(oid, { who: committer, why: `rebase (${why}): ${subject}` });
  return { oid, committer, subject };
}

/** As {@link amend}, and says so. */
async function toldAmend(repository, { parents, author, ...rest }) {
  const { objects } = repository;
  const head = await repository.refs.head();
  const { oid, committer, subject } = await amend(repository, { parents, author, ...rest });
  const before = parents.length > 0
    ? await objects.files((await objects.commit(parents[0])).tree)
    : new Map();
  await tellCommit(repository, { oid, head, subject, before, author, committer, dated: true });
}

async function reword(repository) {
  const { refs, objects } = repository;
  const editor = await editorOf(repository);
  if (editor === undefined) throw failed("Terminal is dumb, but EDITOR unset");
  const { tree, parents, author, message: before } = await objects.commit((await refs.head()).oid);
  const { path } = messageFile(repository);
  writeText(path, before);
  edit(repository, editor, path);
  const message = cleaned(readText(path), "strip");
  await toldAmend(repository, { tree, parents, author, message, why: "reword" });
}
