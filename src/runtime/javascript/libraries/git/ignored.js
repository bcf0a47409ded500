/** What git takes no notice of: `.gitignore` in each directory, `info/exclude`, and `core.excludesFile`. */
import ignore from "ignore";
import { SUBMODULE } from "./compare.js";
import { list, readText, started } from "./system.js";

export class Ignored {
  #repository;
  #rules = new Map();
  #common;
  #first;
  #alone;

  /** @param options.patterns What goes before all other rules. @param options.alone Whether there are no others. */
  constructor(repository, { patterns = [], alone = false } = {}) {
    this.#repository = repository;
    this.#first = patterns.length > 0 ? ignore({ ignorecase: false }).add(patterns) : undefined;
    this.#alone = alone;
  }

  /** @returns this, when the rules of the whole repository are known. */
  async load() {
    const { config, gitdir } = this.#repository;
    const user = await config.path_("core.excludesfile") ??
      `${started.env.XDG_CONFIG_HOME ?? `${started.env.HOME ?? "/app"}/.config`}/git/ignore`;
    this.#common = [`${gitdir}/info/exclude`, user].map(rulesIn).filter(Boolean);
    return this;
  }

  /** The rules of a directory of the work tree. */
  #of(directory) {
    if (!this.#rules.has(directory)) {
      const name = directory === "" ? ".gitignore" : `${directory}/.gitignore`;
      this.#rules.set(directory, rulesIn(this.#repository.file(name)));
    }
    return this.#rules.get(directory);
  }

  /** Whether a path is, whose directories are not. @param path With a slash at its end if it is a directory. */
  #decide(path) {
    const first = this.#first?.test(path);
    if (first?.ignored) return true;
    if (first?.unignored || this.#alone) return false;
    const parts = path.replace(/\/$/, "").split("/");
    for (let depth = parts.length - 1; depth >= 0; depth--) {
      const directory = parts.slice(0, depth).join("/");
      const rules = this.#of(directory);
      const verdict = rules?.test(directory === "" ? path : path.slice(directory.length + 1));
      if (verdict?.ignored) return true;
      if (verdict?.unignored) return false;
    }
    for (const rules of this.#common) {
      const verdict = rules.test(path);
      if (verdict.ignored) return true;
      if (verdict.unignored) return false;
    }
    return false;
  }

  /** Whether a file is, or a directory above it. */
  has(path, isDirectory = false) {
    const parts = path.split("/");
    for (let depth = 1; depth < parts.length; depth++) {
      if (this.#decide(`${parts.slice(0, depth).join("/")}/`)) return true;
    }
    return this.#decide(isDirectory ? `${path}/` : path);
  }

  /** Which rule decides about a path, whether for it or against: `{ file, line, text }`; undefined if there is none. */
  rule(path, isDirectory = false) {
    const parts = path.split("/");
    for (let depth = 1; depth <= parts.length; depth++) {
      const isLast = depth === parts.length;
      const at = parts.slice(0, depth).join("/") + (!isLast || isDirectory ? "/" : "");
      const found = this.#ruleFor(at);
      if (found && (isLast || !found.text.startsWith("!"))) return found;
    }
    return undefined;
  }

  #ruleFor(path) {
    const parts = path.replace(/\/$/, "").split("/");
    for (let depth = parts.length - 1; depth >= 0; depth--) {
      const directory = parts.slice(0, depth).join("/");
      const file = directory === "" ? ".gitignore" : `${directory}/.gitignore`;
      const text = readText(this.#repository.file(file));
      const found = lastRule(text, directory === "" ? path : path.slice(directory.length + 1));
      if (found) return { file, ...found };
    }
    const found = lastRule(readText(`${this.#repository.gitdir}/info/exclude`), path);
    return found && { file: ".git/info/exclude", ...found };
  }

  /** As {@link has}, where the directories above are known not to be. */
  here(path, isDirectory) {
    return this.#decide(isDirectory ? `${path}/` : path);
  }
}

/** The last line of a file of rules that is about a path. */
function lastRule(text, path) {
  const lines = (text ?? "").replace(/^\uFEFF/, "").split("\n");
  const at = lines.findLastIndex((line) =>
    line.trim() !== "" && ignore({ ignorecase: false }).add(line.replace(/^!/, "")).ignores(path)
  );
  return at < 0 ? undefined : { line: at + 1, text: lines[at] };
}

function rulesIn(path) {
  const text = readText(path);
  return text === undefined || text.trim() === ""
    ? undefined
    : ignore({ ignorecase: false }).add(text.replace(/^\uFEFF/, ""));
}

/**
 * Files that are not in the index.
 *
 * @param options.whole Whether a directory of such files is one entry, which ends in a slash.
 * @param options.rules What is ignored; absent: what the repository says.
 * @param options.replaced Whether those of a directory count that stands in the place of a file.
 * @returns those that are untracked, and those that are ignored.
 */
export async function untrackedFiles(
  repository,
  tracked,
  { whole = false, ignored: wantIgnored = false, replaced = false, rules: given } = {},
) {
  const rules = given ?? await new Ignored(repository).load();
  const directories = new Set();
  for (const path of tracked.keys()) {
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      directories.add(path.slice(0, at));
    }
  }
  const untracked = [];
  const ignored = [];
  /** @returns whether there is an untracked file. */
  const walk = (directory, collect) => {
    let any = false;
    const names = list(repository.file(directory)).sort(([a], [b]) => a < b ? -1 : 1);
    for (const [name, type] of names) {
      const path = directory === "" ? name : `${directory}/${name}`;
      if (name === ".git") continue;
      const isDirectory = type === "directory";
      if (isDirectory ? false : tracked.has(path)) continue;
      if (isDirectory && tracked.has(path) && !(replaced && tracked.get(path).mode !== SUBMODULE)) continue;
      if (rules.here(path, isDirectory) && !(isDirectory && directories.has(path))) {
        if (wantIgnored && collect) ignored.push(isDirectory ? `${path}/` : path);
        continue;
      }
      if (!isDirectory) {
        any = true;
        if (collect) untracked.push(path);
      } else if (list(repository.file(`${path}/.git`)).length > 0) {
        any = true;
        if (collect) untracked.push(`${path}/`);
      } else if (whole && !directories.has(path)) {
        const has = walk(path, false);
        any ||= has;
        if (has && collect) untracked.push(`${path}/`);
        if (wantIgnored && collect) collectIgnored(path, has);
      } else any = walk(path, collect) || any;
      if (any && !collect) return true;
    }
    return any;
  };
  const collectIgnored = (path, has) => {
    const before = untracked.length;
    const first = ignored.length;
    walk(path, true);
    untracked.length = before;
    if (!has && ignored.length > first) ignored.splice(first, Infinity, `${path}/`);
  };
  walk("", true);
  return { untracked, ignored };
}
