/** Read-only layers: trees of shared contents that stand in a session's file system. */

import { CHUNK_BYTES } from "./contents.ts";
import { addEntry } from "./directory.ts";
import { FsError } from "./errors.ts";
import type { Chunk, DirectoryInode, Inode } from "./inode.ts";
import { newDevice, newDirectory, newFile, newSymlink } from "./inode_operations.ts";
import type { InodeStore, NewInode } from "./inode_store.ts";
import { measured, NAME_MAX } from "./names.ts";
import { Epoch } from "./persistent_map.ts";

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
  if (tree.type === "file") return store.addToLayer(layerFile(tree, now, tree.mode));
  const directory = store.addToLayer(newDirectory(0o555, now)) as DirectoryInode;
  for (const [name, child] of Object.entries(tree.entries)) addChild(store, directory, name, child);
  return directory;
}

/** A file of a layer, without a number. */
export function layerFile(file: LayerFile, now: bigint, mode = 0o444): NewInode {
  return { ...newFile(mode, now), size: file.bytes.length, chunks: chunksOf(file) };
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

/** Of no file system: nobody writes to what is of it. */
const SHARED = new Epoch();
const shared = new WeakMap<LayerFile, Chunk[]>();

/** Views of a file's bytes. All file systems have the same ones: the languages' libraries are more than a thousand. */
function chunksOf(file: LayerFile): Chunk[] {
  const known = shared.get(file);
  if (known) return known;
  const { bytes, load } = file;
  const chunks: Chunk[] = [];
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    const view = bytes.subarray(at, at + CHUNK_BYTES);
    chunks.push(load ? new LazyChunk(view, load) : { epoch: SHARED, bytes: view });
  }
  Object.freeze(chunks);
  shared.set(file, chunks);
  return chunks;
}

class LazyChunk implements Chunk {
  readonly epoch = SHARED;
  readonly #view: Uint8Array;
  readonly #load: () => void;

  constructor(view: Uint8Array, load: () => void) {
    this.#view = view;
    this.#load = load;
  }

  get bytes(): Uint8Array {
    this.#load();
    return this.#view;
  }
}
