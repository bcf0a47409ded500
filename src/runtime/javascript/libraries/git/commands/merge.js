/** `merge` and `merge-base`. */
import { askHook, runHook } from "../shell.js";
import { changesBetween, withRenames } from "../compare.js";
import { commitBytes } from "../objects.js";
import { baseFiles, mergeFiles, writeMerged } from "../merge_trees.js";
import { parseOptions } from "../options.js";
import { countsOf, statText, summaryText } from "../patch.js";
import { commitOf, isAncestor, isRevision, mergeBases } from "../revisions.js";
import { findRepository, openRepository } from "../repository.js";
import { Failure, fatal, isFile, note, out, removeFile, writeText } from "../system.js";
import { force, moveTo, overwritten, readIndex } from "../worktree.js";
import { cleaned, commit } from "./commit.js";
import { headFiles } from "./staging.js";
import { upstreamOf } from "./status.js";

const STATE = ["MERGE_HEAD", "MERGE_MSG", "MERGE_MODE"];

export async function merge(args) {
  const head = async () => (await findRepository()?.refs.head())?.oid;
  const before = await head();
  const code = await mergeNamed(args);
  if (!code && await head() !== before) await runHook(findRepository(), "post-merge", ["0"]);
  return code;
}

async function mergeNamed(args) {
  const options = parseOptions(
    "merge",
    args,
    `m|message= ff no-ff ff-only no-commit commit squash no-squash no-edit edit q|quiet v|verbose abort quit continue n|no-stat stat
    s|strategy= X|strategy-option= !F|file= allow-unrelated-histories no-verify !log no-log no-progress !into-name= no-gpg-sign !signoff no-signoff
    no-rerere-autoupdate`,
  );
  const repository = await openRepository();
  const { refs, objects } = repository;
  if (options.has("abort")) return await abort(repository);
  if (options.has("quit")) return STATE.forEach((name) => removeFile(refs.file(name)));
  if (options.has("continue")) {
    if (!isFile(refs.file("MERGE_HEAD"))) throw fatal("There is no merge in progress (MERGE_HEAD missing).");
    return await commit(["--no-edit"]);
  }
  const strategies = options.all("strategy");
  if (strategies.some((each) => !["ort", "recursive"].includes(each))) {
    throw fatal(`the strategy ${strategies[0]} is not supported here: ort is`);
  }
  const favour = options.value("strategy-option");
  if (favour !== undefined && !["ours", "theirs"].includes(favour)) {
    throw fatal(`the strategy option ${favour} is not supported here: ours and theirs are`);
  }
  const head = await refs.head();
  const { unmerged, files: staged } = await readIndex(repository);
  if (unmerged.size > 0) {
    throw new Failure(
      "error: Merging is not possible because you have unmerged files.\nhint: Fix them up in the work tree, and then use 'git add/rm <file>'\nhint: as appropriate to mark resolution and make a commit.\nfatal: Exiting because of an unresolved conflict.\n",
      128,
    );
  }
  if (isFile(refs.file("MERGE_HEAD"))) {
    throw fatal(
      "You have not concluded your merge (MERGE_HEAD exists).\nPlease, commit your changes before you merge.",
    );
  }
  const names = [...options.operands];
  if (names.length === 0) {
    const upstream = head.ref && await upstreamOf(repository, head.branch);
    if (!upstream?.oid) throw fatal("No remote for the current branch.");
    names.push(upstream.name);
  }
  if (names.length > 1) throw fatal("merging more than one branch at once is not supported here");
  const [name] = names;
  const theirs = await targetOf(repository, name);
  if (!head.oid) {
    await moveTo(repository, new Map(), await objects.files((await objects.commit(theirs)).tree), {
      verb: "merge",
      advice: "merge",
    });
    return void await refs.updateHead(theirs, await repository.because(`initial pull`));
  }
  if (await isAncestor(objects, theirs, head.oid)) {
    const nothing = options.last("squash", "no-squash") === "squash" ? " (nothing to squash)" : "";
    if (!options.has("quiet")) out(`Already up to date.${nothing}\n`);
    return;
  }
  const preference = options.last("ff", "no-ff", "ff-only") ??
    { false: "no-ff", only: "ff-only" }[await repository.config.get("merge.ff")] ?? "ff";
  const canForward = await isAncestor(objects, head.oid, theirs);
  if (preference === "ff-only" && !canForward) {
    throw new Failure(
      'hint: Diverging branches can\'t be fast-forwarded, you need to either:\nhint:\nhint: \tgit merge --no-ff\nhint:\nhint: or:\nhint:\nhint: \tgit rebase\nhint:\nhint: Disable this message with "git config advice.diverging false"\nfatal: Not possible to fast-forward, aborting.\n',
      128,
    );
  }
  const ours = await headFiles(repository);
  const quiet = options.has("quiet", "no-stat");
  const squash = options.last("squash", "no-squash") === "squash";
  if (squash && preference === "no-ff") {
    throw fatal("options '--squash' and '--no-ff.' cannot be used together");
  }
  if (canForward && preference !== "no-ff") {
    const after = await objects.files((await objects.commit(theirs)).tree);
    const told = `Updating ${await objects.short(head.oid)}..${await objects.short(theirs)}\n`;
    if (!options.has("quiet")) out(told);
    await moveTo(repository, ours, after, { verb: "merge", advice: "merge" });
    if (!options.has("quiet")) out("Fast-forward\n");
    if (squash) {
      note("Squash commit -- not updating HEAD\n");
      await writeSquash(repository, head.oid, theirs);
    } else {
      writeText(refs.file("ORIG_HEAD"), `${head.oid}\n`);
      await refs.updateHead(theirs, await repository.because(`merge ${name}: Fast-forward`));
    }
    if (!quiet) await tellChanges(repository, ours, after);
    return;
  }
  const dirty = changesBetween(ours, staged).map(({ path }) => path);
  if (dirty.length > 0) {
    const { message } = overwritten({ changed: dirty, untracked: [], verb: "merge", advice: "merge" });
    throw new Failure(`${message}Merge with strategy ort failed.\n`, 2);
  }
  const { bases, files: base } = await baseFiles(repository, head.oid, theirs);
  if (bases.length === 0 && !options.has("allow-unrelated-histories")) {
    throw fatal("refusing to merge unrelated histories");
  }
  const labels = {
    ours: "HEAD",
    theirs: name,
    base: bases.length === 1 ? await objects.short(bases[0]) : "merged common ancestors",
  };
  const merged = await mergeFiles(
    repository,
    { base, ours, theirs: await objects.files((await objects.commit(theirs)).tree) },
    labels,
    favour ? { favour } : {},
  );
  const committer = await repository.person("COMMITTER");
  const author = await repository.person("AUTHOR");
  try {
    await writeMerged(repository, ours, merged, { verb: "merge", overwritten });
  } catch (error) {
    if (error instanceof Failure) throw new Failure(`${error.message}Merge with strategy ort failed.\n`, 2);
    throw error;
  }
  for (const line of merged.notes) out(line);
  const lines = options.all("message");
  const message = cleaned(
    lines.length > 0 ? lines.join("\n\n") : await defaultMessage(repository, name, head),
  );
  writeText(refs.file("ORIG_HEAD"), `${head.oid}\n`);
  if (squash) {
    await writeSquash(repository, head.oid, theirs);
    if (merged.conflicts.length === 0) {
      note("Squash commit -- not updating HEAD\n");
      out("Automatic merge went well; stopped before committing as requested\n");
      return;
    }
  } else if (merged.conflicts.length > 0 || options.has("no-commit")) {
    writeText(refs.file("MERGE_HEAD"), `${theirs}\n`);
    writeText(refs.file("MERGE_MODE"), preference === "no-ff" ? "no-ff" : "");
    const list = merged.conflicts.length > 0
      ? `\n# Conflicts:\n${merged.conflicts.map((path) => `#\t${path}\n`).join("")}`
      : "";
    writeText(refs.file("MERGE_MSG"), message + list);
  }
  if (merged.conflicts.length > 0) {
    out("Automatic merge failed; fix conflicts and then commit the result.\n");
    return 1;
  }
  if (options.has("no-commit")) {
    out("Automatic merge went well; stopped before committing as requested\n");
    return;
  }
  if (!options.has("no-verify")) await askHook(repository, "pre-merge-commit");
  const tree = objects.writeTree(merged.files);
  const oid = objects.write(
    "commit",
    commitBytes({ tree, parents: [head.oid, theirs], author, committer, message }),
  );
  await refs.updateHead(oid, { who: committer, why: `merge ${name}: Merge made by the 'ort' strategy.` });
  if (options.has("quiet")) return;
  out("Merge made by the 'ort' strategy.\n");
  if (!quiet) await tellChanges(repository, ours, merged.files);
}

