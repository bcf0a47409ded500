/** What of a repository's objects can be reached: from its references, their logs, HEAD and the index. */
import { SUBMODULE } from "./compare.js";
import { EMPTY_TREE, idOf } from "./objects.js";
import { readIndex } from "./worktree.js";

/**
 * @param options.logs Whether logs keep what they name.
 * @returns `roots`: ids with what names them, which is ":" for the index; `lost`: what logs name and is not there.
 */
export async function rootsOf(repository, { logs = true } = {}) {
  const { refs, objects } = repository;
  const roots = new Map();
  const lost = new Map();
  const names = [...await refs.list("refs/")];
  const head = await refs.resolve("HEAD");
  if (head) names.push(["HEAD", head]);
  for (const [ref, oid] of names) roots.set(oid, ref);
  for (const [ref] of logs ? names : []) {
    const ids = new Set(refs.log(ref).flatMap(({ before, after }) => [before, after]));
    for (const oid of ids) {
      if (!/[1-9a-f]/.test(oid) || roots.has(oid)) continue;
      if (await objects.has(oid)) roots.set(oid, ref);
      else lost.set(oid, ref);
    }
  }
  const { files, unmerged } = await readIndex(repository);
  const sides = [...files.values(), ...[...unmerged.values()].flatMap((stages) => Object.values(stages))];
  for (const { mode, oid } of sides) if (mode !== SUBMODULE) roots.set(oid, ":");
  for (const oid of await treesOf(objects, files)) roots.set(oid, ":");
  return { roots, lost };
}

/** The trees of an index that have been written: git has their ids in it. */
async function treesOf(objects, files) {
  const ids = [];
  objects.writeTree(files, (bytes) => {
    const oid = idOf("tree", bytes);
    ids.push(oid);
    return oid;
  });
  const there = [];
  for (const oid of ids) if (await objects.has(oid)) there.push(oid);
  return there;
}

/** The objects that one names: ids, and of what type each is to be. */
export async function linksOf(objects, oid, type) {
  if (type === "commit") {
    const { tree, parents } = await objects.commit(oid);
    return [[tree, "tree"], ...parents.map((parent) => [parent, "commit"])];
  }
  if (type === "tag") {
    const tag = await objects.tag(oid);
    return [[tag.object, tag.type]];
  }
  if (type !== "tree") return [];
  return (await objects.tree(oid)).filter(({ mode }) => mode !== SUBMODULE)
    .map((entry) => [entry.oid, entry.mode === "040000" ? "tree" : "blob"]);
}

/** All that can be reached from some. @param links Of each known object, what it names. */
export function reachedFrom(roots, links) {
  const found = new Set();
  const waiting = [...roots];
  while (waiting.length > 0) {
    const oid = waiting.pop();
    if (found.has(oid) || oid === EMPTY_TREE && !links.has(oid)) continue;
    found.add(oid);
    for (const [next] of links.get(oid) ?? []) waiting.push(next);
  }
  return found;
}
