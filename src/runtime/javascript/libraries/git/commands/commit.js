/** `commit`. */
import { changesBetween, SUBMODULE, withRenames } from "../compare.js";
import { commitBytes } from "../objects.js";
import { parseOptions } from "../options.js";
import { countsOf, shortStat, summaryText } from "../patch.js";
import { partsOf } from "../pretty.js";
import { commitOf } from "../revisions.js";
import { openRepository } from "../repository.js";
import { formatDate, parseDate } from "../dates.js";
import {
  absolute,
  decode,
  Failure,
  fatal,
  isFile,
  out,
  readInput,
  readText,
  removeFile,
  writeText,
} from "../system.js";
import { askHook, edit, editorOf, messageFile, runHook } from "../shell.js";
import { drop, Pathspec, readIndex, readTracked, stage } from "../worktree.js";
import { headFiles } from "./staging.js";
import { longText, lookAround } from "./status.js";

/** Takes away what is no part of a message: space at its ends, more than one empty line, comments if they are. */
export function cleaned(message, mode = "whitespace") {
  if (mode === "verbatim") return message;
  const lines = message.split("\n").filter((line) => mode !== "strip" || !line.startsWith("#")).map((line) =>
    line.trimEnd()
  );
  const text = lines.join("\n").replace(/^\n+/, "").replace(/\n{3,}/g, "\n\n").trimEnd();
  return text === "" ? "" : `${text}\n`;
}

const noEditor = () =>
  new Failure(
    "error: Terminal is dumb, but EDITOR unset\nPlease supply the message using either -m or -F option.\n",
    1,
  );

const fileIf = (path) => isFile(path) ? readText(path) : undefined;

