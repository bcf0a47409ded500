/** What git has the session's shell run: hooks of a repository, editors, aliases, `rebase --exec`. */
import { hooks as runtime } from "../runtime.js";
import { absolute, failed, Failure, fatal, flushAll, note, relative, started, stat } from "./system.js";

/** Editors that take every text as it is. */
const SILENT = new Set(["true", ":", "/bin/true"]);

/** Runs a line, in which `$@` are the arguments. @returns its exit code. */
export function runLine(line, args, { cwd = started.cwd, name = line, env = {}, input } = {}) {
  flushAll();
  const { status, error } = runtime.modules.child_process.spawnSync("sh", ["-c", line, name, ...args], {
    cwd,
    env: { ...started.env, ...env },
    input,
    stdio: ["pipe", "inherit", "inherit"],
  });
  if (error) throw fatal(`cannot run ${name}: ${error.message}`);
  return status;
}

/** A path as hooks and editors get it, which work at the top of the tree. */
const shownTo = ({ top }, path) =>
  top !== undefined && path.startsWith(top === "/" ? top : `${top}/`) ? relative(top, path) : path;

/** Runs one of a repository's hooks, which prints to standard error. @returns its exit code, 0 if there is none. */
export async function runHook(repository, name, args = [], input) {
  const cwd = repository.top ?? repository.gitdir;
  const directory = await repository.config.get("core.hooksPath") ?? `${repository.gitdir}/hooks`;
  const path = `${absolute(directory, cwd)}/${name}`;
  const found = stat(path);
  if (found?.type !== "file") return 0;
  if ((found.mode & 0o111) === 0) {
    note(
      `hint: The '${shownTo(repository, path)}' hook was ignored because it's not set as executable.\n` +
        "hint: You can disable this warning with `git config set advice.ignoredHook false`.\n",
    );
    return 0;
  }
  const env = repository.top === undefined
    ? { GIT_DIR: repository.gitdir }
    : { GIT_PREFIX: repository.prefix };
  return runLine('"$0" "$@" >&2', args, { cwd, name: path, input, env });
}

/** As {@link runHook}. @throws {Failure} if the hook does not agree, which has said why. */
export async function askHook(repository, name, args, input) {
  if (await runHook(repository, name, args, input) !== 0) throw new Failure("", 1);
}

/** The editor that is set for messages, or for the list of a rebase; undefined if there is none. */
export async function editorOf(repository, { sequence = false } = {}) {
  const { GIT_SEQUENCE_EDITOR, GIT_EDITOR, VISUAL, EDITOR } = started.env;
  const own = sequence ? GIT_SEQUENCE_EDITOR ?? await repository.config.get("sequence.editor") : undefined;
  return own ?? GIT_EDITOR ?? await repository.config.get("core.editor") ?? VISUAL ?? EDITOR;
}

/** Has an editor change a file. */
export function edit(repository, editor, path) {
  if (SILENT.has(editor)) return;
  const code = runLine(`${editor} "$@"`, [path], { cwd: repository.top, name: editor });
  if (code !== 0) throw failed(`There was a problem with the editor '${editor}'.`);
}

/** An alias that begins with `!`. @returns its exit code. */
export function runAlias(line, args, repository) {
  const cwd = repository?.top ?? started.cwd;
  const env = repository?.top === undefined
    ? {}
    : { GIT_PREFIX: repository.prefix && `${repository.prefix}/` };
  return runLine(`${line} "$@"`, args, { cwd, env, name: line });
}

export const messageFile = (repository) => {
  const path = repository.refs.file("COMMIT_EDITMSG");
  return { path, shown: shownTo(repository, path) };
};
