/** `branch`, `checkout`, `switch`, `tag`. */
import { changesBetween } from "../compare.js";
import { readConfig } from "../config.js";
import { tagBytes } from "../objects.js";
import { parseOptions } from "../options.js";
import { partsOf, Pretty, shapeOf } from "../pretty.js";
import { isValidName } from "../refs.js";
import { commitOf, isAncestor, isRevision, peel, previousBranch, resolve } from "../revisions.js";
import { openRepository } from "../repository.js";
import {
  absolute,
  decode,
  failed,
  Failure,
  fatal,
  isFile,
  lstat,
  note,
  out,
  readInput,
  readText,
} from "../system.js";
import { force, moveTo, readIndex, readTracked } from "../worktree.js";
import { cleaned } from "./commit.js";
import { headFiles, restorePaths } from "./staging.js";
import { headText, upstreamOf } from "./status.js";

const glob = (pattern) =>
  new RegExp(`^${pattern.replace(/[.+^${}()|\\]/g, "\\$&").replace(/\*+/g, ".*").replace(/\?/g, ".")}$`, "s");

function checkName(name, kind = "branch") {
  if (isValidName(name) && name !== "HEAD") return;
  throw fatal(
    `'${name}' is not a valid ${kind} name${
      kind === "branch"
        ? '\nhint: See `man git check-ref-format`\nhint: Disable this message with "git config advice.refSyntax false"'
        : "."
    }`,
  );
}

export async function branch(args) {
  const options = parseOptions(
    "branch",
    args,
    `a|all r|remotes l|list v|verbose vv d|delete D m|move M c|copy C f|force q|quiet show-current contains=? no-contains= merged=?
    no-merged=? t|track[=] no-track u|set-upstream-to= unset-upstream sort= format= no-color color[=] no-column points-at= edit-description`,
  );
  const odd = options.last("copy", "C", "no-contains", "points-at", "edit-description");
  if (odd) throw fatal(`git branch --${odd} is not supported here`);
  const repository = await openRepository({ bare: true });
  const { refs } = repository;
  const head = await refs.head();
  if (options.has("show-current")) return out(head.ref ? `${head.branch}\n` : "");
  const force_ = options.has("force");
  if (options.has("delete", "D")) {
    return await removeBranches(repository, options, options.has("D") || force_);
  }
  if (options.has("move", "M")) {
    return await renameBranch(repository, options.operands, options.has("M") || force_);
  }
  if (options.has("set-upstream-to")) {
    return await setUpstream(
      repository,
      options.operands[0] ?? head.branch,
      options.value("set-upstream-to"),
    );
  }
  if (options.has("unset-upstream")) {
    return await removeUpstream(repository, options.operands[0] ?? head.branch);
  }
  const lists = options.has(
    "list",
    "all",
    "remotes",
    "contains",
    "merged",
    "no-merged",
    "verbose",
    "vv",
    "sort",
    "format",
  );
  if (options.operands.length === 0 || lists) return await listBranches(repository, options, head);
  const [name, start = "HEAD"] = options.operands;
  checkName(name);
  const ref = `refs/heads/${name}`;
  const existing = await refs.resolve(ref);
  if (existing && !force_) throw fatal(`a branch named '${name}' already exists`);
  if (force_ && ref === head.ref) {
    throw fatal(`cannot force update the branch '${name}' used by worktree at '${repository.top}'`);
  }
  if (start === "HEAD" && !head.oid) throw fatal(`not a valid object name: '${head.branch ?? "HEAD"}'`);
  const oid = await startOf(repository, start);
  await refs.update(
    ref,
    oid,
    await repository.because(`branch: ${existing ? "Reset to" : "Created from"} ${start}`),
  );
  await followStart(repository, name, start, options);
}

async function startOf(repository, name) {
  if (!await isRevision(repository, name)) throw fatal(`not a valid object name: '${name}'`);
  return await commitOf(repository, name);
}

