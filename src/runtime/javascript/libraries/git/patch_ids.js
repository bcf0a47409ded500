/** Commits that change the same, whatever they were made on. */
import { changesBetween, contentOf, linesOf, textsOf } from "./compare.js";
import { EMPTY_TREE } from "./objects.js";
import { hunksOf } from "./patch.js";

/** The files of what a commit was made on. */
export async function filesBefore(objects, { parents }) {
  return await objects.files(parents[0] ? (await objects.commit(parents[0])).tree : EMPTY_TREE);
}

/** What a commit changes, wherever in a file that is. */
export async function patchId(repository, oid) {
  const { objects } = repository;
  const commit = await objects.commit(oid);
  const parts = [];
  for (const change of changesBetween(await filesBefore(objects, commit), await objects.files(commit.tree))) {
    const { texts } = textsOf(
      await contentOf(repository, change.old),
      await contentOf(repository, change.now),
    );
    const hunks = hunksOf(linesOf(texts[0]), linesOf(texts[1]));
    parts.push(change.path, change.old?.mode, change.now?.mode, ...hunks.map(({ lines }) => lines.join("")));
  }
  return parts.length === 0 ? undefined : parts.join("\0");
}

/** Those of commits that another branch lacks. */
export async function patchIds(repository, theirs, ours) {
  const ids = new Set();
  for (const oid of theirs) {
    if (ours.has(oid) || (await repository.objects.commit(oid)).parents.length > 1) continue;
    ids.add(await patchId(repository, oid));
  }
  ids.delete(undefined);
  return ids;
}
