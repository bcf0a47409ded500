/** What changed between two snapshots, at the price of what changed. */

import { findEntry } from "./directory.ts";
import { type Dirent, type Inode, ROOT_INO, sizeOf } from "./inode.ts";
import { PersistentMap } from "./persistent_map.ts";
import type { Snapshot } from "./inode_store.ts";

/** One path at which two snapshots differ. */
export interface PathChange {
  readonly path: string;
  readonly change: "created" | "modified" | "deleted";
  readonly type: Inode["type"];
  /** Bytes, after the change; 0 if deleted. */
  readonly size: number;
}

export interface DiffOptions {
  /** Most changes to report: a guest can make more paths than fit in memory as text. */
  readonly limit?: number;
  /** Whether directories are reported. */
  readonly directories?: boolean;
  /** Which paths are reported; below a directory that is not wanted nothing is. All if absent. */
  readonly wanted?: (path: string) => boolean;
}

/**
 * Compares contents, modes, types and link targets, not times. A directory is reported when it comes or goes, not
 * when its entries do. What was renamed is deleted there and created here.
 *
 * @returns Changes sorted by path. Which ones a limit leaves out is not specified.
 */
export function diff(before: Snapshot, after: Snapshot, options: DiffOptions = {}): PathChange[] {
  const { limit = Infinity, directories = true, wanted = () => true } = options;
  const found = new Map<string, PathChange>();
  const consider = (path: string): Verdict => {
    if (!wanted(path)) return "skip";
    const change = compare(path, lookup(before, path), lookup(after, path));
    if (change !== undefined && (directories || change.type !== "directory")) found.set(path, change);
    return found.size < limit ? "go on" : "stop";
  };
  for (const { before: old, after: now } of PersistentMap.changes(before.table, after.table)) {
    if (!considerInode(before, old, after, now, consider)) break;
  }
  return [...found.values()].sort((a, b) => a.path < b.path ? -1 : a.path > b.path ? 1 : 0);
}

/** After one path: whether enough was found, and whether what is below it counts. */
type Verdict = "go on" | "skip" | "stop";
type Consider = (path: string) => Verdict;

function considerInode(
  before: Snapshot,
  old: Inode | undefined,
  after: Snapshot,
  now: Inode | undefined,
  consider: Consider,
): boolean {
  if (old?.type === "directory" && now?.type === "directory") {
    for (const { before: left, after: right } of PersistentMap.changes(old.order, now.order)) {
      if (left !== undefined && !considerEntry(before, left, consider)) return false;
      if (right !== undefined && !considerEntry(after, right, consider)) return false;
    }
  }
  return (now?.links ?? []).every(({ directory, name }) => {
    const path = pathOf(after, directory);
    return path === undefined || consider(`${path}/${name}`) !== "stop";
  });
}

function compare(path: string, old: Inode | undefined, now: Inode | undefined): PathChange | undefined {
  if (now === undefined) {
    return old === undefined ? undefined : { path, change: "deleted", type: old.type, size: 0 };
  }
  const change = old === undefined ? "created" : sameContents(old, now) ? undefined : "modified";
  return change && { path, change, type: now.type, size: sizeOf(now) };
}

function sameContents(old: Inode, now: Inode): boolean {
  if (old === now) return true;
  if (old.type !== now.type || old.mode !== now.mode) return false;
  if (now.type === "file") return old.ino === now.ino && (old as typeof now).version === now.version;
  if (now.type === "symlink") return (old as typeof now).target === now.target;
  return true;
}

function considerEntry(snapshot: Snapshot, entry: Dirent, consider: Consider): boolean {
  const base = pathOf(snapshot, entry.directory);
  return base === undefined || considerTree(snapshot, entry.ino, `${base}/${entry.name}`, consider);
}

function considerTree(snapshot: Snapshot, ino: number, path: string, consider: Consider): boolean {
  const verdict = consider(path);
  if (verdict !== "go on") return verdict === "skip";
  const node = snapshot.table.get(ino);
  let more = true;
  if (node?.type === "directory") {
    node.order.visit((entry) => more = considerTree(snapshot, entry.ino, `${path}/${entry.name}`, consider));
  }
  return more;
}

/** Path of a directory without a trailing slash: "" for the root; undefined if it was removed. */
function pathOf(snapshot: Snapshot, ino: number): string | undefined {
  let path = "";
  for (let at = ino; at !== ROOT_INO;) {
    const link = snapshot.table.get(at)?.links[0];
    if (link === undefined) return undefined;
    path = `/${link.name}${path}`;
    at = link.directory;
  }
  return path;
}

function lookup(snapshot: Snapshot, path: string): Inode | undefined {
  let node = snapshot.table.get(ROOT_INO);
  for (const name of path.split("/").slice(1)) {
    if (node?.type !== "directory") return undefined;
    const entry = findEntry(node, name);
    node = entry && snapshot.table.get(entry.ino);
  }
  return node;
}