/** A branch that starts from one of a remote follows it. */
async function followStart(repository, name, start, options) {
  const found = await repository.refs.find(start);
  const isRemote = found?.ref.startsWith("refs/remotes/");
  const wants = options.has("track")
    ? found?.ref.startsWith("refs/heads/") || isRemote
    : isRemote && !options.has("no-track");
  if (wants) await setUpstream(repository, name, start);
}

async function setUpstream(repository, name, upstream) {
  const found = await repository.refs.find(upstream);
  if (!found) {
    throw new Failure(`fatal: the requested upstream branch '${upstream}' does not exist\n`, 128);
  }
  const [, remote, short] = /^refs\/remotes\/([^/]+)\/(.*)$/.exec(found.ref) ??
    [undefined, ".", found.ref.replace(/^refs\/heads\//, "")];
  const file = await readConfig(repository.config.path);
  await file.set(`branch.${name}.remote`, remote);
  await file.set(`branch.${name}.merge`, `refs/heads/${short}`);
  file.save();
  repository.config.forget();
  out(`branch '${name}' set up to track '${remote === "." ? short : `${remote}/${short}`}'.\n`);
}

async function removeUpstream(repository, name) {
  const file = await readConfig(repository.config.path);
  const had = file.remove(`branch.${name}.merge`);
  file.remove(`branch.${name}.remote`);
  if (!had) throw fatal(`branch '${name}' has no upstream information`);
  file.save();
}

async function removeBranches(repository, options, forced) {
  const { refs, objects } = repository;
  const head = await refs.head();
  const prefix = options.has("remotes") ? "refs/remotes/" : "refs/heads/";
  let code = 0;
  if (options.operands.length === 0) throw fatal("branch name required");
  for (const given of options.operands) {
    const name = given === "-" ? previousBranch(repository) : given;
    const oid = await refs.resolve(prefix + name);
    if (!oid) {
      note(`error: branch '${name}' not found\n`);
      code = 1;
      continue;
    }
    if (prefix + name === head.ref) {
      throw failed(`cannot delete branch '${name}' used by worktree at '${repository.top}'`);
    }
    const upstream = await upstreamOf(repository, name);
    const base = upstream?.oid ?? head.oid;
    if (!forced && !(base && await isAncestor(objects, oid, base))) {
      note(
        `error: the branch '${name}' is not fully merged\nhint: If you are sure you want to delete it, run 'git branch -D ${name}'\nhint: Disable this message with "git config advice.forceDeleteBranch false"\n`,
      );
      code = 1;
      continue;
    }
    await refs.remove(prefix + name);
    const file = await readConfig(repository.config.path);
    if (file.removeSection(`branch.${name}`)) file.save();
    if (!options.has("quiet")) out(`Deleted branch ${name} (was ${await objects.short(oid)}).\n`);
  }
  return code;
}

async function renameBranch(repository, names, forced) {
  const { refs } = repository;
  const head = await refs.head();
  const [from, to] = names.length > 1 ? names : [head.branch, names[0]];
  if (to === undefined) throw fatal("branch name required");
  if (from === undefined) throw fatal("cannot rename the current branch while not on any");
  checkName(to);
  const oid = await refs.resolve(`refs/heads/${from}`);
  if (!oid && from !== head.branch) throw fatal(`no branch named '${from}'`);
  if (from !== to && !forced && await refs.resolve(`refs/heads/${to}`)) {
    throw fatal(`a branch named '${to}' already exists`);
  }
  if (!oid) return void await refs.pointHead({ ref: `refs/heads/${to}` });
  if (from === to) return;
  refs.moveLog(`refs/heads/${from}`, `refs/heads/${to}`);
  await refs.remove(`refs/heads/${from}`);
  const log = await repository.because(`Branch: renamed refs/heads/${from} to refs/heads/${to}`);
  await refs.update(`refs/heads/${to}`, oid, log);
  if (from === head.branch) await refs.pointHead({ ref: `refs/heads/${to}`, oid }, log);
}

async function listBranches(repository, options, head) {
  const { refs, objects } = repository;
  if (
    options.has("sort") &&
    !["refname", "-refname", "committerdate", "-committerdate"].includes(options.value("sort"))
  ) {
    throw fatal(`branches are sorted by refname and committerdate here, not by ${options.value("sort")}`);
  }
  const verbose = options.given.filter(([name]) => name === "verbose").length + (options.has("vv") ? 2 : 0);
  const rows = [];
  if (!options.has("remotes")) {
    if (!head.ref && head.oid) {
      rows.push({
        name: `(${(await headText(repository)).replace("Not currently on any branch.", "no branch")})`,
        oid: head.oid,
        mark: "*",
      });
    }
    for (const [ref, oid] of await refs.list("refs/heads/")) {
      rows.push({ ref, name: ref.slice(11), oid, mark: ref === head.ref ? "*" : " " });
    }
  }
  if (options.has("all", "remotes")) {
    for (const [ref, oid] of await refs.list("refs/remotes/")) {
      const target = ref.endsWith("/HEAD")
        ? /^ref: refs\/remotes\/(.*)/.exec(readText(refs.file(ref)) ?? "")?.[1]
        : undefined;
      const name = options.has("all") ? ref.slice(5) : ref.slice(13);
      rows.push({ ref, name: target ? `${name} -> ${target}` : name, oid, mark: " " });
    }
  }
  const patterns = options.operands.map(glob);
  const chosen = [];
  for (const row of rows) {
    if (patterns.length > 0 && !patterns.some((each) => each.test(row.name))) continue;
    const reach = async (option, turned) => {
      if (!options.has(option)) return true;
      const oid = await commitOf(repository, options.value(option) ?? "HEAD");
      return turned ? await isAncestor(objects, oid, row.oid) : await isAncestor(objects, row.oid, oid);
    };
    if (!(await reach("contains", true)) || !(await reach("merged", false))) continue;
    if (options.has("no-merged") && await reach("no-merged", false)) continue;
    chosen.push(row);
  }
  const order = options.value("sort") ?? "refname";
  if (order.endsWith("committerdate")) {
    for (const row of chosen) row.time = (await objects.commit(row.oid)).committer.time;
    chosen.sort((a, b) => a.time - b.time);
  }
  if (order.startsWith("-")) chosen.reverse();
  if (options.has("format")) {
    for (const row of chosen) out(`${await refText(repository, options.value("format"), row)}\n`);
    return;
  }
  const width = Math.max(0, ...chosen.map(({ name }) => name.length));
  for (const { mark, name, oid, ref } of chosen) {
    if (verbose === 0) {
      out(`${mark} ${name}\n`);
      continue;
    }
    const upstream = ref?.startsWith("refs/heads/") ? await upstreamOf(repository, ref.slice(11)) : undefined;
    const apart = upstream &&
      [
        upstream.gone && "gone",
        upstream.ahead > 0 && `ahead ${upstream.ahead}`,
        upstream.behind > 0 && `behind ${upstream.behind}`,
      ].filter(Boolean).join(", ");
    const tracking = !upstream
      ? ""
      : verbose > 1
      ? `[${upstream.name}${apart ? `: ${apart}` : ""}] `
      : apart
      ? `[${apart}] `
      : "";
    out(
      `${mark} ${name.padEnd(width)} ${await objects.short(oid)} ${tracking}${
        partsOf((await objects.commit(oid)).message).subject
      }\n`,
    );
  }
}

/** A reference by a pattern as `--format` and for-each-ref take it. */
async function refText(repository, pattern, { ref = "", name, oid, mark }) {
  const { objects } = repository;
  const parts = pattern.split(/(%\([^)]*\)|%%)/);
  let text = "";
  for (const part of parts) {
    const field = /^%\((.*)\)$/.exec(part)?.[1];
    if (field === undefined) {
      text += part === "%%" ? "%" : part;
      continue;
    }
    const commit = async () => await objects.commit(await peel(objects, oid, "commit"));
    if (field === "refname") text += ref;
    else if (field === "refname:short") text += name;
    else if (field === "objectname") text += oid;
    else if (field === "objectname:short") text += await objects.short(oid);
    else if (field === "objecttype") text += (await objects.read(oid)).type;
    else if (field === "HEAD") text += mark ?? " ";
    else if (field === "subject" || field === "contents:subject") {
      text += partsOf((await commit()).message).subject;
    } else if (field === "upstream:short") {
      text += ref.startsWith("refs/heads/") ? (await upstreamOf(repository, name))?.name ?? "" : "";
    } else if (/^(author|committer)(name|email|date)(:.*)?$/.test(field)) {
      const [, role, what, shape] = /^(author|committer)(name|email|date)(?::(.*))?$/.exec(field);
      const code = { name: "n", email: "e", date: "d" }[what];
      const pretty = new Pretty(
        repository,
        shapeOf(`format:%${role[0]}${code}`),
        shape ? { date: shape } : {},
      );
      const shown = await pretty.text(await commit());
      text += what === "email" ? `<${shown}>` : shown;
    } else throw fatal(`unknown field name: ${field}`);
  }
  return text;
}

export async function forEachRef(args) {
  const options = parseOptions("for-each-ref", args, "format= sort= count=");
  const repository = await openRepository({ bare: true });
  if (options.has("sort") && !/^-?(refname|committerdate|creatordate)$/.test(options.value("sort"))) {
    throw fatal(`references can't be sorted by ${options.value("sort")} here`);
  }
  const head = await repository.refs.head();
  const rows = [];
  for (const [ref, oid] of await repository.refs.list("refs/")) {
    const named = options.operands.some((each) =>
      ref === each || ref.startsWith(each.endsWith("/") ? each : `${each}/`) || glob(each).test(ref)
    );
    if (options.operands.length > 0 && !named) continue;
    const commit = await peel(repository.objects, oid, "commit");
    const time = commit ? (await repository.objects.commit(commit)).committer.time : 0;
    rows.push({
      ref,
      name: ref.replace(/^refs\/(heads|tags|remotes)\//, ""),
      oid,
      mark: ref === head.ref ? "*" : " ",
      time,
    });
  }
  const order = options.value("sort") ?? "refname";
  if (order.endsWith("date")) rows.sort((a, b) => a.time - b.time);
  if (order.startsWith("-")) rows.reverse();
  for (const row of rows.slice(0, options.number("count", rows.length))) {
    out(
      `${await refText(
        repository,
        options.value("format") ?? "%(objectname) %(objecttype)\t%(refname)",
        row,
      )}\n`,
    );
  }
}

const SWITCHING =
  "q|quiet f|force t|track[=] no-track m|merge guess no-guess progress no-progress ignore-other-worktrees";

export async function checkout(args) {
  const options = parseOptions(
    "checkout",
    args,
    `b= B= orphan= detach d ours theirs p|patch l overlay no-overlay recurse-submodules no-recurse-submodules ${SWITCHING}`,
  );
  const odd = options.last("patch", "merge", "no-overlay", "recurse-submodules");
  if (odd) throw fatal(`git checkout --${odd} is not supported here`);
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
    await tellChanges(repository);
    return;
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
  if (options.has("merge")) throw fatal("git switch --merge is not supported here");
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

/** Goes to a branch or a commit; makes the branch first where that is asked for. */
async function switchTo(repository, { options, create, reset, orphan, empty, detach, target }) {
  const { refs, objects } = repository;
  const head = await refs.head();
  const quiet = options.has("quiet");
  const forced = options.has("force", "discard-changes");
  if (!forced && isFile(refs.file("MERGE_HEAD"))) {
    const { unmerged } = await readIndex(repository);
    for (const path of unmerged.keys()) out(`${path}: needs merge\n`);
    throw unmerged.size === 0
      ? fatal('cannot switch branch while merging\nConsider "git merge --quit" or "git worktree add".')
      : failed("you need to resolve your current index first");
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
    return await tellChanges(repository);
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

export async function tag(args) {
  const options = parseOptions(
    "tag",
    args,
    "a|annotate m|message= F|file= d|delete l|list n[=] f|force sort= contains=? points-at= s|sign u= v|verify format= no-column i|ignore-case cleanup=",
  );
  const odd = options.last("sign", "u", "verify", "cleanup", "ignore-case");
  if (odd) throw fatal(`git tag --${odd} is not supported here`);
  const repository = await openRepository({ bare: true });
  const { refs, objects } = repository;
  const [name, target = "HEAD"] = options.operands;
  if (options.has("delete")) {
    let code = 0;
    for (const each of options.operands) {
      const oid = await refs.resolve(`refs/tags/${each}`);
      if (!oid) {
        note(`error: tag '${each}' not found.\n`);
        code = 1;
        continue;
      }
      await refs.remove(`refs/tags/${each}`);
      out(`Deleted tag '${each}' (was ${await objects.short(oid)})\n`);
    }
    return code;
  }
  const lists = options.has("list", "n", "contains", "points-at", "sort", "format");
  if (name === undefined || lists) return await listTags(repository, options);
  checkName(name, "tag");
  const oid = await resolve(repository, target);
  if (!oid) throw fatal(`Failed to resolve '${target}' as a valid ref.`);
  const existing = await refs.resolve(`refs/tags/${name}`);
  if (existing && !options.has("force")) throw fatal(`tag '${name}' already exists`);
  let made = oid;
  if (options.has("annotate", "message", "file")) {
    const lines = options.all("message");
    const file = options.value("file");
    const text = lines.length > 0
      ? lines.join("\n\n")
      : file === "-"
      ? decode(readInput())
      : file && readText(absolute(file));
    if (text === undefined) {
      throw failed(
        "Terminal is dumb, but EDITOR unset\nPlease supply the message using either -m or -F option.",
      );
    }
    const message = cleaned(text);
    if (message === "") throw fatal("no tag message?");
    const { type } = await objects.read(oid);
    made = objects.write(
      "tag",
      tagBytes({ object: oid, type, tag: name, tagger: await repository.person("COMMITTER"), message }),
    );
  }
  await refs.update(`refs/tags/${name}`, made);
  if (existing && existing !== made) out(`Updated tag '${name}' (was ${await objects.short(existing)})\n`);
}

async function listTags(repository, options) {
  const { refs, objects } = repository;
  const patterns = options.operands.map(glob);
  const lines = Number(options.value("n") ?? (options.has("n") ? 1 : 0));
  if (lines > 1) throw fatal("git tag -n shows one line here");
  const rows = [];
  for (const [ref, oid] of await refs.list("refs/tags/")) {
    const name = ref.slice(10);
    if (patterns.length > 0 && !patterns.some((each) => each.test(name))) continue;
    const commit = await peel(objects, oid, "commit");
    if (
      options.has("contains") &&
      !(commit &&
        await isAncestor(objects, await commitOf(repository, options.value("contains") ?? "HEAD"), commit))
    ) continue;
    if (options.has("points-at") && commit !== await commitOf(repository, options.value("points-at"))) {
      continue;
    }
    const { type } = await objects.read(oid);
    const own = type === "tag" ? await objects.tag(oid) : commit && await objects.commit(commit);
    rows.push({
      ref,
      name,
      oid,
      subject: partsOf(own?.message ?? "").subject,
      time: (own?.tagger ?? own?.committer)?.time ?? 0,
    });
  }
  const order = options.value("sort") ?? "refname";
  const field = order.replace(/^-/, "");
  if (field === "version:refname" || field === "v:refname") {
    rows.sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }));
  } else if (["creatordate", "taggerdate", "committerdate"].includes(field)) {
    rows.sort((a, b) => a.time - b.time);
  } else if (field !== "refname") throw fatal(`tags can't be sorted by ${field} here`);
  if (order.startsWith("-")) rows.reverse();
  for (const row of rows) {
    if (options.has("format")) out(`${await refText(repository, options.value("format"), row)}\n`);
    else out(lines > 0 ? `${row.name.padEnd(15)} ${row.subject}\n` : `${row.name}\n`);
  }
}