async function targetOf(repository, name) {
  try {
    return await commitOf(repository, name);
  } catch {
    throw new Failure(`merge: ${name} - not something we can merge\n`, 1);
  }
}

async function tellChanges(repository, before, after) {
  const changes = await withRenames(repository, changesBetween(before, after));
  if (changes.length === 0) return;
  const counts = [];
  for (const change of changes) counts.push(await countsOf(repository, change));
  out(statText(changes, counts) + summaryText(changes));
}

async function defaultMessage({ refs }, name, head) {
  const found = await refs.find(name);
  const kind = /^refs\/heads\//.test(found?.ref ?? "")
    ? `branch '${found.ref.slice(11)}'`
    : /^refs\/tags\//.test(found?.ref ?? "")
    ? `tag '${found.ref.slice(10)}'`
    : /^refs\/remotes\//.test(found?.ref ?? "")
    ? `remote-tracking branch '${found.ref.slice(13)}'`
    : `commit '${name}'`;
  const into = head.ref && !["master", "main"].includes(head.branch)
    ? ` into ${head.branch}`
    : head.ref
    ? ""
    : " into HEAD";
  return `Merge ${kind}${into}\n`;
}

async function writeSquash(repository, from, to) {
  const { objects, refs } = repository;
  const commit = await objects.commit(to);
  const { author } = commit;
  const body = commit.message.trimEnd().split("\n").map((line) => `    ${line}`).join("\n");
  const bases = await mergeBases(objects, from, to);
  const several = bases[0] !== commit.parents[0]
    ? ""
    : `commit ${to}\nAuthor: ${author.name} <${author.email}>\n\n${body}\n`;
  writeText(refs.file("SQUASH_MSG"), `Squashed commit of the following:\n\n${several}`);
}

