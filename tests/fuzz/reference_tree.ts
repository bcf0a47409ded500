/** A file system as simple as it can be: nested maps, whole copies as snapshots. It knows what can be done, not why not. */

import { ENTRY_BYTES } from "../../src/fs/inode_store.ts";
import { type Listing, summary } from "./tree.ts";

interface File {
  readonly ino: number;
  readonly type: "file";
  bytes: Uint8Array;
}
interface Link {
  readonly ino: number;
  readonly type: "symlink";
  readonly target: string;
}
interface Directory {
  readonly ino: number;
  readonly type: "directory";
  readonly entries: Map<string, Node>;
}
type Node = File | Link | Directory;

/** What can't be done. */
export class Refused extends Error {}

/** Where a path leads: the directory and name of its last component, and what is there. Without a name: the node alone. */
interface Found {
  readonly parent: Directory;
  readonly name: string;
  readonly node: Node | undefined;
  readonly slash: boolean;
}

const HOPS = 40;
const encoder = new TextEncoder();
const length = (text: string) => encoder.encode(text).length;

let inos = 0;

export class ReferenceTree {
  #root: Directory = { ino: 0, type: "directory", entries: new Map() };
  /** Open files and directories by slot; undefined: not there any more. */
  #open = new Map<number, Node | undefined>();
  /** Files without a name that something had open when this was cloned. */
  #nameless: Node[] = [];

  constructor(readonly quota: { readonly maxBytes: number; readonly maxInodes: number }) {}

