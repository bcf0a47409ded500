/** `init` and `config`. */
import { Config, isTrue, keyOf, readConfig, userFile } from "../config.js";
import { parseOptions } from "../options.js";
import { quotePath } from "../patch.js";
import { findRepository } from "../repository.js";
import {
  absolute,
  failed,
  Failure,
  fatal,
  isDirectory,
  isFile,
  joined,
  makeDirectory,
  note,
  out,
  realPath,
  relative,
  started,
  stat,
  writeText,
} from "../system.js";

const HINT = `hint: Using 'master' as the name for the initial branch. This default branch name
hint: is subject to change. To configure the initial branch name to use in all
hint: of your new repositories, which will suppress this warning, call:
hint:
hint: \tgit config --global init.defaultBranch <name>
hint:
hint: Names commonly chosen instead of 'master' are 'main', 'trunk' and
hint: 'development'. The just-created branch can be renamed via this command:
hint:
hint: \tgit branch -m <name>
`;
const EXCLUDE = `# git ls-files --others --exclude-from=.git/info/exclude
# Lines that start with '#' are comments.
# For a project mostly in C, the following would be a good set of
# exclude patterns (uncomment them if you want to use them):
# *.[oa]
# *~
`;

/** Makes an empty repository. */
export function makeRepository(gitdir, { bare, branch }) {
  for (
    const name of ["branches", "hooks", "info", "objects/info", "objects/pack", "refs/heads", "refs/tags"]
  ) {
    makeDirectory(`${gitdir}/${name}`);
  }
  writeText(`${gitdir}/HEAD`, `ref: refs/heads/${branch}\n`);
  const logs = bare ? "" : "\tlogallrefupdates = true\n";
  writeText(
    `${gitdir}/config`,
    `[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = ${Boolean(bare)}\n${logs}`,
  );
  writeText(
    `${gitdir}/description`,
    "Unnamed repository; edit this file 'description' to name the repository.\n",
  );
  writeText(`${gitdir}/info/exclude`, EXCLUDE);
}

export async function init(args) {
  const options = parseOptions("init", args, "q|quiet bare b|initial-branch= object-format=");
  if (options.operands.length > 1) {
    throw new Failure("usage: git init [-q | --quiet] [--bare] [-b <branch-name>] [<directory>]\n", 129);
  }
  const format = options.value("object-format") ?? "sha1";
  if (format === "sha256") throw fatal("repositories with SHA-256 are not supported here");
  if (format !== "sha1") throw fatal(`unknown hash algorithm '${format}'`);
  const [name = "."] = options.operands;
  const place = absolute(name);
  if (isFile(place)) throw fatal(`cannot mkdir ${name}: File exists`);
  makeDirectory(place);
  const top = realPath(place);
  const bare = options.has("bare");
  const gitdir = bare ? top : top === "/" ? "/.git" : `${top}/.git`;
  const config = new Config();
  const known = options.value("initial-branch") ?? await config.get("init.defaultbranch");
  const quiet = options.has("quiet");
  if (isDirectory(`${gitdir}/objects`) && stat(`${gitdir}/HEAD`)) {
    if (options.has("initial-branch")) note(`warning: re-init: ignored --initial-branch=${known}\n`);
    if (!quiet) out(`Reinitialized existing Git repository in ${gitdir}/\n`);
    return;
  }
  if (known === undefined && !quiet) note(HINT);
  makeRepository(gitdir, { bare, branch: known ?? "master" });
  if (!quiet) out(`Initialized empty Git repository in ${gitdir}/\n`);
}

