/** `status`: what is staged, what is not, and what is not known. */
import { changesBetween, withRenames } from "../compare.js";
import { untrackedFiles } from "../ignored.js";
import { byName } from "../objects.js";
import { parseOptions } from "../options.js";
import { quotePath } from "../patch.js";
import { ancestors } from "../revisions.js";
import { openRepository } from "../repository.js";
import { fatal, isFile, out, readText } from "../system.js";
import { Pathspec, readIndex, readTracked } from "../worktree.js";
import { APPLYING, isApplying } from "./am_state.js";
import { bisectText, isBisecting } from "./bisect_state.js";
import { rebaseText, stateOf } from "./rebase_state.js";
import { fromHere, headFiles } from "./staging.js";

const WORDS = {
  A: "new file:   ",
  M: "modified:   ",
  D: "deleted:    ",
  R: "renamed:    ",
  T: "typechange: ",
};
const UNMERGED = {
  "1": ["DD", "both deleted:    "],
  "2": ["AU", "added by us:     "],
  "12": ["UD", "deleted by them: "],
  "3": ["UA", "added by them:   "],
  "13": ["DU", "deleted by us:   "],
  "23": ["AA", "both added:      "],
  "123": ["UU", "both modified:   "],
};
const kindOf = (stages) => UNMERGED[Object.keys(stages).sort().join("")];

/** All that there is to say. */
export async function lookAround(
  repository,
  { untracked = "normal", ignored = false, pathspec, renames = true } = {},
) {
  const { files, unmerged } = await readIndex(repository);
  const head = await headFiles(repository);
  const tracked = await readTracked(repository);
  const merged = (map) => new Map([...map].filter(([path]) => !unmerged.has(path)));
  const fits = ({ path, from }) => !pathspec || pathspec.matches(path) || pathspec.matches(from);
  let staged = changesBetween(merged(head), files);
  if (renames) staged = await withRenames(repository, staged);
  const unstaged = changesBetween(files, merged(tracked)).filter(({ path }) => files.has(path));
  const others = untracked === "no" && !ignored
    ? { untracked: [], ignored: [] }
    : await untrackedFiles(repository, new Map([...files, ...unmerged]), {
      whole: untracked !== "all",
      ignored,
    });
  const named = (path) => !pathspec || pathspec.matches(path.replace(/\/$/, ""));
  return {
    staged: staged.filter(fits),
    unstaged: unstaged.filter(fits),
    unmerged: [...unmerged].filter(([path]) => named(path)).map(([path, stages]) => ({
      path,
      kind: kindOf(stages),
    })),
    untracked: untracked === "no" ? [] : others.untracked.filter(named).sort(byName),
    ignored: others.ignored.filter(named).sort(byName),
  };
}

export async function status(args) {
  const options = parseOptions(
    "status",
    args,
    "s|short b|branch porcelain[=] long u|untracked-files[=] ignored[=] z no-renames ahead-behind no-ahead-behind !v|verbose !show-stash",
  );
  const repository = await openRepository();
  const version = options.has("porcelain") ? options.value("porcelain") ?? "v1" : undefined;
  if (version !== undefined && !["v1", "1"].includes(version)) {
    throw fatal(`porcelain ${version} is not supported here: v1 is`);
  }
  const mode = options.has("untracked-files")
    ? options.value("untracked-files") ?? "all"
    : await repository.config.get("status.showuntrackedfiles") ?? "normal";
  if (!["no", "normal", "all"].includes(mode)) throw fatal(`Invalid untracked files mode '${mode}'`);
  if (options.has("ignored") && !["traditional", undefined].includes(options.value("ignored"))) {
    throw fatal("of the modes of --ignored there is only traditional here");
  }
  const seen = await lookAround(repository, {
    untracked: mode,
    ignored: options.has("ignored"),
    renames: !options.has("no-renames"),
    pathspec: options.everything.length > 0 ? new Pathspec(repository, options.everything) : undefined,
  });
  const short = options.last("short", "long", "porcelain") ??
    (await repository.config.flag("status.short", false) ? "short" : "long");
  const branch = options.has("branch") ||
    (short === "short" && await repository.config.flag("status.branch", false));
  if (short !== "long" || options.has("z")) {
    const end = options.has("z") ? "\0" : "\n";
    const shown = (path) => version !== undefined || options.has("z") ? path : fromHere(repository, path);
    if (branch) out(`## ${await branchLine(repository)}${end}`);
    out(shortLines(seen, shown, end));
  } else out(await longText(repository, seen, { untracked: mode, ignored: options.has("ignored") }));
}

