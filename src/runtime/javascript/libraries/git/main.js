/** `git`: its command line. Objects, index, references and configuration are read and written by isomorphic-git. */
import { endRequire } from "./early.js";
import { setRuntime } from "../runtime.js";
import { am } from "./commands/am.js";
import { apply } from "./commands/apply.js";
import { archive } from "./commands/archive.js";
import { bisect } from "./commands/bisect.js";
import { blame } from "./commands/blame.js";
import { branch } from "./commands/branches.js";
import { forEachRef, showRef } from "./commands/references.js";
import { checkAttr } from "./commands/check_attr.js";
import { checkout, switchBranch } from "./commands/switching.js";
import { tag } from "./commands/tags.js";
import { clone } from "./commands/clone.js";
import { commit } from "./commands/commit.js";
import { cherryPick, revert } from "./commands/replay.js";
import { describe } from "./commands/describe.js";
import { diff } from "./commands/diff.js";
import { diffFiles, diffIndex, diffTree } from "./commands/diff_plumbing.js";
import { formatPatch } from "./commands/format_patch.js";
import { readTree, updateIndex, writeTree } from "./commands/index_plumbing.js";
import { log, reflog, show, whatchanged } from "./commands/log.js";
import { countObjects, fsck, gc, maintenance, prune, repack } from "./commands/maintenance.js";
import { merge, mergeBase } from "./commands/merge.js";
import { notes } from "./commands/notes.js";
import { commitTree, mktree } from "./commands/object_plumbing.js";
import { catFile, hashObject, lsTree } from "./commands/objects.js";
import { remote } from "./commands/remote.js";
import { rebase } from "./commands/rebase.js";
import { revList, shortlog } from "./commands/rev_list.js";
import { revParse } from "./commands/rev_parse.js";
import { config, init } from "./commands/setup.js";
import { add, mv, rm } from "./commands/staging.js";
import { clean, lsFiles } from "./commands/work_tree.js";
import { reset, restore } from "./commands/restoring.js";
import { checkIgnore, grep, symbolicRef } from "./commands/searching.js";
import { stash } from "./commands/stash.js";
import { status } from "./commands/status.js";
import { fetch, lsRemote, pull, push } from "./commands/transfer.js";
import { updateRef } from "./commands/update_ref.js";
import { Config, setOnce } from "./config.js";
import { findRepository } from "./repository.js";
import { absolute, Failure, fatal, flushAll, isDirectory, note, out, started } from "./system.js";
import { runAlias } from "./shell.js";
import { VERSION } from "./version.js";

const COMMANDS = {
  add,
  am,
  stage: add,
  annotate: blame,
  apply,
  archive,
  bisect,
  blame,
  branch,
  "cat-file": catFile,
  "check-attr": checkAttr,
  "check-ignore": checkIgnore,
  checkout,
  "cherry-pick": cherryPick,
  clean,
  clone,
  commit,
  "commit-tree": commitTree,
  config,
  "count-objects": countObjects,
  describe,
  diff,
  "diff-files": diffFiles,
  "diff-index": diffIndex,
  "diff-tree": diffTree,
  fetch,
  "for-each-ref": forEachRef,
  "format-patch": formatPatch,
  fsck,
  gc,
  grep,
  "hash-object": hashObject,
  init,
  log,
  "ls-files": lsFiles,
  "ls-remote": lsRemote,
  "ls-tree": lsTree,
  maintenance,
  merge,
  "merge-base": mergeBase,
  mktree,
  mv,
  notes,
  prune,
  pull,
  push,
  "read-tree": readTree,
  rebase,
  reflog,
  remote,
  repack,
  reset,
  restore,
  "rev-list": revList,
  "rev-parse": revParse,
  revert,
  rm,
  shortlog,
  show,
  "show-ref": showRef,
  stash,
  status,
  switch: switchBranch,
  "symbolic-ref": symbolicRef,
  tag,
  "update-index": updateIndex,
  "update-ref": updateRef,
  whatchanged,
  "write-tree": writeTree,
};
/** Those of git's that are not here. */
const ABSENT = new Set(
  `bugreport bundle citool difftool fast-export fast-import filter-branch gui
  instaweb merge-tree mergetool mktag pack-objects range-diff replace
  request-pull rerere send-email show-branch sparse-checkout submodule unpack-objects var verify-commit
  verify-tag worktree`.split(/\s+/),
);
/** Options before the command that change nothing here. */
const IDLE = new Set(["--no-pager", "-P", "--no-optional-locks", "--no-replace-objects", "--no-advice"]);
const ALIAS_DEPTH = 5;