export async function commit(args) {
  const options = parseOptions(
    "commit",
    args,
    `m|message= F|file= a|all amend q|quiet v|verbose allow-empty allow-empty-message no-edit e|edit n|no-verify author= date=
    C|reuse-message= s|signoff no-gpg-sign dry-run o|only !i|include cleanup= reset-author !short !porcelain trailer= fixup= no-status
    no-post-rewrite u|untracked-files[=]`,
  );
  const repository = await openRepository();
  const { refs, objects } = repository;
  const head = await refs.head();
  const amend = options.has("amend");
  const merging = fileIf(refs.file("MERGE_HEAD"));
  if (amend && !head.oid) throw fatal("You have nothing to amend.");
  if (amend && merging) throw fatal("You are in the middle of a merge -- cannot amend.");
  const picked = fileIf(refs.file("CHERRY_PICK_HEAD"))?.trim();
  if (amend && picked) throw fatal("You are in the middle of a cherry-pick -- cannot amend.");
  const last = amend ? await objects.commit(head.oid) : undefined;
  if (options.everything.length > 0 && options.has("all")) {
    throw fatal(`paths '${options.everything[0]} ...' with -a does not make sense`);
  }
  const only = options.everything.length > 0 ? new Pathspec(repository, options.everything) : undefined;
  if (only && merging) throw fatal("cannot do a partial commit during a merge.");
  if (options.has("all")) await stageTracked(repository);
  const aside = only && await stageOnly(repository, only);
  const { unmerged } = await readIndex(repository);
  if (unmerged.size > 0) {
    for (const path of unmerged.keys()) out(`U\t${path}\n`);
    throw new Failure(
      "error: Committing is not possible because you have unmerged files.\nhint: Fix them up in the work tree, and then use 'git add/rm <file>'\nhint: as appropriate to mark resolution and make a commit.\nfatal: Exiting because of an unresolved conflict.\n",
      128,
    );
  }
  if (!options.has("no-verify", "dry-run")) await askHook(repository, "pre-commit");
  const { files } = await readIndex(repository);
  const staged = aside?.files ?? new Map([...files].filter(([, { intent }]) => !intent));
  const base = amend ? last.parents[0] : head.oid;
  const before = base ? await objects.files((await objects.commit(base)).tree) : new Map();
  const tree = objects.writeTree(staged);
  const unchanged = head.oid
    ? tree === (await objects.commit(base ?? head.oid)).tree && (!amend || base !== undefined)
    : staged.size === 0;
  if (
    options.has("dry-run") ||
    (unchanged && !merging && !options.has("allow-empty") && !(amend && last.tree === tree))
  ) {
    if (amend && !options.has("dry-run")) {
      throw new Failure(
        'You asked to amend the most recent commit, but doing so would make\nit empty. You can repeat your command with --allow-empty, or you can\nremove the commit entirely with "git reset HEAD^".\n',
        1,
      );
    }
    const seen = await lookAround(repository);
    out(await longText(repository, seen, { untracked: "normal", committing: !head.oid }));
    return options.has("dry-run") && !unchanged ? 0 : 1;
  }
  const message = await settled(repository, options, await messageOf(repository, options, { last }));
  if (message.trim() === "" && !options.has("allow-empty-message")) {
    throw new Failure("Aborting commit due to empty commit message.\n", 1);
  }
  const reused = options.has("reuse-message")
    ? await objects.commit(await commitOf(repository, options.value("reuse-message")))
    : last;
  const author = await authorOf(repository, options, reused ?? (picked && await objects.commit(picked)));
  const committer = await repository.person("COMMITTER");
  const parents = amend
    ? last.parents
    : [...head.oid ? [head.oid] : [], ...merging ? merging.trim().split(/\s+/) : []];
  const oid = objects.write("commit", commitBytes({ tree, parents, author, committer, message }));
  if (aside) await aside.commit();
  const { subject } = partsOf(message);
  const kind = amend
    ? " (amend)"
    : parents.length > 1
    ? " (merge)"
    : parents.length === 0
    ? " (initial)"
    : picked
    ? " (cherry-pick)"
    : "";
  await refs.updateHead(oid, { who: committer, why: `commit${kind}: ${subject}` });
  for (const name of ["MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "CHERRY_PICK_HEAD", "REVERT_HEAD"]) {
    removeFile(refs.file(name));
  }
  await runHook(repository, "post-commit");
  if (options.has("quiet")) return;
  await tellCommit(repository, {
    oid,
    head,
    root: parents.length === 0,
    subject,
    before,
    author,
    committer,
    merge: parents.length > 1,
    dated: (amend && !options.has("reset-author")) || options.has("date") || picked !== undefined,
  });
}

/** The line about a commit, and what it changed. */
export async function tellCommit(
  repository,
  { oid, head, root, subject, before, author, committer, merge, dated, undated },
) {
  const { objects } = repository;
  const name = head.ref ? head.branch : "detached HEAD";
  out(`[${name}${root ? " (root-commit)" : ""} ${await objects.short(oid)}] ${subject}\n`);
  if (author.name !== committer.name || author.email !== committer.email) {
    out(` Author: ${author.name} <${author.email}>\n`);
  }
  if (dated || !undated && author.time !== committer.time && (author.name !== committer.name)) {
    out(` Date: ${formatDate(author)}\n`);
  }
  if (merge) return;
  const after = await objects.files((await objects.commit(oid)).tree);
  const changes = await withRenames(repository, changesBetween(before, after));
  if (changes.length === 0) return;
  const counts = [];
  for (const change of changes) counts.push(await countsOf(repository, change));
  out(shortStat(counts) + summaryText(changes));
}

async function stageTracked(repository) {
  const { files, unmerged } = await readIndex(repository);
  const tracked = await readTracked(repository);
  await repository.index((index) => {
    for (const [path, old] of [...files, ...unmerged]) {
      const now = tracked.get(path);
      if (old.mode === SUBMODULE) continue;
      if (!now) drop(index, path);
      else if (unmerged.has(path) || now.oid !== old.oid || now.mode !== old.mode) {
        stage(repository, index, path);
      }
    }
  });
}

/** A commit of some paths, whatever else is staged. */
async function stageOnly(repository, pathspec) {
  const { files, unmerged } = await readIndex(repository);
  const tracked = await readTracked(repository);
  const result = await headFiles(repository);
  const chosen = [...new Set([...files.keys(), ...unmerged.keys(), ...result.keys()])].filter((path) =>
    pathspec.matches(path)
  );
  const [missing] = pathspec.unused;
  if (missing !== undefined) {
    throw new Failure(`error: pathspec '${missing}' did not match any file(s) known to git\n`, 1);
  }
  await repository.index((index) => {
    for (const path of chosen) {
      if (tracked.has(path)) {
        stage(repository, index, path);
        result.set(path, tracked.get(path));
      } else {
        drop(index, path);
        result.delete(path);
      }
    }
  });
  return { files: result, commit: () => Promise.resolve() };
}

async function messageOf(repository, options, { last }) {
  const { refs } = repository;
  const mode = options.value("cleanup");
  if (mode !== undefined && !["default", "whitespace", "strip", "verbatim"].includes(mode)) {
    throw fatal(`Invalid cleanup mode ${mode}`);
  }
  const lines = options.all("message");
  let text;
  let source = ["message"];
  let edits = options.has("edit");
  if (options.has("fixup")) {
    if (options.value("fixup").includes(":")) throw fatal("git commit --fixup=amend: is not supported here");
    const { message } = await repository.objects.commit(await commitOf(repository, options.value("fixup")));
    text = `fixup! ${partsOf(message).subject}\n`;
  } else if (lines.length > 0) text = `${lines.join("\n\n")}\n`;
  else if (options.has("file")) {
    const name = options.value("file");
    text = name === "-" ? decode(readInput()) : fileIf(absolute(name));
    if (text === undefined) throw fatal(`could not read log file '${name}': No such file or directory`);
  } else if (options.has("reuse-message")) {
    source = ["commit", options.value("reuse-message")];
    text =
      (await repository.objects.commit(await commitOf(repository, options.value("reuse-message")))).message;
  } else {
    const prepared = last?.message ?? fileIf(refs.file("MERGE_MSG"));
    text = prepared ?? "";
    edits ||= !options.has("no-edit");
    source = last ? ["commit", "HEAD"] : prepared === undefined ? [] : ["merge"];
  }
  if (options.has("signoff") || options.has("trailer")) {
    const { name, email } = await repository.person("COMMITTER");
    const trailers = options.has("signoff") ? [`Signed-off-by: ${name} <${email}>`] : [];
    trailers.push(...options.all("trailer").map((each) => each.replace(/^([^:=]+)[:=]\s*/, "$1: ")));
    const body = cleaned(text).trimEnd();
    const follows = /\n\n(?:[A-Za-z-]+: .*\n?)+$/.test(`${body}\n`);
    const added = trailers.filter((each) => !body.endsWith(each));
    if (added.length > 0) text = `${body}${follows ? "\n" : "\n\n"}${added.join("\n")}\n`;
  }
  return { text, source, edits, mode };
}

const ABOUT_MESSAGES =
  "\n# Please enter the commit message for your changes. Lines starting\n# with '#' will be ignored, and an empty message aborts the commit.\n#\n";

/** A message as it is after hooks and an editor have had it. */
async function settled(repository, options, { text, source, edits, mode }) {
  const editor = edits ? await editorOf(repository) : undefined;
  if (edits && editor === undefined) throw noEditor();
  const { path, shown } = messageFile(repository);
  const kind = mode === undefined || mode === "default" ? edits ? "strip" : "whitespace" : mode;
  const about = edits && kind === "strip" ? ABOUT_MESSAGES + await commentedStatus(repository) : "";
  writeText(path, (edits ? text : cleaned(text, kind)) + about);
  await askHook(repository, "prepare-commit-msg", [shown, ...source]);
  if (edits) edit(repository, editor, path);
  if (!options.has("no-verify")) await askHook(repository, "commit-msg", [shown]);
  return cleaned(readText(path) ?? "", kind);
}

async function commentedStatus(repository) {
  const { oid } = await repository.refs.head();
  const seen = await lookAround(repository);
  const text = await longText(repository, seen, { untracked: "normal", committing: !oid });
  return text.replace(
    /^(.*)\n/gm,
    (_, line) => `#${line === "" || line.startsWith("\t") ? "" : " "}${line}\n`,
  );
}

async function authorOf(repository, options, reused) {
  const own = options.value("author");
  const date = options.value("date");
  const when = date === undefined ? undefined : parseDate(date);
  if (date !== undefined && !when) throw fatal(`invalid date format: ${date}`);
  if (own !== undefined) {
    const [, name, email] = /^\s*(.*?)\s*<([^>]*)>\s*$/.exec(own) ?? [];
    if (name === undefined) {
      throw fatal(`--author '${own}' is not 'Name <email>' and matches no existing author`);
    }
    const kept = reused?.author ?? await repository.person("AUTHOR");
    return { ...kept, name, email, ...when };
  }
  if (reused && !options.has("reset-author")) return { ...reused.author, ...when };
  return { ...await repository.person("AUTHOR"), ...when };
}