export async function config(args) {
  const options = parseOptions(
    "config",
    args,
    `global local system f|file= l|list get get-all !get-regexp add unset unset-all remove-section replace-all
    bool int type= z|null name-only show-origin show-scope default= !e|edit`,
  );
  if (options.has("system")) throw fatal("there is no configuration of a system here: use --global");
  const repository = options.has("global", "file") ? undefined : findRepository();
  const verbs = { list: "list", get: "get", set: "set", unset: "unset" };
  const words = [...options.everything];
  const verb = Object.hasOwn(verbs, words[0]) && (words.length > 1 || words[0] === "list") &&
      !options.has("get", "add", "unset", "list")
    ? words.shift()
    : undefined;
  const path = options.has("global")
    ? userFile()
    : options.has("file")
    ? absolute(options.value("file"))
    : repository && `${repository.gitdir}/config`;
  const end = options.has("null") ? "\0" : "\n";
  const scoped = options.has("global", "local", "file");
  if (options.has("local") && !repository) throw fatal("--local can only be used inside a git repository");
  const source = async () => {
    const scope = options.has("global") ? "global" : options.has("file") ? "command" : "local";
    const sources = scoped
      ? [{ scope, file: path, entries: (await readConfig(path)).entries }]
      : await new Config(repository?.gitdir).sources();
    return sources.flatMap((each) => each.entries.map(([key, value]) => [key, value, placeOf(each)]));
  };
  const placeOf = ({ scope, file }) => {
    const after = options.has("null") ? "\0" : "\t";
    const origin = file === undefined ? "command line:" : `file:${shownFile(options, repository, file)}`;
    return (options.has("show-scope") ? scope + after : "") +
      (options.has("show-origin") ? origin + after : "");
  };
  if (options.has("list") || verb === "list") {
    for (const [key, value, place] of await source()) {
      const shown = options.has("name-only") ? "" : `${options.has("null") ? "\n" : "="}${value}`;
      out(`${place}${key}${shown}${end}`);
    }
    return;
  }
  if (options.has("name-only")) throw fatal("git config --name-only is there with --list here");
  const [name, value, ...more] = words;
  if (name === undefined) throw new Failure("usage: git config [<options>]\n", 129);
  if (more.length > 0) throw fatal("patterns of values are not supported here");
  const writes = value !== undefined && !options.has("get", "get-all", "unset") && verb !== "get" &&
    verb !== "unset";
  const unsets = options.has("unset", "unset-all") || verb === "unset";
  if ((writes || unsets || options.has("remove-section")) && !path) throw fatal("not in a git directory");
  if (options.has("remove-section")) {
    const file = await readConfig(path);
    if (!file.removeSection(name)) throw fatal(`no such section: ${name}`);
    return void file.save();
  }
  const key = checkedKey(name);
  if (unsets) {
    const file = await readConfig(path);
    const count = file.entries.filter(([each]) => each === key).length;
    if (count > 1 && !options.has("unset-all")) {
      note(`warning: ${key} has multiple values\n`);
      return 5;
    }
    if (!file.remove(key)) return 5;
    return void file.save();
  }
  if (writes) {
    const file = await readConfig(path);
    const count = file.entries.filter(([each]) => each === key).length;
    if (count > 1 && !options.has("add", "replace-all")) {
      note(
        `warning: ${key} has multiple values\nerror: cannot overwrite multiple values with a single value\n` +
          "       Use a regexp, --add or --replace-all to change " + `${key}.\n`,
      );
      return 5;
    }
    if (options.has("replace-all")) file.remove(key);
    await file.set(name, value, options.has("add"));
    return void file.save();
  }
  const found = (await source()).filter(([each]) => each === key).map((
    [, each, place],
  ) => [`${each}`, place]);
  if (found.length === 0 && options.has("default")) {
    found.push([options.value("default"), placeOf({ scope: "command" })]);
  }
  if (found.length === 0) return 1;
  const type = options.has("bool") ? "bool" : options.has("int") ? "int" : options.value("type");
  const shown = (text) => {
    if (type === "bool") return isTrue(text) ? "true" : "false";
    if (type === "int" && !/^-?\d+$/.test(text)) {
      throw fatal(`bad numeric config value '${text}' for '${name}': invalid unit`);
    }
    return text;
  };
  for (const [each, place] of options.has("get-all") ? found : [found.at(-1)]) {
    out(`${place}${shown(each)}${end}`);
  }
}

/** A file as git names it: that of a repository as it is seen from its top. */
function shownFile(options, repository, file) {
  if (options.has("file") && !options.value("file").startsWith("/")) {
    return quotePath(joined(findRepository()?.prefix ?? "", options.value("file")));
  }
  if (!repository || file !== repository.config.path || started.env.GIT_DIR) return quotePath(file);
  const top = repository.top ?? repository.gitdir;
  const cwd = realPath(started.cwd);
  const inside = cwd === repository.gitdir || cwd.startsWith(`${repository.gitdir}/`);
  return quotePath(relative(inside ? cwd : top, file));
}

function checkedKey(name) {
  if (!name.includes(".")) throw failed(`key does not contain a section: ${name}`);
  if (!/\.[A-Za-z][A-Za-z0-9-]*$/.test(name)) throw failed(`invalid key: ${name}`);
  return keyOf(name);
}
