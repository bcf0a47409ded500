/** `checkout`, `switch`. */
import { changesBetween } from "../compare.js";
import { parseOptions } from "../options.js";
import { partsOf } from "../pretty.js";
import { openRepository } from "../repository.js";
import { commitOf, isAncestor, isRevision, peel, previousBranch, resolve } from "../revisions.js";
import { absolute, fatal, isFile, lstat, note, out, removeFile } from "../system.js";
import { runHook } from "../shell.js";
import { checkMerged, force, moveTo, readIndex, readTracked } from "../worktree.js";
import { checkName, followStart } from "./branches.js";
import { restorePaths } from "./restoring.js";
import { headFiles } from "./staging.js";
import { upstreamOf } from "./status.js";

const SWITCHING =
  "q|quiet f|force t|track[=] no-track !m|merge guess no-guess progress no-progress ignore-other-worktrees";

export async function checkout(args) {
  const options = parseOptions(
    "checkout",
    args,
    `b= B= orphan= detach d ours theirs !p|patch l overlay !no-overlay !recurse-submodules no-recurse-submodules ${SWITCHING}`,
  );
  const repository = await openRepository();
  const fresh = options.value("b") ?? options.value("B");
  const common = {
    options,
    create: fresh,
    reset: options.has("B"),
    orphan: options.value("orphan"),
    detach: options.has("detach", "d"),
  };
  const [first, ...rest] = options.operands;
  if (fresh !== undefined || options.has("orphan")) {
    if (rest.length > 0 || options.paths?.length) {
      throw fatal(
        `'${rest[0] ?? options.paths[0]}' is not a commit and a branch '${fresh}' cannot be created from it`,
      );
    }
    return await switchTo(repository, { ...common, target: first });
  }
  if (options.paths === undefined && rest.length === 0 && first !== undefined) {
    if (first === "-" || await isRevision(repository, first)) {
      return await switchTo(repository, { ...common, target: first });
    }
    const remote = await remoteBranch(repository, first, options);
    if (remote && !lstat(absolute(first))) {
      return await switchTo(repository, { ...common, create: first, target: remote });
    }
  }
  if (first === undefined && options.paths === undefined && !common.detach) {
    return options.has("force") ? await discard(repository, options) : await tellHere(repository, options);
  }
  const revision = first !== undefined && (options.paths !== undefined || rest.length > 0) &&
      await isRevision(repository, first)
    ? first
    : undefined;
  const paths = [...revision === undefined ? options.operands : rest, ...options.paths ?? []];
  if (paths.length === 0) return await switchTo(repository, { ...common, target: revision || undefined });
  const side = options.last("ours", "theirs");
  const count = await restorePaths(repository, {
    source: revision,
    paths,
    staged: revision !== undefined,
    worktree: true,
    side,
    overlay: true,
  });
  if (options.has("quiet") || options.paths !== undefined) return;
  const what = revision === undefined
    ? "the index"
    : await repository.objects.short(await treeIdOf(repository, revision));
  note(`Updated ${count} path${count === 1 ? "" : "s"} from ${what}\n`);
}

