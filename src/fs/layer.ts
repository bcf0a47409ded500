/** Read-only layers: trees of shared contents that stand in a session's file system. */

import { sharedChunks } from "./contents.ts";
import { addEntry } from "./directory.ts";
import { FsError } from "./errors.ts";
import type { DirectoryInode, Inode } from "./inode.ts";
import { newDevice, newDirectory, newFile, newSymlink } from "./inode_operations.ts";
import type { InodeStore } from "./inode_store.ts";
import { measured, NAME_MAX } from "./names.ts";

/** Contents of a file of a read-only layer. */
export interface LayerFile {
  /** May be a view of a SharedArrayBuffer. It is never copied, and must not change. */
  readonly bytes: Uint8Array;
  /** Called whenever `bytes` are going to be read: fills them if they are not there yet. */
  readonly load?: () => void;
}

/** A file, directory, symlink or device of a read-only layer. */
export type LayerNode =
  | LayerFile & { readonly type: "file"; readonly mode?: number }
  | { readonly type: "directory"; readonly entries: Readonly<Record<string, LayerNode>> }
  | { readonly type: "symlink"; readonly target: string }
  | { readonly type: "device"; readonly device: "null" | "zero" | "random" };

/** @returns The layer's root, which has no name yet. @throws {FsError} EINVAL, if a name is invalid. */
export function addLayer(store: InodeStore, tree: LayerNode): Inode {
  const now = store.now();
  if (tree.type === "device") return store.addToLayer(newDevice(tree.device, now));
  if (tree.type === "symlink") return store.addToLayer(newSymlink(tree.target, now));
  if (tree.type === "file") {
    const chunks = sharedChunks(tree, store.epoch);
    return store.addToLayer({ ...newFile(tree.mode ?? 0o444, now), size: tree.bytes.length, chunks });
  }
  const directory = store.addToLayer(newDirectory(0o555, now)) as DirectoryInode;
  for (const [name, child] of Object.entries(tree.entries)) addChild(store, directory, name, child);
  return directory;
}

function addChild(store: InodeStore, directory: DirectoryInode, name: string, tree: LayerNode): void {
  const { text, bytes } = measured(name);
  if (text === "" || text === "." || text === ".." || /[\0/]/.test(text) || bytes > NAME_MAX) {
    throw new FsError("EINVAL", name);
  }
  const node = addLayer(store, tree);
  const order = directory.nextOrder;
  const entry = {
    directory: directory.ino,
    name: text,
    nameBytes: bytes,
    ino: node.ino,
    type: node.type,
    order,
  };
  addEntry(directory, entry, store.epoch);
  node.links = [entry];
}