  clone(): ReferenceTree {
    const copy = new ReferenceTree(this.quota);
    const nameless = [...this.#open.values(), ...this.#nameless].filter((node) => node !== undefined);
    [copy.#root, copy.#nameless] = structuredClone([this.#root, nameless]) as [Directory, Node[]];
    return copy;
  }

  /** Open files of before see what has their number here. */
  reopen(slots: Iterable<number>, inoOf: (slot: number) => number): void {
    const all = new Map([...this.#nodes(), ...this.#nameless].map((node) => [node.ino, node]));
    this.#open = new Map([...slots].map((slot) => [slot, all.get(inoOf(slot))]));
    this.#nameless = [];
  }

  write(path: string, at: (size: number) => number, data: Uint8Array, replace: boolean): void {
    const found = this.#find(path, true);
    this.#attempt(() => {
      const file = found.node ?? this.#make(found, { ino: ++inos, type: "file", bytes: new Uint8Array(0) });
      if (file.type !== "file") throw new Refused("no file");
      if (replace) file.bytes = data.slice();
      else file.bytes = written(file.bytes, at(file.bytes.length), data);
    });
  }

  truncate(path: string, size: number): void {
    const { node } = this.#find(path, true);
    if (node?.type !== "file") throw new Refused("no file");
    this.#attempt(() => void (node.bytes = resized(node.bytes, size)));
  }

  mkdir(path: string): void {
    const found = this.#find(path, false);
    if (found.node) throw new Refused("exists");
    this.#attempt(() =>
      void found.parent.entries.set(found.name, { ino: ++inos, type: "directory", entries: new Map() })
    );
  }

  rmdir(path: string): void {
    const { parent, name, node } = this.#removable(path);
    if (node.type !== "directory" || node.entries.size > 0) throw new Refused("no empty directory");
    parent.entries.delete(name);
  }

  unlink(path: string): void {
    const { parent, name, node, slash } = this.#removable(path);
    if (node.type === "directory" || slash) throw new Refused("a directory");
    parent.entries.delete(name);
  }

  rm(path: string): void {
    const found = this.#find(path, false);
    if (!found.node) return;
    const { parent, name, slash, node } = this.#removable(path);
    if (slash && node.type !== "directory") throw new Refused("no directory");
    parent.entries.delete(name);
  }

  link(from: string, to: string): void {
    const { node } = this.#find(from, from.endsWith("/"));
    if (!node || node.type === "directory") throw new Refused("nothing to link");
    const found = this.#find(to, false);
    if (found.node) throw new Refused("exists");
    this.#attempt(() => void this.#make(found, node));
  }

  symlink(target: string, path: string): void {
    const found = this.#find(path, false);
    if (found.node) throw new Refused("exists");
    this.#attempt(() => void this.#make(found, { ino: ++inos, type: "symlink", target }));
  }

  rename(from: string, to: string): void {
    const source = this.#removable(from);
    const target = this.#find(to, false);
    if (source.slash && source.node.type !== "directory") throw new Refused("no directory");
    if (target.name === "") throw new Refused("busy");
    if (target.slash && source.node.type !== "directory") throw new Refused("no directory");
    if (target.node === source.node) return;
    if (source.node.type === "directory" && contains(source.node, target.parent)) {
      throw new Refused("into itself");
    }
    if (target.node) {
      const [isDirectory, wasDirectory] = [source.node, target.node].map(({ type }) => type === "directory");
      if (isDirectory !== wasDirectory) throw new Refused("of another type");
      if (target.node.type === "directory" && target.node.entries.size > 0) throw new Refused("not empty");
    }
    this.#attempt(() => {
      source.parent.entries.delete(source.name);
      target.parent.entries.set(target.name, source.node);
    });
  }

  /** @returns the number of what was opened. */
  open(slot: number, path: string, create: boolean): number {
    const found = this.#find(path, true);
    if (!found.node && !create) throw new Refused("not there");
    if (found.node && found.node.type !== "file") throw new Refused("no file");
    return this.#attempt(() => {
      const file = found.node ?? this.#make(found, { ino: ++inos, type: "file", bytes: new Uint8Array(0) });
      this.#open.set(slot, file);
      return file.ino;
    });
  }

  writeOpen(slot: number, at: number, data: Uint8Array): void {
    if (!this.#open.has(slot)) return;
    const file = this.#opened(slot);
    this.#attempt(() => void (file.bytes = written(file.bytes, at, data)));
  }

  truncateOpen(slot: number, size: number): void {
    if (!this.#open.has(slot)) return;
    const file = this.#opened(slot);
    this.#attempt(() => void (file.bytes = resized(file.bytes, size)));
  }

  close(slot: number): void {
    this.#open.delete(slot);
  }

  /** What a slot's file holds; undefined if it is not there any more. */
  contents(slot: number): Uint8Array | undefined {
    const node = this.#open.get(slot);
    return node?.type === "file" ? node.bytes : undefined;
  }

  usage(): { bytes: number; inodes: number } {
    let bytes = 0;
    for (const [name] of this.#names()) bytes += ENTRY_BYTES + length(name);
    const nodes = this.#nodes();
    for (const node of nodes) {
      if (node.type === "file") bytes += node.bytes.length;
      if (node.type === "symlink") bytes += length(node.target);
    }
    return { bytes, inodes: nodes.size };
  }

  listing(): Listing {
    const listing: Listing = new Map();
    const first = new Map<Node, string>();
    const visit = (directory: Directory, path: string) => {
      for (const [name, node] of [...directory.entries].sort(([a], [b]) => a < b ? -1 : 1)) {
        const here = `${path}/${name}`;
        if (!first.has(node)) first.set(node, here);
        if (node.type === "directory") {
          listing.set(here, "directory");
          visit(node, here);
        } else {
          const what = node.type === "file" ? `file ${summary(node.bytes)}` : `symlink to ${node.target}`;
          listing.set(here, `${what}, first ${first.get(node)}`);
        }
      }
    };
    visit(this.#root, "");
    return listing;
  }

  #opened(slot: number): File {
    const node = this.#open.get(slot);
    if (node?.type !== "file") throw new Refused("stale");
    return node;
  }

  /** A change that is undone where it exceeds a quota. */
  #attempt<T>(change: () => T): T {
    const undo = this.#whole();
    try {
      const result = change();
      const { bytes, inodes } = this.usage();
      if (bytes > this.quota.maxBytes || inodes > this.quota.maxInodes) throw new Refused("full");
      return result;
    } catch (error) {
      undo();
      throw error;
    }
  }

  #whole(): () => void {
    const directories = [this.#root, ...[...this.#nodes()].filter((node) => node.type === "directory")];
    const entries = directories.map((directory) => [directory, [...directory.entries]] as const);
    const files = [...this.#nodes()].filter((node) => node.type === "file").map((file) =>
      [file, file.bytes] as const
    );
    const open = new Map(this.#open);
    return () => {
      for (const [directory, names] of entries) {
        directory.entries.clear();
        for (const [name, node] of names) directory.entries.set(name, node);
      }
      for (const [file, bytes] of files) file.bytes = bytes;
      this.#open = open;
    };
  }

  #make<T extends Node>({ parent, name, slash }: Found, node: T): T {
    if (slash || name === "") throw new Refused("not a directory's name");
    parent.entries.set(name, node);
    return node;
  }

  #removable(path: string): Found & { readonly node: Node } {
    const found = this.#find(path, false);
    const last = path.split("/").filter(Boolean).at(-1);
    if (!found.node || found.name === "" || last === "." || last === "..") {
      throw new Refused("nothing to remove");
    }
    return { ...found, node: found.node };
  }

  #find(path: string, follow: boolean): Found {
    let hops = 0;
    const trail: Directory[] = [this.#root];
    const rest = path.split("/").filter(Boolean);
    let slash = path.endsWith("/");
    for (;;) {
      const parent = trail.at(-1)!;
      const name = rest.shift();
      if (name === undefined) return { parent, name: "", node: parent, slash };
      if (name === ".") continue;
      if (name === "..") {
        if (trail.length > 1) trail.pop();
        continue;
      }
      const node = parent.entries.get(name);
      const isLast = rest.length === 0;
      if (node?.type === "symlink" && (!isLast || follow)) {
        if (++hops > HOPS) throw new Refused("too many links");
        rest.unshift(...node.target.split("/").filter(Boolean));
        if (node.target.endsWith("/") && isLast) slash = true;
        if (node.target.startsWith("/")) trail.length = 1;
        continue;
      }
      if (isLast) {
        if (slash && node && node.type !== "directory") throw new Refused("no directory");
        return { parent, name, node, slash };
      }
      if (node?.type !== "directory") throw new Refused("no directory on the way");
      trail.push(node);
    }
  }

  /** Every node but the root: named ones, and nameless ones that are open. */
  #nodes(): Set<Node> {
    const nodes = new Set<Node>();
    for (const [, node] of this.#names()) nodes.add(node);
    for (const node of this.#open.values()) if (node) nodes.add(node);
    return nodes;
  }

  *#names(directory = this.#root): Generator<[string, Node]> {
    for (const [name, node] of directory.entries) {
      yield [name, node];
      if (node.type === "directory") yield* this.#names(node);
    }
  }
}

function contains(directory: Directory, other: Directory): boolean {
  return directory === other ||
    [...directory.entries.values()].some((node) => node.type === "directory" && contains(node, other));
}

function written(bytes: Uint8Array, at: number, data: Uint8Array): Uint8Array {
  if (data.length === 0) return bytes;
  const whole = resized(bytes, Math.max(bytes.length, at + data.length));
  whole.set(data, at);
  return whole;
}

function resized(bytes: Uint8Array, size: number): Uint8Array {
  const whole = new Uint8Array(size);
  whole.set(bytes.subarray(0, size));
  return whole;
}
