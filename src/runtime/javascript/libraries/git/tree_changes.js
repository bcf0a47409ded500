/** What differs between two trees, without a look at what both have: a walk over large ones reads little. */
import { byName } from "./objects.js";

const TREE = "040000";

/**
 * @param a Id of a tree; undefined: there is none. @param how `recursive`: files alone, and trees beside them if `trees`.
 * @param how.pathspec What is looked at.
 */
export async function treeChanges(objects, a, b, how) {
  const changes = [];
  await compare(objects, a, b, "", how, changes);
  return changes;
}

async function compare(objects, a, b, prefix, how, changes) {
  const [before, after] = [await entriesOf(objects, a), await entriesOf(objects, b)];
  for (const key of [...new Set([...before.keys(), ...after.keys()])].sort(byName)) {
    const [old, now] = [before.get(key), after.get(key)];
    if (old?.oid === now?.oid && old?.mode === now?.mode) continue;
    const path = prefix + (old ?? now).name;
    const isTree = key.endsWith("/");
    const wanted = how.pathspec.matches(path) || (isTree && leadsTo(how.pathspec, path));
    if (!wanted && !(isTree && how.recursive)) continue;
    if (wanted && (!isTree || !how.recursive || how.trees)) {
      const status = !old ? "A" : !now ? "D" : old.mode.slice(0, 3) === now.mode.slice(0, 3) ? "M" : "T";
      changes.push({ status, path, from: path, old, now });
    }
    if (isTree && how.recursive) await compare(objects, old?.oid, now?.oid, `${path}/`, how, changes);
  }
}

/** By names, which end in a slash for trees: those come in another order. */
async function entriesOf(objects, oid) {
  const entries = oid === undefined ? [] : await objects.tree(oid);
  return new Map(entries.map((entry) => [entry.mode === TREE ? `${entry.name}/` : entry.name, entry]));
}

/** Whether something below a directory is named. */
const leadsTo = (pathspec, directory) =>
  (pathspec.plain ?? []).some((path) => path.startsWith(`${directory}/`));