function shortLines({ staged, unstaged, unmerged, untracked, ignored }, shown, end) {
  const rows = new Map();
  for (const { status, path, from } of staged) {
    rows.set(path, { x: status, y: " ", from: status === "R" ? from : undefined });
  }
  for (const { status, path } of unstaged) rows.set(path, { x: " ", ...rows.get(path), y: status });
  for (const { path, kind: [code] } of unmerged) rows.set(path, { x: code[0], y: code[1] });
  const quoted = (path) => end === "\0" ? shown(path) : quotePath(shown(path), { spaces: true });
  const lines = [...rows].sort(([a], [b]) => byName(a, b)).map(([path, { x, y, from }]) => {
    if (from === undefined) return `${x}${y} ${quoted(path)}${end}`;
    return end === "\0"
      ? `${x}${y} ${quoted(path)}${end}${quoted(from)}${end}`
      : `${x}${y} ${quoted(from)} -> ${quoted(path)}${end}`;
  });
  lines.push(
    ...untracked.map((path) => `?? ${quoted(path)}${end}`),
    ...ignored.map((path) => `!! ${quoted(path)}${end}`),
  );
  return lines.join("");
}

/** The branch that a branch follows, and how far apart they are. */
export async function upstreamOf(repository, branch) {
  const { config, refs, objects } = repository;
  const [remote, merge] = [
    await config.get(`branch.${branch}.remote`),
    await config.get(`branch.${branch}.merge`),
  ];
  if (!remote || !merge) return undefined;
  const short = merge.replace(/^refs\/heads\//, "");
  const ref = remote === "." ? merge : `refs/remotes/${remote}/${short}`;
  const name = remote === "." ? short : `${remote}/${short}`;
  const [own, other] = [await refs.resolve(`refs/heads/${branch}`), await refs.resolve(ref)];
  if (!other) return { name, ref, gone: true };
  if (!own) return { name, ref, ahead: 0, behind: 0 };
  const [a, b] = [await ancestors(objects, [own]), await ancestors(objects, [other])];
  const only = (x, y) => [...x].filter((oid) => !y.has(oid)).length;
  return { name, ref, oid: other, ahead: only(a, b), behind: only(b, a) };
}

async function branchLine(repository) {
  const { branch, ref, oid } = await repository.refs.head();
  if (!ref) return "HEAD (no branch)";
  if (!oid) return `No commits yet on ${branch}`;
  const upstream = await upstreamOf(repository, branch);
  if (!upstream) return branch;
  const { name, gone, ahead, behind } = upstream;
  const parts = [ahead > 0 && `ahead ${ahead}`, behind > 0 && `behind ${behind}`].filter(Boolean);
  return `${branch}...${name}${gone ? " [gone]" : parts.length > 0 ? ` [${parts.join(", ")}]` : ""}`;
}

const commits = (count) => `${count} commit${count === 1 ? "" : "s"}`;
function upstreamText({ name, gone, ahead, behind }) {
  if (gone) {
    return `Your branch is based on '${name}', but the upstream is gone.\n  (use "git branch --unset-upstream" to fixup)\n\n`;
  }
  if (ahead === 0 && behind === 0) return `Your branch is up to date with '${name}'.\n\n`;
  if (behind === 0) {
    return `Your branch is ahead of '${name}' by ${
      commits(ahead)
    }.\n  (use "git push" to publish your local commits)\n\n`;
  }
  if (ahead === 0) {
    return `Your branch is behind '${name}' by ${
      commits(behind)
    }, and can be fast-forwarded.\n  (use "git pull" to update your local branch)\n\n`;
  }
  return `Your branch and '${name}' have diverged,\nand have ${ahead} and ${behind} different commits each, respectively.\n  (use "git pull" if you want to integrate the remote branch with yours)\n\n`;
}

/** The branch, or where HEAD is without one. */
export async function headText(repository) {
  const { refs, objects } = repository;
  const { branch, ref, oid } = await refs.head();
  if (ref) return `On branch ${branch}`;
  const moved = refs.log("HEAD").find(({ why }) => why.startsWith("checkout: moving from "));
  const to = moved?.why.replace(/^.* to /, "");
  const named = to && (await refs.find(to)) && !/^[0-9a-f]{40}$/.test(to)
    ? to
    : moved
    ? await objects.short(moved.after)
    : undefined;
  if (named === undefined) return "Not currently on any branch.";
  return `HEAD detached ${moved.after === oid ? "at" : "from"} ${named}`;
}

export async function longText(
  repository,
  seen,
  { untracked: mode, ignored: wantsIgnored, committing = false },
) {
  const { staged, unstaged, unmerged, untracked, ignored } = seen;
  const { refs } = repository;
  const { branch, ref, oid } = await refs.head();
  const rebasing = stateOf(repository);
  const rebase = rebasing && await rebaseText(repository, rebasing, unmerged.length > 0);
  const parts = [rebase?.head ?? `${await headText(repository)}\n`];
  if (rebase) parts.push(rebase.text);
  const upstream = ref && oid ? await upstreamOf(repository, branch) : undefined;
  if (upstream) parts.push(upstreamText(upstream));
  const merging = isFile(refs.file("MERGE_HEAD"));
  const picking = rebase
    ? undefined
    : ["CHERRY_PICK_HEAD", "REVERT_HEAD"].find((name) => isFile(refs.file(name)));
  if (merging) {
    parts.push(
      unmerged.length > 0
        ? 'You have unmerged paths.\n  (fix conflicts and run "git commit")\n  (use "git merge --abort" to abort the merge)\n\n'
        : 'All conflicts fixed but you are still merging.\n  (use "git commit" to conclude merge)\n\n',
    );
  } else if (picking) {
    const [doing, command] = picking.startsWith("CHERRY")
      ? ["cherry-picking", "cherry-pick"]
      : ["reverting", "revert"];
    const short = await repository.objects.short(readText(refs.file(picking)).trim());
    parts.push(
      `You are currently ${doing} commit ${short}.\n` +
        (unmerged.length > 0
          ? `  (fix conflicts and run "git ${command} --continue")\n`
          : `  (all conflicts fixed: run "git ${command} --continue")\n`) +
        `  (use "git ${command} --skip" to skip this patch)\n  (use "git ${command} --abort" to cancel the ${command} operation)\n\n`,
    );
  }
  if (isApplying(repository)) parts.push(APPLYING);
  if (isBisecting(repository)) parts.push(bisectText(repository));
  if (!oid) parts.push(committing ? "\nInitial commit\n\n" : "\nNo commits yet\n\n");
  const shown = (path) => quotePath(fromHere(repository, path));
  const lines = (changes) =>
    changes.map(({ status, path, from }) =>
      `\t${WORDS[status]}${status === "R" ? `${shown(from)} -> ${shown(path)}` : shown(path)}\n`
    ).join("");
  const unstage = !oid
    ? 'use "git rm --cached <file>..." to unstage'
    : 'use "git restore --staged <file>..." to unstage';
  if (staged.length > 0) {
    parts.push(`Changes to be committed:\n${merging || picking ? "" : `  (${unstage})\n`}${lines(staged)}\n`);
  }
  if (unmerged.length > 0) {
    const deleted = unmerged.some(({ kind: [code] }) => code.includes("D"));
    const advice = unmerged.every(({ kind: [code] }) => code === "DD")
      ? 'use "git rm <file>..." to mark resolution'
      : deleted
      ? 'use "git add/rm <file>..." as appropriate to mark resolution'
      : 'use "git add <file>..." to mark resolution';
    const head = merging || picking ? "" : `  (${unstage})\n`;
    const rows = unmerged.map(({ path, kind: [, word] }) => `\t${word}${shown(path)}\n`);
    parts.push(`Unmerged paths:\n${head}  (${advice})\n${rows.join("")}\n`);
  }
  if (unstaged.length > 0) {
    const verb = unstaged.some(({ status }) => status === "D") ? "add/rm" : "add";
    parts.push(
      `Changes not staged for commit:\n  (use "git ${verb} <file>..." to update what will be committed)\n` +
        `  (use "git restore <file>..." to discard changes in working directory)\n${lines(unstaged)}\n`,
    );
  }
  const list = (title, verb, paths) =>
    `${title}:\n  (use "git add ${verb}<file>..." to include in what will be committed)\n${
      paths.map((path) => `\t${shown(path)}\n`).join("")
    }\n`;
  if (untracked.length > 0) parts.push(list("Untracked files", "", untracked));
  if (wantsIgnored && ignored.length > 0) parts.push(list("Ignored files", "-f ", ignored));
  if (mode === "no" && staged.length > 0) {
    parts.push("Untracked files not listed (use -u option to show untracked files)\n");
  }
  if (staged.length === 0) parts.push(lastLine({ unstaged, unmerged, untracked, oid, mode }));
  return parts.join("");
}

function lastLine({ unstaged, unmerged, untracked, oid, mode }) {
  if (unstaged.length > 0 || unmerged.length > 0) {
    return 'no changes added to commit (use "git add" and/or "git commit -a")\n';
  }
  if (untracked.length > 0) {
    return 'nothing added to commit but untracked files present (use "git add" to track)\n';
  }
  if (!oid) return 'nothing to commit (create/copy files and use "git add" to track)\n';
  if (mode === "no") return "nothing to commit (use -u to show untracked files)\n";
  return "nothing to commit, working tree clean\n";
}
