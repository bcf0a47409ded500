/** `am`: commits of mails. */
import { bytesOfChars, changesBetween, charsOf, linesOf } from "../compare.js";
import { parseDate } from "../dates.js";
import { bareSubject, mailsOf, parseMail } from "../mail.js";
import { mergeFiles, writeMerged } from "../merge_trees.js";
import { commitBytes } from "../objects.js";
import { Options, parseOptions } from "../options.js";
import { applied, parsePatch } from "../patches.js";
import { openRepository } from "../repository.js";
import { absolute, failed, Failure, fatal, note, out, readBytes, readInput, writeText } from "../system.js";
import { force, overwritten, readIndex, readTracked } from "../worktree.js";
import { applying, beginApplying, endApplying, isApplying, setNext } from "./am_state.js";
import { workedOut, write } from "./apply.js";
import { cleaned } from "./commit.js";
import { headFiles } from "./staging.js";

const RESUMING = ["abort", "skip", "continue", "quit", "show-current-patch"];
/** Options that count for all mails of a call. */
const FLAGS = ["signoff", "keep", "quiet", "3way", "keep-non-patch"];

export async function am(args) {
  const options = parseOptions(
    "am",
    args,
    `3|3way no-3way s|signoff k|keep b|keep-non-patch q|quiet abort skip r|resolved|continue quit show-current-patch[=] no-keep-cr
    !keep-cr c|scissors no-scissors !ignore-whitespace !ignore-space-change !whitespace= !directory= !exclude= !include= !reject !C= !p= !i|interactive
    !committer-date-is-author-date !ignore-date !patch-format= !m|message-id !S|gpg-sign[=] no-gpg-sign n|no-verify u|utf8 no-utf8`,
  );
  const repository = await openRepository();
  if (options.has(...RESUMING)) return await resume(repository, options);
  if (isApplying(repository)) {
    throw fatal(
      `previous rebase directory ${
        repository.gitdir.replace(/.*\//, "")
      }/rebase-apply still exists but mbox given.`,
    );
  }
  const mails = [];
  for (const name of options.everything.length > 0 ? options.everything : ["-"]) {
    const bytes = name === "-" ? readInput() : readBytes(absolute(name));
    if (bytes === undefined) throw fatal(`could not open '${name}' for reading: No such file or directory`);
    const found = mailsOf(charsOf(bytes));
    if (found.length === 0) throw new Failure("Patch format detection failed.\n", 128);
    mails.push(...found.map(bytesOfChars));
  }
  const dirty = changesBetween(await headFiles(repository), (await readIndex(repository)).files);
  if (dirty.length > 0) {
    throw fatal(`Dirty index: cannot apply patches (dirty: ${dirty.map(({ path }) => path).join(" ")})`);
  }
  const { oid } = await repository.refs.head();
  if (oid) writeText(repository.refs.file("ORIG_HEAD"), `${oid}\n`);
  beginApplying(repository, mails, FLAGS.filter((flag) => options.has(flag)), oid ?? "");
  return await applyAll(repository);
}

async function applyAll(repository) {
  for (;;) {
    const state = applying(repository);
    if (state.mail === undefined) return endApplying(repository);
    await applyMail(repository, state);
    setNext(repository, state.next + 1);
  }
}

/** Who wrote it, when, and what is to be said of it. */
async function commitOfMail(repository, { mail, flags }) {
  const { author, date, subject, body, patch } = parseMail(charsOf(mail));
  const bare = bareSubject(subject, flags.has("keep"));
  const lines = body === "" ? bare : `${bare}\n\n${body}`;
  let message = cleaned(lines);
  if (flags.has("signoff")) {
    const { name, email } = await repository.person("COMMITTER");
    const line = `Signed-off-by: ${name} <${email}>`;
    const follows = /\n\n(?:[A-Za-z-]+: .*\n)+$/.test(message);
    if (!message.trimEnd().endsWith(line)) message += `${follows ? "" : "\n"}${line}\n`;
  }
  const when = parseDate(date ?? "") ?? await repository.person("AUTHOR");
  return { author: { ...when, ...author }, message, subject: bare, patch };
}

async function applyMail(repository, state) {
  const { subject, patch, ...commit } = await commitOfMail(repository, state);
  if (!state.flags.has("quiet")) out(`Applying: ${subject}\n`);
  const files = parsePatch(patch, 1);
  if (files.length === 0) {
    out("Patch is empty.\n");
    throw new Failure(HOW_TO_GO_ON, 128);
  }
  const options = new Options();
  options.given.push(["index", undefined]);
  try {
    await write(repository, await workedOut(repository, files, options), options);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const isThreeWay = state.flags.has("3way") && await threeWay(repository, files, subject);
    if (isThreeWay !== "merged") {
      const reason = isThreeWay ? "error: Failed to merge in the changes.\n" : error.message;
      out(`Patch failed at ${`${state.next}`.padStart(4, "0")} ${subject}\n`);
      throw new Failure(
        `${reason}hint: Use 'git am --show-current-patch=diff' to see the failed patch\n${HOW_TO_GO_ON}`,
        128,
      );
    }
  }
  await commitIndex(repository, commit, subject);
}

