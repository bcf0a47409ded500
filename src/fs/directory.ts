/** Entries of a directory: found by name, listed in the order they were made. */

import type { DirectoryInode, Dirent } from "./inode.ts";
import type { Epoch } from "./persistent_map.ts";

/** Seeded, so that a guest can't choose names that share a hash. */
const seed = Math.floor(Math.random() * 2 ** 32) | 0;

/** 30 bits. */
function hash(name: string): number {
  let value = seed;
  for (let at = 0; at < name.length; at++) {
    value = Math.imul(value ^ name.charCodeAt(at), 0x9e3779b1);
    value ^= value >>> 15;
  }
  return value >>> 2;
}

export function findEntry(directory: DirectoryInode, name: string): Dirent | undefined {
  const chain = directory.names.get(hash(name));
  if (chain === undefined) return undefined;
  if (!isChain(chain)) return chain.name === name ? chain : undefined;
  return chain.find((entry) => entry.name === name);
}

/** Adds an entry whose name must be free. `directory` must be of `epoch`. */
export function addEntry(directory: DirectoryInode, entry: Dirent, epoch: Epoch): void {
  const key = hash(entry.name);
  const chain = directory.names.get(key);
  directory.names.set(
    key,
    chain === undefined ? entry : isChain(chain) ? [...chain, entry] : [chain, entry],
    epoch,
  );
  directory.order.set(entry.order, entry, epoch);
  directory.nextOrder = Math.max(directory.nextOrder, entry.order + 1);
}

/** `directory` must be of `epoch`. */
export function removeEntry(directory: DirectoryInode, entry: Dirent, epoch: Epoch): void {
  const key = hash(entry.name);
  const chain = directory.names.get(key);
  if (chain !== undefined && isChain(chain) && chain.length > 1) {
    directory.names.set(key, chain.filter((other) => other !== entry), epoch);
  } else {
    directory.names.delete(key, epoch);
  }
  directory.order.delete(entry.order, epoch);
}

function isChain(chain: Dirent | readonly Dirent[]): chain is readonly Dirent[] {
  return Array.isArray(chain);
}
