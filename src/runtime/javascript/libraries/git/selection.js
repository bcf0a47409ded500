/** Which commits `log`, `rev-list` and `shortlog` are asked for. */
import { parseSince } from "./dates.js";
import { wholeNumber } from "./options.js";
import { commitOf, isRevision, peel, rangeOf, unknownRevision } from "./revisions.js";
import { absolute, fatal, lstat } from "./system.js";

/** Options by how many parents commits have. */
export const PARENTS = "min-parents[=] max-parents[=] no-min-parents no-max-parents";

/** What operands stand for: where to begin, what to leave out, and paths. */
export async function revisionsOf(repository, options) {
  const [starts, hidden, paths] = [[], [], [...options.paths ?? []]];
  for (const [at, name] of options.operands.entries()) {
    const range = await rangeOrNothing(repository, name);
    if (range) {
      starts.push(...range.kind === ".." ? [range.to] : [range.from, range.to]);
      hidden.push(...range.kind === ".." ? [range.from] : range.bases);
    } else if (name.startsWith("^")) hidden.push(await commitOf(repository, name.slice(1)));
    else if (await isRevision(repository, name)) starts.push(await commitOf(repository, name));
    else if (options.paths === undefined && isThere(name)) {
      paths.unshift(...options.operands.slice(at));
      break;
    } else throw unknownRevision(name);
  }
  return { starts, hidden, paths };
}
/** Whether an operand is a path: a file that is there, or a pattern. */
export const isThere = (name) => lstat(absolute(name)) !== undefined || /[*?[]|^:/.test(name);
export async function rangeOrNothing(repository, name) {
  return /\.\./.test(name) && !isThere(name) ? await rangeOf(repository, name) : undefined;
}

/** Adds what `--all`, `--branches` and their like name. */
export async function moreStarts(repository, options, starts) {
  const { refs, objects } = repository;
  const prefixes = [["all", "refs/"], ["branches", "refs/heads/"], ["tags", "refs/tags/"], [
    "remotes",
    "refs/remotes/",
  ]];
  for (const [option, prefix] of prefixes) {
    if (!options.has(option)) continue;
    for (const [, oid] of await refs.list(prefix)) {
      const commit = await peel(objects, oid, "commit");
      if (commit) starts.push(commit);
    }
    const head = await refs.resolve("HEAD");
    if (option === "all" && head) starts.push(head);
  }
}

/** Whether a commit is one of those that the options ask for. */
export function filterOf(options) {
  const flags = options.has("regexp-ignore-case") ? "im" : "m";
  const pattern = (text) => {
    const source = options.has("fixed-strings") ? text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") : text;
    try {
      return new RegExp(source, flags);
    } catch {
      throw fatal(`command line, '${text}': not a pattern`);
    }
  };
  const [authors, committers, words] = ["author", "committer", "grep"].map((name) =>
    options.all(name).map(pattern)
  );
  const since = options.has("after") ? parseSince(options.value("after")) : -Infinity;
  const until = options.has("before") ? parseSince(options.value("before")) : Infinity;
  const { fewest, most } = parentsWanted(options);
  const any = (patterns, text) => patterns.length === 0 || patterns.some((each) => each.test(text));
  return ({ author, committer, message, parents }) => {
    if (committer.time < since || committer.time > until) return false;
    if (parents.length < fewest || parents.length > most) return false;
    if (
      !any(authors, `${author.name} <${author.email}>`) ||
      !any(committers, `${committer.name} <${committer.email}>`)
    ) return false;
    return words.length === 0 || any(words, message) !== options.has("invert-grep");
  };
}

/** How many parents a commit is to have: of options that say it, the last counts. */
function parentsWanted(options) {
  let [fewest, most] = [0, Infinity];
  for (const [name, value] of options.given) {
    if (name === "merges") fewest = 2;
    else if (name === "no-merges") most = 1;
    else if (name === "min-parents") fewest = wholeNumber(value);
    else if (name === "no-min-parents") fewest = 0;
    else if (name === "no-max-parents") most = Infinity;
    else if (name === "max-parents") {
      const number = wholeNumber(value);
      most = number < 0 ? Infinity : number;
    }
  }
  return { fewest, most };
}