const HOW_TO_GO_ON =
  `hint: When you have resolved this problem, run "git am --continue".\nhint: If you prefer to skip this patch, run "git am --skip" instead.\nhint: To restore the original branch and stop patching, run "git am --abort".\nhint: Disable this message with "git config advice.mergeConflict false"\n`;

async function commitIndex(repository, { author, message }, subject) {
  const { refs, objects } = repository;
  const { files } = await readIndex(repository);
  const { oid } = await refs.head();
  const committer = await repository.person("COMMITTER");
  const tree = objects.writeTree(files);
  const parents = oid ? [oid] : [];
  const made = objects.write("commit", commitBytes({ tree, parents, author, committer, message }));
  await refs.updateHead(made, { who: committer, why: `am: ${subject}` });
}

/**
 * Applies a patch to the files that it names by their ids, and merges what that gives.
 *
 * @returns undefined if one of them is not there.
 */
async function threeWay(repository, files, subject) {
  const { objects } = repository;
  const ours = await headFiles(repository);
  const [base, theirs] = [new Map(ours), new Map(ours)];
  for (const file of files) {
    const name = file.old ?? file.now;
    if (file.binary) return undefined;
    const [id] = file.isNew ? [] : await objects.matching(file.id ?? "");
    if (!file.isNew && id === undefined) return undefined;
    const mode = file.oldMode ?? ours.get(name)?.mode ?? "100644";
    const text = file.isNew ? "" : charsOf((await objects.read(id, "blob")).bytes);
    if (file.isNew) base.delete(name);
    else base.set(name, { mode, oid: id });
    const lines = applied(linesOf(text), file.hunks, name, () => {});
    if (file.isGone || file.from !== undefined) theirs.delete(name);
    if (!file.isGone) {
      const oid = objects.write("blob", bytesOfChars(lines.join("")));
      theirs.set(file.now, { mode: file.mode ?? mode, oid });
    }
  }
  note("Using index info to reconstruct a base tree...\n");
  for (const { status, path } of changesBetween(base, ours)) note(`${status}\t${path}\n`);
  note("Falling back to patching base and 3-way merge...\n");
  const merged = await mergeFiles(repository, { base, ours, theirs }, {
    ours: "HEAD",
    theirs: subject,
    base: "constructed merge base",
  });
  await writeMerged(repository, ours, merged, { verb: "merge", overwritten });
  for (const line of merged.notes) out(line);
  return merged.conflicts.length > 0 ? "conflicts" : "merged";
}

async function resume(repository, options) {
  if (!isApplying(repository)) throw fatal("Resolve operation not in progress, we are not resuming.");
  const state = applying(repository);
  const how = options.last(...RESUMING);
  if (how === "quit") return endApplying(repository);
  if (how === "show-current-patch") {
    const whole = options.value(how) !== "diff";
    return void out(whole ? state.mail : bytesOfChars(parseMail(charsOf(state.mail)).patch));
  }
  const { refs, objects } = repository;
  if (how === "abort") {
    const files = state.before === ""
      ? new Map()
      : await objects.files((await objects.commit(state.before)).tree);
    await force(repository, files);
    if (state.before !== "") await refs.updateHead(state.before, await repository.because("am --abort"));
    return endApplying(repository);
  }
  if (how === "skip") await force(repository, await headFiles(repository));
  else await commitResolved(repository, state);
  setNext(repository, state.next + 1);
  return await applyAll(repository);
}

async function commitResolved(repository, state) {
  const { subject, ...commit } = await commitOfMail(repository, state);
  out(`Applying: ${subject}\n`);
  const { files, unmerged } = await readIndex(repository);
  if (unmerged.size > 0) {
    throw failed(
      `you still have unmerged paths in your index\nhint: You should 'git add' each file with resolved conflicts to mark them as such.\nhint: You might run \`git rm\` on a file to accept "deleted by them" for it.\n${HOW_TO_GO_ON.trimEnd()}`,
      128,
    );
  }
  if (changesBetween(await headFiles(repository), files).length === 0) {
    throw new Failure(
      `No changes - did you forget to use 'git add'?\nhint: If there is nothing left to stage, chances are that something else\nhint: already introduced the same changes; you might want to skip this patch.\n${HOW_TO_GO_ON}`,
      128,
    );
  }
  await readTracked(repository);
  await commitIndex(repository, commit, subject);
}
