/** Making, moving and removing entries of directories. Everything is checked before anything is changed. */

import { addEntry, removeEntry } from "./directory.ts";
import { FsError } from "./errors.ts";
import { type DirectoryInode, type Dirent, type Inode, ROOT_INO } from "./inode.ts";
import { ENTRY_BYTES, type NewInode } from "./inode_store.ts";
import { DEPTH_MAX, LINK_MAX, measured, type MeasuredText, NAME_MAX, PATH_MAX } from "./names.ts";
import { checkPermission, permission } from "./permissions.ts";
import { type Extent, NO_EXTENT, PathWalker, type Place } from "./path_walker.ts";

export class Namespace extends PathWalker {
  /** Names of the root's that stay. */
  readonly #kept = new Set<string>();

  /** Lets what stands at a place of the root stay there for good, as a mount point would. */
  keep(place: Place): void {
    this.#kept.add(place.name);
  }

  /** Makes an inode at a free place. @throws {FsError} EEXIST, ENOENT, ENAMETOOLONG, ENOSPC, EROFS */
  create(place: Place, fields: NewInode): Inode {
    const name = this.#free(place);
    this.store.checkInodes(place.path);
    const own = fields.type === "symlink" ? fields.targetBytes : 0;
    this.store.charge(ENTRY_BYTES + name.bytes + own, place.path);
    return this.#insert(place.directory, name, this.store.add(fields));
  }

  /** Lets a layer's root stand at a free place. Costs nothing: it can't be taken away again. */
  mount(place: Place, root: Inode): void {
    this.#insert(place.directory, this.#free(place), root);
  }

  /** Gives `node` another name. @throws {FsError} EPERM (directory), EXDEV (layer), EMLINK, and as {@link create} */
  link(node: Inode, place: Place): void {
    if (node.type === "directory") throw new FsError("EPERM", place.path);
    if (place.slash && place.node === undefined) throw new FsError("ENOENT", place.path);
    const name = this.#free(place);
    if (this.store.isLayer(node)) throw new FsError("EXDEV", place.path);
    if (node.links.length >= LINK_MAX) throw new FsError("EMLINK", place.path);
    this.store.charge(ENTRY_BYTES + name.bytes, place.path);
    this.#insert(place.directory, name, node);
  }

  /** @throws {FsError} ENOENT, EISDIR, EBUSY, EROFS */
  unlink(place: Place): void {
    if (place.node?.type === "directory") throw new FsError("EISDIR", place.path);
    this.#drop(this.#removable(place).entry, place.path);
  }

  /** @throws {FsError} ENOENT, ENOTDIR, ENOTEMPTY, EBUSY, EROFS */
  rmdir(place: Place): void {
    if (place.node !== undefined && place.node.type !== "directory") {
      throw new FsError("ENOTDIR", place.path);
    }
    const { entry, node } = this.#removable(place);
    if (node.type === "directory" && node.order.size > 0) throw new FsError("ENOTEMPTY", place.path);
    this.#drop(entry, place.path);
  }

  /** Removes an entry and all below it. An error leaves the rest. @throws {FsError} ENOENT, EBUSY, EROFS */
  removeTree(place: Place): void {
    const { entry, node } = this.#removable(place);
    if (node.type === "directory") {
      const entries: Dirent[] = [];
      node.order.visit((child) => entries.push(child) > 0);
      for (const child of entries) {
        this.removeTree({
          path: place.path,
          directory: this.directory(node.ino),
          name: child.name,
          entry: child,
          node: this.store.get(child.ino),
          slash: false,
        });
      }
    }
    this.#drop(entry, place.path);
  }

  /** @throws {FsError} ENOENT, EISDIR, ENOTDIR, ENOTEMPTY, EINVAL (into itself), EBUSY, ENAMETOOLONG, ENOSPC, EROFS */
  rename(source: Place, target: Place): void {
    const { entry, node } = this.#removable(source);
    if (target.name === "") throw new FsError("EBUSY", target.path);
    if (target.slash && node.type !== "directory") throw new FsError("ENOTDIR", target.path);
    if (target.node?.ino === node.ino) return;
    if (node.type === "directory") this.#checkOutside(node, target);
    const name = this.#holds(target, this.extentBelow(node));
    if (target.node !== undefined) {
      checkReplaceable(node, target.node, target.path);
      this.#drop(this.#removable(target).entry, target.path);
    }
    // What was replaced had the same name, so this can only fail before anything was dropped.
    this.store.charge(name.bytes - entry.nameBytes, target.path);
    const moved = this.#remove(entry, source.path);
    this.#insert(this.directory(target.directory.ino), name, moved);
  }

