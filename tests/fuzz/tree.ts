/** What a file system says of itself, against what a walk over it finds. */

import assert from "node:assert/strict";
import type { FileSystem } from "../../src/fs/file_system.ts";
import { ENTRY_BYTES } from "../../src/fs/inode_store.ts";

/** Everything one can see of the tree but times, by path; hard links are told by the first path of their file. */
export type Listing = Map<string, string>;

export interface Walk {
  readonly listing: Listing;
  /** Bytes that the names and contents that were found are charged with. */
  readonly bytes: number;
  /** Inodes that were found, without the root. */
  readonly inodes: ReadonlySet<number>;
}

const encoder = new TextEncoder();

export function walk(fs: FileSystem): Walk {
  const listing: Listing = new Map();
  const seen = new Map<number, string>();
  const linksSeen = new Map<number, number>();
  let bytes = 0;
  const visit = (directory: string) => {
    for (
      const { name, ino, type } of [...fs.readdir(directory || "/")].sort((a, b) => a.name < b.name ? -1 : 1)
    ) {
      const path = `${directory}/${name}`;
      const stat = fs.stat(path, { follow: false });
      assert.deepEqual([stat.ino, stat.type], [ino, type], path);
      bytes += ENTRY_BYTES + encoder.encode(name).length;
      linksSeen.set(ino, (linksSeen.get(ino) ?? 0) + 1);
      const first = seen.get(ino) ?? path;
      if (!seen.has(ino)) {
        seen.set(ino, path);
        if (type === "file") bytes += stat.size;
        if (type === "symlink") bytes += encoder.encode(fs.readlink(path)).length;
      }
      if (type === "directory") {
        assert.equal(first, path, "a directory has one name");
        listing.set(path, "directory");
        visit(path);
      } else if (type === "symlink") listing.set(path, `symlink to ${fs.readlink(path)}, first ${first}`);
      else {
        const contents = fs.readFile(path);
        assert.equal(contents.length, stat.size);
        listing.set(path, `file ${summary(contents)}, first ${first}`);
      }
    }
  };
  visit("");
  for (const [ino, path] of seen) {
    const stat = fs.stat(path, { follow: false });
    if (stat.type !== "directory") assert.equal(stat.links, linksSeen.get(ino), path);
  }
  return { listing, bytes, inodes: new Set(seen.keys()) };
}

/** A file's contents in few characters: its size, and what is not zero. */
export function summary(contents: Uint8Array): string {
  let text = `${contents.length}:`;
  for (let at = 0; at < contents.length; at++) {
    if (contents[at] !== 0) text += `${at}=${contents[at]},`;
  }
  return text;
}