export function install(host, hooks) {
  setRuntime(host, hooks);
  endRequire();
}

/** Runs a command. @returns its exit code. */
export async function main(args, { cwd, env }) {
  Object.assign(started, { cwd, env });
  let code;
  try {
    code = await run(args);
  } catch (error) {
    code = told(error);
  }
  flushAll();
  return code ?? 0;
}

/** Says what went wrong. @returns the exit code. */
function told(error) {
  if (error instanceof Failure) {
    note(error.message);
    return error.exitCode;
  }
  // What the file system refuses: no room, no permission.
  if (typeof error?.code === "string" && /^E[A-Z]+$/.test(error.code)) {
    note(`fatal: ${error.message}\n`);
    return 128;
  }
  throw error;
}

async function run(args, depth = 0) {
  const waiting = [...args];
  while (waiting[0]?.startsWith("-")) {
    const option = waiting.shift();
    const value = (name) => {
      if (waiting.length === 0) throw new Failure(`no ${name} given for ${option}\n`, 129);
      return waiting.shift();
    };
    if (option === "-C") goTo(value("directory"));
    else if (option === "-c") setOnce(value("config string"));
    else if (option.startsWith("--git-dir")) {
      started.env.GIT_DIR = option.includes("=") ? option.slice(10) : value("directory");
    } else if (option.startsWith("--work-tree")) {
      started.env.GIT_WORK_TREE = option.includes("=") ? option.slice(12) : value("directory");
    } else if (option === "--version" || option === "-v") return void out(`git version ${VERSION}\n`);
    else if (option === "--help" || option === "-h") return void help();
    else if (!IDLE.has(option)) throw new Failure(`unknown option: ${option}\n${USAGE}`, 129);
  }
  const [name, ...rest] = waiting;
  if (name === undefined) {
    help();
    return 1;
  }
  if (name === "version") return void out(`git version ${VERSION}\n`);
  if (name === "help") return void help();
  if (Object.hasOwn(COMMANDS, name)) return await COMMANDS[name](rest);
  if (name === "worktree") {
    throw fatal("git worktree is not supported here: git clone . ../NAME gives files of their own");
  }
  if (ABSENT.has(name)) throw fatal(`git ${name} is not supported here`);
  const alias = await aliasOf(name);
  if (alias === undefined) throw new Failure(`git: '${name}' is not a git command. See 'git --help'.\n`, 1);
  if (alias.startsWith("!")) return runAlias(alias.slice(1), rest, findRepository());
  if (depth > ALIAS_DEPTH) throw fatal(`alias loop detected: expansion of '${name}' does not terminate`);
  return await run([...wordsOf(alias), ...rest], depth + 1);
}

async function aliasOf(name) {
  if (!/^[A-Za-z0-9-]+$/.test(name)) return undefined;
  return await new Config((findRepository())?.gitdir).get(`alias.${name}`);
}

/** The words of an alias, which may be in quotes. */
function wordsOf(text) {
  const words = [];
  for (
    const [, single, double, plain] of text.matchAll(/'([^']*)'|"((?:[^"\\]|\\.)*)"|((?:[^\s'"\\]|\\.)+)/g)
  ) {
    words.push(single ?? (double ?? plain).replace(/\\(.)/g, "$1"));
  }
  return words;
}

function goTo(name) {
  const path = absolute(name);
  if (name === "") return;
  if (!isDirectory(path)) throw fatal(`cannot change to '${name}': No such file or directory`);
  started.cwd = path;
}

const USAGE = `usage: git [-v | --version] [-h | --help] [-C <path>] [-c <name>=<value>]
           [--no-pager] [--git-dir=<path>] [--work-tree=<path>] <command> [<args>]
`;
const help = () =>
  out(`${USAGE}\nOf git's commands these are here:\n   ${Object.keys(COMMANDS).join(" ")}\n`);
