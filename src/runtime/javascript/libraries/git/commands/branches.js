/** `branch`. */
import { readConfig } from "../config.js";
import { parseOptions } from "../options.js";
import { partsOf } from "../pretty.js";
import { isValidName } from "../refs.js";
import { openRepository } from "../repository.js";
import { commitOf, isAncestor, isRevision, previousBranch } from "../revisions.js";
import { failed, Failure, fatal, note, out, readText } from "../system.js";
import { stateOf } from "./rebase_state.js";
import { refText } from "./references.js";
import { headText, upstreamOf } from "./status.js";

export const glob = (pattern) =>
  new RegExp(`^${pattern.replace(/[.+^${}()|\\]/g, "\\$&").replace(/\*+/g, ".*").replace(/\?/g, ".")}$`, "s");

export function checkName(name, kind = "branch") {
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
    `a|all r|remotes l|list v|verbose vv d|delete D m|move M !c|copy !C f|force q|quiet show-current contains=? !no-contains= merged=?
    no-merged=? t|track[=] no-track u|set-upstream-to= unset-upstream sort= format= no-color color[=] no-column !points-at= !edit-description`,
  );
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
export async function followStart(repository, name, start, options) {
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
      const rebasing = stateOf(repository);
      const where = rebasing
        ? `no branch, rebasing ${rebasing.name.replace(/^refs\/heads\//, "")}`
        : (await headText(repository)).replace("Not currently on any branch.", "no branch");
      rows.push({
        name: `(${where})`,
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
