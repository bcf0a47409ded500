/** `fetch`, `pull` and `push` between repositories of the session: there is no network. */
import { readConfig } from "../config.js";
import { parseOptions } from "../options.js";
import { findRepository, openRepository, Repository } from "../repository.js";
import { isAncestor, peel } from "../revisions.js";
import { absolute, Failure, fatal, isDirectory, note, out, started, stat } from "../system.js";
import { runHook } from "../shell.js";
import { merge } from "./merge.js";
import { begin } from "./rebase.js";

const ELSEWHERE = /^(https?|git|ssh|ftps?):\/\/|^[^/]+@[^/]+:|^[\w.-]+:(?!\/\/)/;
const NO_DESTINATION = `No configured push destination.
Either specify the URL from the command-line or configure a remote repository using

    git remote add <name> <url>

and then push using the remote name

    git push <name>
`;

const FETCH_FIRST = `hint: Updates were rejected because the remote contains work that you do not
hint: have locally. This is usually caused by another repository pushing to
hint: the same ref. If you want to integrate the remote changes, use
hint: 'git pull' before pushing again.
hint: See the 'Note about fast-forwards' in 'git push --help' for details.
`;
const BEHIND = `hint: Updates were rejected because the tip of your current branch is behind
hint: its remote counterpart. If you want to integrate the remote changes,
hint: use 'git pull' before pushing again.
hint: See the 'Note about fast-forwards' in 'git push --help' for details.
`;

/** A path as it is written down, and as it is told of. */
export const written = (url) => /^\/|^file:/.test(url) ? url : `${started.cwd}/${url}`;
const told = (url) => url.replace(/\/+$/, "").replace(/\.git$/, "");