/** Has index and work tree as HEAD is, and ends what was in the middle. */
async function discard(repository, options) {
  const { refs } = repository;
  const head = await refs.head();
  if (!head.oid) throw fatal("You are on a branch yet to be born");
  await force(repository, await headFiles(repository));
  for (const name of ["MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "CHERRY_PICK_HEAD", "REVERT_HEAD"]) {
    removeFile(refs.file(name));
  }
  await tellUpstream(repository, options);
}

/** What a checkout tells that goes nowhere. */
async function tellHere(repository, options) {
  if (!options.has("quiet")) await tellChanges(repository);
  await tellUpstream(repository, options);
}

async function tellUpstream(repository, options) {
  const { ref, branch } = await repository.refs.head();
  const upstream = ref && !options.has("quiet") ? await upstreamOf(repository, branch) : undefined;
  if (upstream && !upstream.gone) out(upstreamLines(upstream));
}

async function treeIdOf(repository, name) {
  const oid = await resolve(repository, name);
  return await peel(repository.objects, oid, "tree");
}

async function remoteBranch({ refs }, name, options) {
  if (options.has("no-guess")) return undefined;
  const found = (await refs.list("refs/remotes/")).filter(([ref]) =>
    ref.replace(/^refs\/remotes\/[^/]+\//, "") === name
  );
  return found.length === 1 ? found[0][0].slice("refs/remotes/".length) : undefined;
}

export async function switchBranch(args) {
  const options = parseOptions(
    "switch",
    args,
    `c|create= C|force-create= d|detach orphan= discard-changes ${SWITCHING}`,
  );
  const repository = await openRepository();
  const create = options.value("create") ?? options.value("force-create");
  const [target, ...rest] = options.operands;
  if (rest.length > 0) throw fatal("only one reference expected");
  const common = {
    options,
    reset: options.has("force-create"),
    orphan: options.value("orphan"),
    empty: true,
    detach: options.has("detach"),
  };
  if (create === undefined && !options.has("orphan", "detach")) {
    if (target === undefined) throw fatal("missing branch or commit argument");
    const name = target === "-" ? previousBranch(repository) : target;
    if (!await repository.refs.resolve(`refs/heads/${name}`) && target !== "-") {
      const remote = await remoteBranch(repository, target, options);
      if (remote) return await switchTo(repository, { ...common, create: target, target: remote });
      if (!await isRevision(repository, target)) throw fatal(`invalid reference: ${target}`);
      const kind = (await repository.refs.find(target))?.ref.startsWith("refs/tags/") ? "tag" : "commit";
      throw fatal(
        `a branch is expected, got ${kind} '${target}'\nhint: If you want to detach HEAD at the commit, try again with the --detach option.\nhint: Disable this message with "git config advice.suggestDetachingHead false"`,
      );
    }
  }
  await switchTo(repository, { ...common, create, target });
}

async function tellChanges(repository) {
  const { files, unmerged } = await readIndex(repository);
  const tracked = await readTracked(repository);
  const now = new Map(
    [...files.keys()].filter((path) => tracked.has(path)).map((path) => [path, tracked.get(path)]),
  );
  for (const path of unmerged.keys()) out(`U\t${path}\n`);
  for (const { status, path } of changesBetween(await headFiles(repository), now)) {
    if (!unmerged.has(path)) out(`${status}\t${path}\n`);
  }
}

/** What is in the middle of something, by a file that there is then. */
const MERGING = ["MERGE_HEAD", "merging", "merge"];
const BUSY = [
  ["rebase-merge/head-name", "rebasing", "rebase"],
  ["CHERRY_PICK_HEAD", "cherry-picking", "cherry-pick"],
  ["REVERT_HEAD", "reverting", "revert"],
];

/** Goes to a branch or a commit; makes the branch first where that is asked for. */
/** As {@link moveHead}, and tells the hook that there may be. */
async function switchTo(repository, wanted) {
  const before = (await repository.refs.head()).oid;
  const code = await moveHead(repository, wanted);
  const after = (await repository.refs.head()).oid;
  if (!code) await runHook(repository, "post-checkout", [before ?? NONE, after ?? NONE, "1"]);
  return code;
}
const NONE = "0".repeat(40);

async function moveHead(repository, { options, create, reset, orphan, empty, detach, target }) {
  const { refs, objects } = repository;
  const head = await refs.head();
  const quiet = options.has("quiet");
  const forced = options.has("force", "discard-changes");
  // A new branch of where one is leaves everything as it is.
  const stays = create !== undefined && target === undefined;
  const isMerging = isFile(refs.file("MERGE_HEAD"));
  const busy = isMerging ? MERGING : BUSY.find(([name]) => isFile(refs.file(name)));
  const refusal = () =>
    fatal(`cannot switch branch while ${busy[1]}\nConsider "git ${busy[2]} --quit" or "git worktree add".`);
  // Only `switch` minds, but for a merge.
  if (!forced && empty && busy && !(isMerging && stays)) throw refusal();
  if (!forced && !stays) {
    checkMerged((await readIndex(repository)).unmerged);
    if (isMerging) throw refusal();
  }
  if (orphan !== undefined) {
    checkName(orphan);
    if (await refs.resolve(`refs/heads/${orphan}`)) throw fatal(`a branch named '${orphan}' already exists`);
    if (empty) {
      await moveTo(repository, await headFiles(repository), new Map(), {
        verb: "checkout",
        advice: "switch branches",
      });
    }
    await refs.pointHead({ ref: `refs/heads/${orphan}` });
    if (!quiet) note(`Switched to a new branch '${orphan}'\n`);
    return;
  }
  const previous = target === "-" ? previousBranch(repository) : target;
  const name = previous === "@" ? "HEAD" : previous ?? "HEAD";
  if (create !== undefined) {
    checkName(create);
    if (!reset && await refs.resolve(`refs/heads/${create}`)) {
      throw fatal(`a branch named '${create}' already exists`);
    }
    if (target === undefined && !head.oid) {
      await refs.pointHead({ ref: `refs/heads/${create}` });
      if (!quiet) note(`Switched to a new branch '${create}'\n`);
      return;
    }
    if (target !== undefined && !await isRevision(repository, name)) {
      throw fatal(`'${name}' is not a commit and a branch '${create}' cannot be created from it`);
    }
  }
  if (name === "HEAD" && create === undefined && !detach && head.ref && !forced) {
    return await tellHere(repository, options);
  }
  const branchRef = `refs/heads/${name}`;
  const onBranch = create === undefined && !detach && (await refs.resolve(branchRef)) !== undefined;
  const oid = onBranch ? await refs.resolve(branchRef) : await commitOf(repository, name);
  const after = await objects.files((await objects.commit(oid)).tree);
  if (forced) await force(repository, after);
  else if (oid !== head.oid) {
    await moveTo(repository, await headFiles(repository), after, {
      verb: "checkout",
      advice: "switch branches",
    });
  }
  const from = head.ref ? head.branch : head.oid;
  const to = create ?? (onBranch ? name : name === "HEAD" ? oid : name);
  if (create !== undefined) {
    const existed = await refs.resolve(`refs/heads/${create}`);
    await refs.update(
      `refs/heads/${create}`,
      oid,
      await repository.because(`branch: ${existed ? "Reset to" : "Created from"} ${name}`),
    );
    await refs.pointHead(
      { ref: `refs/heads/${create}`, oid },
      await repository.because(`checkout: moving from ${from} to ${to}`),
    );
    if (target !== undefined || forced) await tellMoved(repository, head, { quiet, oid, isBranch: true });
    if (!quiet) {
      note(existed ? `Switched to and reset branch '${create}'\n` : `Switched to a new branch '${create}'\n`);
    }
    if (target !== undefined) await followStart(repository, create, name, options);
    return;
  }
  if (!onBranch || head.ref !== branchRef) {
    const log = await repository.because(`checkout: moving from ${from} to ${to}`);
    await refs.pointHead(onBranch ? { ref: branchRef, oid } : { oid }, log);
  }
  if (quiet) return;
  await tellMoved(repository, head, { quiet, oid, isBranch: onBranch });
  if (onBranch) {
    note(head.ref === branchRef ? `Already on '${name}'\n` : `Switched to branch '${name}'\n`);
    const upstream = await upstreamOf(repository, name);
    if (upstream && !upstream.gone) out(upstreamLines(upstream));
    return;
  }
  const { subject } = partsOf((await objects.commit(oid)).message);
  const advises = head.ref && !detach && await repository.config.flag("advice.detachedhead", true);
  if (advises) note(detachedAdvice(name));
  note(`HEAD is now at ${await objects.short(oid)} ${subject}\n`);
}

function upstreamLines({ name, ahead, behind }) {
  const commits = (count) => `${count} commit${count === 1 ? "" : "s"}`;
  if (ahead === 0 && behind === 0) return `Your branch is up to date with '${name}'.\n`;
  if (behind === 0) {
    return `Your branch is ahead of '${name}' by ${
      commits(ahead)
    }.\n  (use "git push" to publish your local commits)\n`;
  }
  if (ahead === 0) {
    return `Your branch is behind '${name}' by ${
      commits(behind)
    }, and can be fast-forwarded.\n  (use "git pull" to update your local branch)\n`;
  }
  return `Your branch and '${name}' have diverged,\nand have ${ahead} and ${behind} different commits each, respectively.\n  (use "git pull" if you want to integrate the remote branch with yours)\n`;
}

async function tellMoved(repository, head, { quiet, oid, isBranch }) {
  if (quiet) return;
  await tellChanges(repository);
  if (head.ref || !head.oid || head.oid === oid) return;
  const { subject } = partsOf((await repository.objects.commit(head.oid)).message);
  let kept = false;
  for (const [, each] of await repository.refs.list("refs/")) {
    const commit = await peel(repository.objects, each, "commit");
    kept ||= commit !== undefined && await isAncestor(repository.objects, head.oid, commit);
  }
  kept ||= await isAncestor(repository.objects, head.oid, oid);
  const short = await repository.objects.short(head.oid);
  if (kept || !isBranch) note(`Previous HEAD position was ${short} ${subject}\n`);
  else {
    note(
      `Warning: you are leaving 1 commit behind, not connected to\nany of your branches:\n\n  ${short} ${subject}\n\n` +
        `If you want to keep it by creating a new branch, this may be a good time\nto do so with:\n\n git branch <new-branch-name> ${short}\n\n`,
    );
  }
}

const detachedAdvice = (name) =>
  `Note: switching to '${name}'.

You are in 'detached HEAD' state. You can look around, make experimental
changes and commit them, and you can discard any commits you make in this
state without impacting any branches by switching back to a branch.

If you want to create a new branch to retain commits you create, you may
do so (now or later) by using -c with the switch command. Example:

  git switch -c <new-branch-name>

Or undo this operation with:

  git switch -

Turn off this advice by setting config variable advice.detachedHead to false

`;
