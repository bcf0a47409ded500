/** `rev-list`, `shortlog`: commits by their ids, and by who made them. */
import { parseOptions } from "../options.js";
import { partsOf } from "../pretty.js";
import { openRepository } from "../repository.js";
import { ancestors } from "../revisions.js";
import { filterOf, moreStarts, PARENTS, rangeOrNothing, revisionsOf } from "../selection.js";
import { fatal, out } from "../system.js";
import { walk } from "../walk.js";
import { Pathspec } from "../worktree.js";

export async function revList(args) {
  const options = parseOptions(
    "rev-list",
    args,
    `<n> n|max-count= skip= reverse all branches count first-parent merges no-merges since|after= until|before=
    topo-order abbrev-commit left-right ${PARENTS}`,
  );
  const repository = await openRepository({ bare: true });
  const sides = options.has("left-right") && options.operands.length === 1
    ? await rangeOrNothing(repository, options.operands[0])
    : undefined;
  if (options.has("left-right") && sides?.kind !== "...") {
    throw fatal("git rev-list --left-right takes one A...B here");
  }
  const right = sides && await ancestors(repository.objects, [sides.to]);
  const { starts, hidden, paths } = await revisionsOf(repository, options);
  await moreStarts(repository, options, starts);
  if (starts.length === 0) throw fatal("usage: git rev-list [<options>] <commit>... [--] [<path>...]", 129);
  const fits = filterOf(options);
  const most = options.number("<n>", options.number("max-count", Infinity));
  const pathspec = new Pathspec(repository, paths);
  const found = [];
  const commits = walk(repository.objects, starts, {
    hidden,
    pathspec,
    firstParent: options.has("first-parent"),
    topological: options.has("topo-order"),
  });
  let skip = options.number("skip", 0);
  for await (const commit of commits) {
    if (!fits(commit) || skip-- > 0) continue;
    if (found.length >= most) break;
    const side = right ? right.has(commit.oid) ? ">" : "<" : "";
    found.push(
      side + (options.has("abbrev-commit") ? await repository.objects.short(commit.oid) : commit.oid),
    );
  }
  if (options.has("reverse")) found.reverse();
  if (right && options.has("count")) {
    return out(
      `${["<", ">"].map((side) => found.filter((each) => each.startsWith(side)).length).join("\t")}\n`,
    );
  }
  out(options.has("count") ? `${found.length}\n` : found.map((oid) => `${oid}\n`).join(""));
}

export async function shortlog(args) {
  const options = parseOptions("shortlog", args, "s|summary n|numbered e|email c|committer all");
  const repository = await openRepository({ bare: true });
  const { starts, hidden, paths } = await revisionsOf(repository, options);
  await moreStarts(repository, options, starts);
  // As git's, which reads a log from its input then: there is none.
  if (starts.length === 0) return;
  const people = new Map();
  for await (
    const { author, committer, message } of walk(repository.objects, starts, {
      hidden,
      pathspec: new Pathspec(repository, paths),
    })
  ) {
    const { name, email } = options.has("committer") ? committer : author;
    const who = options.has("email") ? `${name} <${email}>` : name;
    people.set(who, [partsOf(message).subject, ...people.get(who) ?? []]);
  }
  const rows = [...people].sort(([a, x], [b, y]) =>
    options.has("numbered") && x.length !== y.length ? y.length - x.length : a < b ? -1 : 1
  );
  for (const [who, subjects] of rows) {
    if (options.has("summary")) out(`${`${subjects.length}`.padStart(6)}\t${who}\n`);
    else out(`${who} (${subjects.length}):\n${subjects.map((each) => `      ${each}\n`).join("")}\n`);
  }
}