/** The repository at a path. @returns undefined if there is none. */
export function repositoryAt(url, from = started.cwd) {
  if (ELSEWHERE.test(url)) throw fatal(`unable to access '${url}': there is no network here`);
  const path = absolute(url.replace(/^file:\/\//, ""), from);
  for (const gitdir of [`${path}/.git`, path, `${path}.git`]) {
    if (!isDirectory(`${gitdir}/objects`) || !stat(`${gitdir}/HEAD`)) continue;
    return new Repository({ gitdir, top: gitdir === `${path}/.git` ? path : undefined });
  }
  return undefined;
}

/** Copies objects, and all that they stand on, as far as the other repository has them not. */
export async function copyObjects(from, to, tips) {
  const waiting = [...tips];
  const seen = new Set();
  while (waiting.length > 0) {
    const oid = waiting.pop();
    if (seen.has(oid) || await to.has(oid)) continue;
    seen.add(oid);
    const { type, bytes } = await from.read(oid);
    if (type === "commit") {
      const { tree, parents } = await from.commit(oid);
      waiting.push(tree, ...parents);
    } else if (type === "tree") {
      waiting.push(...(await from.tree(oid)).filter(({ mode }) => mode !== "160000").map(({ oid }) => oid));
    } else if (type === "tag") waiting.push((await from.tag(oid)).object);
    to.write(type, bytes);
  }
}

/** What a remote is called, and where it is. */
async function remoteOf(repository, given, missing, { pushing = false } = {}) {
  const branch = (await repository.refs.head()).branch;
  const name = given ?? await repository.config.get(`branch.${branch}.remote`) ?? "origin";
  const own = pushing ? await repository.config.get(`remote.${name}.pushurl`) : undefined;
  const url = own ?? await repository.config.get(`remote.${name}.url`);
  if (url === undefined && given === undefined) throw fatal(missing);
  const other = repositoryAt(
    url ?? name,
    url === undefined ? started.cwd : repository.top ?? repository.gitdir,
  );
  if (!other) {
    throw fatal(
      `'${
        url ?? name
      }' does not appear to be a git repository\nfatal: Could not read from remote repository.\n\n` +
        "Please make sure you have the correct access rights\nand the repository exists.",
    );
  }
  return { name: url === undefined ? undefined : name, url: url ?? name, other };
}

const row = (kind, from, to, why = "") => ` ${kind} ${from} -> ${to}${why === "" ? "" : `  (${why})`}\n`;

/** Takes away what a remote has no more. @returns what they are called there. */
async function pruneBranches({ refs }, { name, other }, dry = false) {
  const there = new Set(
    (await other.refs.list("refs/heads/")).map(([ref]) => ref.slice("refs/heads/".length)),
  );
  const prefix = `refs/remotes/${name}/`;
  const gone = (await refs.list(prefix)).map(([ref]) => ref.slice(prefix.length)).filter((short) =>
    short !== "HEAD" && !there.has(short)
  );
  for (const short of dry ? [] : gone) await refs.remove(prefix + short);
  return gone;
}

/** `remote prune`. */
export async function pruneRemote(repository, name, dry) {
  const remote = await remoteOf(repository, name);
  const gone = await pruneBranches(repository, remote, dry);
  if (gone.length > 0) out(`Pruning ${name}\nURL: ${remote.url}\n`);
  for (const short of gone) out(` * [${dry ? "would prune" : "pruned"}] ${name}/${short}\n`);
}

/** Brings the branches of a remote. @param prunes Whether those go that it has no more. @returns its branches. */
async function bring(repository, { name, url, other }, { quiet, prunes }) {
  const { refs, objects } = repository;
  const heads = await other.refs.list("refs/heads/");
  const tags = await other.refs.list("refs/tags/");
  const rows = [];
  const changes = [];
  const width = Math.max(10, ...heads.map(([ref]) => ref.length - "refs/heads/".length));
  await copyObjects(other.objects, objects, [...heads, ...tags].map(([, oid]) => oid));
  for (const short of prunes && name !== undefined ? await pruneBranches(repository, { name, other }) : []) {
    rows.push(row("- [deleted]        ", "(none)".padEnd(width), `${name}/${short}`));
  }
  for (const [ref, oid] of name === undefined ? [] : heads) {
    const short = ref.slice("refs/heads/".length);
    const target = `refs/remotes/${name}/${short}`;
    const before = await refs.resolve(target);
    if (before === oid) continue;
    const shown = `${name}/${short}`;
    const [a, b] = [before && await objects.short(before), await objects.short(oid)];
    const forward = before && await isAncestor(objects, before, oid);
    if (!before) rows.push(row("* [new branch]     ", short.padEnd(width), shown));
    else if (forward) rows.push(row(`  ${`${a}..${b}`.padEnd(17)}`, short.padEnd(width), shown));
    else rows.push(row(`+ ${`${a}...${b}`.padEnd(17)}`, short.padEnd(width), shown, "forced update"));
    changes.push([target, oid, before ? (forward ? "fast-forward" : "forced-update") : "storing head"]);
  }
  for (const [ref, oid] of tags) {
    if (await refs.resolve(ref)) continue;
    const short = ref.slice("refs/tags/".length);
    rows.push(row("* [new tag]        ", short.padEnd(width), short));
    changes.push([ref, oid]);
  }
  for (const [ref, oid, why] of changes) {
    await refs.update(ref, oid, why && await repository.because(`fetch ${name}: ${why}`));
  }
  if (rows.length > 0 && !quiet) note(`From ${told(url)}\n${rows.join("")}`);
  return new Map(heads);
}

export async function fetch(args) {
  const options = parseOptions("fetch", args, "q|quiet all t|tags p|prune no-prune v|verbose !P|prune-tags");
  if (options.operands.length > 1) throw fatal("git fetch takes no branches here: it brings all of them");
  const repository = await openRepository({ bare: true });
  const remote = await remoteOf(
    repository,
    options.operands[0],
    "No remote repository specified.  Please, specify either a URL or a\nremote name from which new revisions should be fetched.",
  );
  await bring(repository, remote, {
    quiet: options.has("quiet"),
    prunes: await prunesOf(repository, options, remote.name),
  });
}

/** Whether branches go that a remote has no more: as it is said, or else configured. */
async function prunesOf({ config }, options, name) {
  const said = options.last("prune", "no-prune");
  if (said !== undefined) return said === "prune";
  const own = name === undefined ? undefined : await config.get(`remote.${name}.prune`);
  return own === undefined
    ? await config.flag("fetch.prune", false)
    : await config.flag(`remote.${name}.prune`, false);
}

export async function pull(args) {
  const options = parseOptions(
    "pull",
    args,
    "q|quiet ff ff-only no-ff no-rebase no-edit r|rebase[=] v|verbose p|prune no-prune",
  );
  const wish = options.last("rebase", "no-rebase");
  if (wish === "rebase" && !["true", "false", undefined].includes(options.value("rebase"))) {
    throw fatal(`git pull --rebase=${options.value("rebase")} is not supported here`);
  }
  const repository = await openRepository();
  const { refs, objects, config } = repository;
  const head = await refs.head();
  const [given, wanted] = options.operands;
  const remote = await remoteOf(repository, given, "No remote repository specified.");
  const follows = await config.get(`branch.${head.branch}.merge`);
  const ref = wanted === undefined ? follows : `refs/heads/${wanted}`;
  if (ref === undefined) {
    throw new Failure(
      "There is no tracking information for the current branch.\nPlease specify which branch you want to merge with.\nSee git-pull(1) for details.\n\n" +
        "    git pull <remote> <branch>\n\nIf you wish to set tracking information for this branch you can do so with:\n\n" +
        `    git branch --set-upstream-to=${remote.name ?? "<remote>"}/<branch> ${head.branch}\n\n`,
      1,
    );
  }
  const heads = await bring(repository, remote, {
    quiet: options.has("quiet"),
    prunes: await prunesOf(repository, options, remote.name),
  });
  const tip = heads.get(ref);
  if (!tip) throw fatal(`couldn't find remote ref ${ref.replace("refs/heads/", "")}`);
  const way = options.last("ff", "ff-only", "no-ff", "no-rebase") ??
    (await config.get("pull.rebase") === undefined ? undefined : "no-rebase");
  const rebases = wish === undefined
    ? await config.get("pull.rebase") === "true" && !options.has("ff-only")
    : wish === "rebase" && options.value("rebase") !== "false";
  if (rebases && head.oid) return await begin(repository, options, tip);
  const apart = head.oid && !(await isAncestor(objects, head.oid, tip)) &&
    !(await isAncestor(objects, tip, head.oid));
  if (apart && way === undefined && await config.get("pull.ff") === undefined) {
    throw new Failure(
      'hint: You have divergent branches and need to specify how to reconcile them.\nhint: You can do so by running one of the following commands sometime before\nhint: your next pull:\nhint:\nhint:   git config pull.rebase false  # merge\nhint:   git config pull.rebase true   # rebase\nhint:   git config pull.ff only       # fast-forward only\nhint:\nhint: You can replace "git config" with "git config --global" to set a default\nhint: preference for all repositories. You can also pass --rebase, --no-rebase,\nhint: or --ff-only on the command line to override the configured default per\nhint: invocation.\nfatal: Need to specify how to reconcile divergent branches.\n',
      128,
    );
  }
  const flags = [
    ...options.has("quiet") ? ["-q"] : [],
    ...["ff-only", "no-ff"].includes(way) ? [`--${way}`] : [],
  ];
  const short = ref.replace("refs/heads/", "");
  return await merge([...flags, "-m", `Merge branch '${short}' of ${told(remote.url)}`, tip]);
}

const NONE = "0".repeat(40);
const failedToPush = (url) => new Failure(`error: failed to push some refs to '${url}'\n`, 1);
const shortRef = (ref) => ref.replace(/^refs\/(heads|tags)\//, "");

/** What `A:B` is to change: which reference of the other repository, from what to what. */
async function updateOf({ refs }, options, { other, url }, { spec, head }) {
  const [left, right = left] = spec.replace(/^\+/, "").split(":");
  const deletes = options.has("delete") || left === "";
  const found = deletes ? undefined : await refs.find(left);
  if (!deletes && !found) {
    throw new Failure(
      `error: src refspec ${left} does not match any\nerror: failed to push some refs to '${url}'\n`,
      1,
    );
  }
  const own = found?.ref === "HEAD" ? head.ref : found?.ref;
  const named = right === "HEAD" ? head.ref : right;
  const target = named.startsWith("refs/")
    ? named
    : deletes
    ? (await other.refs.find(named))?.ref ?? named
    : `${own?.startsWith("refs/tags/") ? "refs/tags/" : "refs/heads/"}${named}`;
  return { spec, left, right, deletes, found, own, target, before: await other.refs.resolve(target) };
}

export async function push(args) {
  const options = parseOptions(
    "push",
    args,
    "q|quiet u|set-upstream f|force !force-with-lease tags all d|delete !n|dry-run v|verbose no-verify progress prune",
  );
  const repository = await openRepository({ bare: true });
  const { refs, objects, config } = repository;
  const [given, ...specs] = options.operands;
  if (options.has("prune") && (!options.has("all") || specs.length > 0)) {
    throw fatal("git push --prune is there with --all here");
  }
  const remote = await remoteOf(repository, given, NO_DESTINATION, { pushing: true });
  const { other, name, url } = remote;
  const head = await refs.head();
  if (options.has("all")) specs.push(...(await refs.list("refs/heads/")).map(([ref]) => ref));
  if (options.has("prune")) {
    const gone = [];
    for (const [ref] of await other.refs.list("refs/heads/")) {
      if (!await refs.resolve(ref)) gone.push(`:${ref}`);
    }
    specs.unshift(...gone);
  }
  if (options.has("tags")) specs.push(...(await refs.list("refs/tags/")).map(([ref]) => ref));
  if (specs.length === 0) {
    if (!head.ref) throw fatal("You are not currently on a branch.");
    const follows = await config.get(`branch.${head.branch}.merge`);
    if (!follows && !options.has("set-upstream") && given === undefined) {
      throw fatal(
        `The current branch ${head.branch} has no upstream branch.\nTo push the current branch and set the remote as upstream, use\n\n    git push --set-upstream ${
          name ?? url
        } ${head.branch}\n\n` +
          "To have this happen automatically for branches without a tracking\nupstream, see 'push.autoSetupRemote' in 'git help config'.\n",
      );
    }
    specs.push(head.branch);
  }
  const rows = [];
  const followed = [];
  const there = await other.refs.head();
  let failed = "";
  const updates = [];
  for (const spec of specs) updates.push(await updateOf(repository, options, remote, { spec, head }));
  const told = updates.map(({ own, left, found, target, before }) =>
    `${found ? own ?? left : "(delete)"} ${found?.oid ?? NONE} ${target} ${before ?? NONE}\n`
  );
  if (
    !options.has("no-verify") &&
    await runHook(repository, "pre-push", [name ?? url, url], told.join("")) !== 0
  ) {
    throw failedToPush(url);
  }
  const received = updates.filter(({ found, before }) => found?.oid !== before).map((
    { found, target, before },
  ) => `${before ?? NONE} ${found?.oid ?? NONE} ${target}\n`).join("");
  for (const { found } of updates) if (found) await copyObjects(objects, other.objects, [found.oid]);
  if (received !== "" && await runHook(other, "pre-receive", [], received) !== 0) {
    const refused = updates.map(({ left, target }) =>
      ` ! [remote rejected] ${shortRef(left)} -> ${shortRef(target)} (pre-receive hook declined)\n`
    );
    throw new Failure(`To ${url}\n${refused.join("")}error: failed to push some refs to '${url}'\n`, 1);
  }
  let changed = "";
  for (const { spec, left, right, deletes, found, own, target, before } of updates) {
    const forced = options.has("force") || spec.startsWith("+");
    const short = shortRef;
    if (deletes) {
      if (!before) {
        failed = `error: unable to delete '${right}': remote ref does not exist\n`;
        continue;
      }
      await other.refs.remove(target);
      changed += `${before} ${NONE} ${target}\n`;
      rows.push(` - [deleted]         ${short(target)}\n`);
      if (name) await refs.remove(`refs/remotes/${name}/${short(target)}`);
      continue;
    }
    if (other.top !== undefined && there.ref === target && before !== found.oid && before) {
      throw new Failure(
        `To ${url}\n ! [remote rejected] ${short(left)} -> ${
          short(target)
        } (branch is currently checked out)\nerror: failed to push some refs to '${url}'\n`,
        1,
      );
    }
    const kept = before === undefined ||
      (await objects.has(before) && await isAncestor(objects, before, found.oid));
    const shown = [short(left), short(target)];
    if (before !== found.oid && !kept && !forced) {
      const why = await objects.has(before) ? "non-fast-forward" : "fetch first";
      rows.push(` ! [rejected]        ${shown[0]} -> ${shown[1]} (${why})\n`);
      failed = `error: failed to push some refs to '${url}'\n${why === "fetch first" ? FETCH_FIRST : BEHIND}`;
      continue;
    }
    if (before !== found.oid) {
      changed += `${before ?? NONE} ${found.oid} ${target}\n`;
      const range = before && [await objects.short(before), await objects.short(found.oid)];
      const kind = target.startsWith("refs/tags/") ? "tag" : "branch";
      if (!range) {
        rows.push(` * [new ${kind}]${" ".repeat(kind === "tag" ? 9 : 6)}${shown[0]} -> ${shown[1]}\n`);
      } else if (kept) rows.push(`   ${range.join("..")}  ${shown[0]} -> ${shown[1]}\n`);
      else rows.push(` + ${range.join("...")} ${shown[0]} -> ${shown[1]} (forced update)\n`);
      await other.refs.update(
        target,
        found.oid,
        other.top === undefined ? undefined : await repository.because("push"),
      );
    }
    if (name && target.startsWith("refs/heads/")) {
      await refs.update(
        `refs/remotes/${name}/${short(target)}`,
        found.oid,
        await repository.because("update by push"),
      );
      if (options.has("set-upstream")) followed.push([short(own), short(target)]);
    }
  }
  if (changed !== "") await runHook(other, "post-receive", [], changed);
  if (rows.length > 0 && !options.has("quiet")) note(`To ${url}\n${rows.join("")}`);
  else if (rows.length === 0 && failed === "" && !options.has("quiet")) note("Everything up-to-date\n");
  for (const [own, target] of followed) {
    const file = await readConfig(config.path);
    await file.set(`branch.${own}.remote`, name);
    await file.set(`branch.${own}.merge`, `refs/heads/${target}`);
    file.save();
    out(`branch '${own}' set up to track '${name}/${target}'.\n`);
  }
  if (failed !== "") throw new Failure(failed, 1);
}

export async function lsRemote(args) {
  const options = parseOptions("ls-remote", args, "h|heads t|tags q|quiet");
  const repository = findRepository();
  const [given] = options.operands;
  const { other } = repository
    ? await remoteOf(repository, given, "No remote configured to list refs from.")
    : { other: given && repositoryAt(given) };
  if (!other) throw fatal(`'${given}' does not appear to be a git repository`);
  if (given === undefined) note(`From ${await repository.config.get("remote.origin.url")}\n`);
  const head = await other.refs.head();
  const all = !options.has("heads", "tags");
  if (head.oid && all) out(`${head.oid}\tHEAD\n`);
  for (const [ref, oid] of await other.refs.list("refs/")) {
    const wanted = all || (options.has("heads") && ref.startsWith("refs/heads/")) ||
      (options.has("tags") && ref.startsWith("refs/tags/"));
    if (!wanted) continue;
    const target = await peel(other.objects, oid);
    out(`${oid}\t${ref}\n${target && target !== oid ? `${target}\t${ref}^{}\n` : ""}`);
  }
}
