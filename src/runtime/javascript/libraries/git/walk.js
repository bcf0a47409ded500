/** Commits in the order in which they are shown. */
import { EMPTY_TREE } from "./objects.js";
import { ancestors, entryOf } from "./revisions.js";

/**
 * Commits that can be reached from some, and not from others: the newest first, but none before what descends from it.
 *
 * @param options.pathspec Only those that change these paths. @param options.firstParent Follows that of merges alone.
 */
export async function* walk(
  objects,
  starts,
  { hidden = [], pathspec, firstParent = false, topological = false } = {},
) {
  const excluded = hidden.length > 0 ? await ancestors(objects, hidden) : new Set();
  if (topological) return yield* await sorted(objects, starts, excluded, { pathspec, firstParent });
  const waiting = [];
  const seen = new Set();
  const enter = async (oid) => {
    if (seen.has(oid) || excluded.has(oid)) return;
    seen.add(oid);
    const commit = await objects.commit(oid);
    let at = waiting.length;
    while (at > 0 && waiting[at - 1].committer.time < commit.committer.time) at--;
    waiting.splice(at, 0, commit);
  };
  for (const oid of starts) await enter(oid);
  while (waiting.length > 0) {
    const commit = waiting.shift();
    const { shown, parents } = await simplified(objects, commit, { pathspec, firstParent });
    for (const parent of parents) await enter(parent);
    if (shown) yield { ...commit, followed: parents };
  }
}

/** A commit without parents that say nothing of the paths. */
async function simplified(objects, commit, { pathspec, firstParent }) {
  const parents = firstParent ? commit.parents.slice(0, 1) : commit.parents;
  if (!pathspec || pathspec.isEmpty) return { shown: true, parents };
  const own = await signature(objects, commit.tree, pathspec);
  if (parents.length === 0) return { shown: own !== await signature(objects, EMPTY_TREE, pathspec), parents };
  for (const parent of parents) {
    if (await signature(objects, (await objects.commit(parent)).tree, pathspec) === own) {
      return { shown: false, parents: [parent] };
    }
  }
  return { shown: true, parents };
}

const signatures = new Map();
/** What a tree has at the paths. */
async function signature(objects, tree, pathspec) {
  const kept = signatures.get(tree);
  if (kept !== undefined) return kept;
  const plain = pathspec.plain;
  const parts = [];
  if (plain) {
    for (const path of plain) {
      const entry = await entryOf(objects, tree, path);
      parts.push(`${entry?.mode} ${entry?.oid}`);
    }
  } else {
    for (const [path, { mode, oid }] of await objects.files(tree)) {
      if (pathspec.matches(path)) parts.push(`${mode} ${oid} ${path}`);
    }
  }
  const made = parts.join("\n");
  signatures.set(tree, made);
  return made;
}

/** Lines of history one after the other, the newest first where they part. */
async function sorted(objects, starts, excluded, options) {
  const parentsOf = new Map();
  const commits = new Map();
  const shown = new Set();
  const stack = [...starts];
  while (stack.length > 0) {
    const oid = stack.pop();
    if (commits.has(oid) || excluded.has(oid)) continue;
    const commit = await objects.commit(oid);
    const found = await simplified(objects, commit, options);
    commits.set(oid, commit);
    parentsOf.set(oid, found.parents);
    if (found.shown) shown.add(oid);
    stack.push(...found.parents);
  }
  const children = new Map();
  for (const parents of parentsOf.values()) {
    for (const parent of parents) children.set(parent, (children.get(parent) ?? 0) + 1);
  }
  const ready = starts.filter((oid, at) =>
    commits.has(oid) && !children.get(oid) && starts.indexOf(oid) === at
  )
    // Of those of one time, the one that was named first is the next.
    .sort((a, b) => commits.get(b).committer.time - commits.get(a).committer.time).reverse();
  const result = [];
  while (ready.length > 0) {
    const oid = ready.pop();
    if (shown.has(oid)) result.push({ ...commits.get(oid), followed: parentsOf.get(oid) });
    for (const parent of parentsOf.get(oid)) {
      if (!commits.has(parent)) continue;
      const left = children.get(parent) - 1;
      children.set(parent, left);
      if (left === 0) ready.push(parent);
    }
  }
  return result;
}