  /** @throws {FsError} EINVAL, if `target` is inside of `node`. */
  #checkOutside(node: DirectoryInode, target: Place): void {
    for (let directory = target.directory; directory.ino !== ROOT_INO; directory = this.parent(directory)) {
      if (directory.ino === node.ino) throw new FsError("EINVAL", target.path);
    }
  }

  #free(place: Place): MeasuredText {
    if (place.node !== undefined) throw new FsError("EEXIST", place.path);
    return this.#holds(place, NO_EXTENT);
  }

  /** Checks that an entry may stand at `place`, `below` being how far it reaches from there. */
  #holds(place: Place, below: Extent): MeasuredText {
    const { directory, path } = place;
    if (directory.links.length === 0 && directory.ino !== ROOT_INO) throw new FsError("ENOENT", path);
    const name = measured(place.name);
    const above = this.extentAbove(directory);
    const tooLong = name.bytes > NAME_MAX || above.depth + 1 + below.depth > DEPTH_MAX ||
      above.bytes + 1 + name.bytes + below.bytes > PATH_MAX;
    if (tooLong) throw new FsError("ENAMETOOLONG", path);
    this.#checkChangeable(directory, path);
    return name;
  }

  /** @throws {FsError} ENOENT, EBUSY (the root, `.`, `..`, a mount point, what is kept), EROFS */
  #removable(place: Place): { entry: Dirent; node: Inode } {
    const { entry, node, path } = place;
    if (place.name === "") throw new FsError("EBUSY", path);
    if (entry === undefined || node === undefined) throw new FsError("ENOENT", path);
    this.#checkChangeable(place.directory, path);
    const kept = place.directory.ino === ROOT_INO && this.#kept.has(place.name);
    if (kept || this.store.isLayer(node)) throw new FsError("EBUSY", path);
    return { entry, node };
  }

  /** Whether entries of a directory may be made and removed. @throws {FsError} EROFS, EACCES */
  #checkChangeable(directory: DirectoryInode, path: string): void {
    this.store.checkWritable(directory, path);
    checkPermission(directory, permission.write | permission.search, path);
  }

  #drop(entry: Dirent, path: string): void {
    const node = this.#remove(entry, path);
    this.store.charge(-ENTRY_BYTES - entry.nameBytes);
    this.store.unlinked(node);
  }

  #insert(directory: DirectoryInode, name: MeasuredText, node: Inode): Inode {
    // What is new was changed when it was made, and not once more after that.
    const time = node.links.length === 0 ? node.ctime : this.store.now();
    const parent = this.store.edit(directory);
    const target = this.store.isLayer(node) ? node : this.store.edit(node);
    const entry: Dirent = {
      directory: parent.ino,
      name: name.text,
      nameBytes: name.bytes,
      ino: target.ino,
      type: target.type,
      order: parent.nextOrder,
    };
    addEntry(parent, entry, this.store.epoch);
    parent.mtime = parent.ctime = time;
    target.links = [...target.links, entry];
    target.ctime = time;
    return target;
  }

  #remove(entry: Dirent, path: string): Inode {
    const time = this.store.now();
    const parent = this.store.edit(this.directory(entry.directory), path);
    const node = this.store.edit(this.store.get(entry.ino), path);
    removeEntry(parent, entry, this.store.epoch);
    parent.mtime = parent.ctime = time;
    node.links = node.links.filter((other) => other !== entry);
    node.ctime = time;
    return node;
  }
}

function checkReplaceable(node: Inode, existing: Inode, path: string): void {
  if (existing.type === "directory") {
    if (node.type !== "directory") throw new FsError("EISDIR", path);
    if (existing.order.size > 0) throw new FsError("ENOTEMPTY", path);
  } else if (node.type === "directory") throw new FsError("ENOTDIR", path);
}
