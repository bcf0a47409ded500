/** What stands for the inode of a file that is elsewhere. */

import { FIRST_REMOTE_INO, type Inode, type Stat } from "../inode.ts";
import type { Mount, Names, RemoteStat } from "./mount.ts";

/** Whether a file is in a mounted tree, and so not charged to the session. */
export function isRemote({ ino }: Pick<Stat, "ino">): boolean {
  return ino >= FIRST_REMOTE_INO;
}

export function absolutePath({ path }: Mount, names: Names): string {
  return names.length === 0 ? path : `${path}/${names.join("/")}`;
}

/** The same for the same path in every Worker: a number is not kept, since there may be millions of files. */
export function inoOf(path: string): number {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < path.length; at++) {
    const unit = path.charCodeAt(at);
    a = Math.imul(a ^ unit, 2654435761);
    b = Math.imul(b ^ unit, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return FIRST_REMOTE_INO + (b >>> 0) * 2 ** 20 + ((a >>> 0) & 0xfffff);
}

export function typeOf(type: RemoteStat["type"]): Inode["type"] {
  return type === "other" ? "device" : type;
}

export function remoteStatOf(path: string, stat: RemoteStat): Stat {
  const { type, size, mode, links, version, atime, mtime, ctime } = stat;
  return {
    ino: inoOf(path),
    type: typeOf(type),
    size: type === "file" || type === "symlink" ? size : 0,
    mode,
    links,
    version: type === "file" ? version : 0,
    atime,
    mtime,
    ctime,
  };
}