async function abort(repository) {
  const { refs, objects } = repository;
  if (!isFile(refs.file("MERGE_HEAD"))) throw fatal("There is no merge to abort (MERGE_HEAD missing).");
  const head = await refs.head();
  await force(repository, await objects.files((await objects.commit(head.oid)).tree));
  STATE.forEach((name) => removeFile(refs.file(name)));
}

async function startOf(repository, name) {
  if (!(await isRevision(repository, name))) throw fatal(`Not a valid object name ${name}`);
  return await commitOf(repository, name);
}

export async function mergeBase(args) {
  const options = parseOptions("merge-base", args, "a|all is-ancestor octopus independent fork-point");
  if (options.has("octopus", "independent", "fork-point")) {
    throw fatal("of git merge-base there are --all and --is-ancestor here");
  }
  const repository = await openRepository({ bare: true });
  if (options.operands.length !== 2) {
    throw new Failure("usage: git merge-base [-a | --all] <commit> <commit>\n", 129);
  }
  const [a, b] = [
    await startOf(repository, options.operands[0]),
    await startOf(repository, options.operands[1]),
  ];
  if (options.has("is-ancestor")) return await isAncestor(repository.objects, a, b) ? 0 : 1;
  const bases = await mergeBases(repository.objects, a, b);
  if (bases.length === 0) return 1;
  out((options.has("all") ? bases : bases.slice(0, 1)).map((oid) => `${oid}\n`).join(""));
}
