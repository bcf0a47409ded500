/** A session's files as a part of its image: inodes and chunks that changed between two snapshots. */

import type { FileSystem, Snapshot } from "../fs/file_system.ts";
import type { Inode } from "../fs/inode.ts";
import { InvalidTreeError, type StoredInode } from "../fs/stored_tree.ts";
import { ENTRY_MAX_BYTES, entryBytes, type ImageEntry, Section } from "../executor/wire/entry.ts";
import { ImageError } from "../executor/wire/image_error.ts";
import { decodeInode, encodeInode } from "./inode_record.ts";
import type { ImagePart, PendingCapture } from "./part.ts";
import { cut, join } from "./pieces.ts";

/** Most that an inode's record may hold: a thousand names. */
const RECORD_MAX_BYTES = 2 * 1024 * 1024;

/** The entries of one inode: record and chunks, by section and number. */
type InodeEntries = Map<string, ImageEntry>;

export class FilesPart implements ImagePart {
  readonly name = "files";
  readonly sections: readonly number[] = [Section.filesState, Section.inode, Section.chunk];
  readonly #fs: FileSystem;
  readonly #pristine: Snapshot;
  #captured: Snapshot | undefined;
  /** Size of the captured image. */
  #bytes = 0;
  #nextIno = 0;

  /** @param fs As it is before its first use. */
  constructor(fs: FileSystem) {
    this.#fs = fs;
    this.#pristine = fs.snapshot();
  }

  beginCapture(): PendingCapture {
    const snapshot = this.#fs.snapshot();
    const { nextIno } = this.#fs;
    const entries: ImageEntry[] = [];
    let bytes = this.#bytes;
    const put = (entry: ImageEntry, old: ImageEntry | undefined) => {
      entries.push(entry);
      bytes += sizeOf(entry) - sizeOf(old);
    };
    if (nextIno !== this.#nextIno) {
      put(stateEntry(nextIno), this.#nextIno === 0 ? undefined : stateEntry(this.#nextIno));
    }
    for (const { before, after } of this.#fs.inodeChanges(this.#captured, snapshot)) {
      const [old, now] = [entriesOf(before), entriesOf(after)];
      for (const [key, entry] of now) {
        const stored = old.get(key);
        if (!sameBytes(stored?.bytes, entry.bytes)) put(entry, stored);
      }
      for (const [key, entry] of old) if (!now.has(key)) put({ ...entry, bytes: null }, entry);
    }
    return {
      imageBytes: bytes,
      commit: () => {
        this.#captured = snapshot;
        this.#nextIno = nextIno;
        this.#bytes = bytes;
        return entries;
      },
    };
  }

  rollback(): void {
    this.#fs.restore(this.#captured ?? this.#pristine);
  }

  restore(entries: readonly ImageEntry[]): undefined {
    if (entries.length === 0) return;
    try {
      this.#load(entries);
    } catch (error) {
      // Files that heaps still have open must stay files that are gone, whatever is made from now on.
      this.#fs.skipInos(entries.reduce((most, { a }) => Math.max(most, a), 0) + 1);
      throw error;
    }
  }

  #load(entries: readonly ImageEntry[]): void {
    const records = new Map<number, ImageEntry[]>();
    const chunks = new Map<number, Map<number, Uint8Array>>();
    let nextIno = 0;
    for (const entry of entries) {
      if (entry.section === Section.filesState) nextIno = parseState(entry);
      else if (entry.section === Section.inode) getOr(records, entry.a, () => []).push(entry);
      else getOr(chunks, entry.a, () => new Map()).set(entry.b, entry.bytes!);
    }
    const inodes = [...records].map(([ino, pieces]) => parseInode(ino, pieces));
    for (const ino of chunks.keys()) if (!records.has(ino)) throw new ImageError("a chunk is of no file");
    try {
      this.#fs.load({ nextIno, inodes, chunks: (ino) => chunks.get(ino) ?? new Map() });
    } catch (error) {
      if (!(error instanceof InvalidTreeError)) throw error;
      throw new ImageError(error.message);
    }
    this.#captured = this.#fs.snapshot();
    this.#nextIno = nextIno;
    this.#bytes = entries.reduce((sum, entry) => sum + sizeOf(entry), 0);
  }
}

function entriesOf(node: Inode | undefined): InodeEntries {
  const entries: InodeEntries = new Map();
  if (node === undefined) return entries;
  const { ino: a } = node;
  cut(encodeInode(node), ENTRY_MAX_BYTES).forEach((bytes, b) => {
    entries.set(`${Section.inode}:${b}`, { section: Section.inode, a, b, bytes });
  });
  if (node.type === "file") {
    node.chunks.forEach((chunk, b) => {
      if (chunk) entries.set(`${Section.chunk}:${b}`, { section: Section.chunk, a, b, bytes: chunk.bytes });
    });
  }
  return entries;
}

/** Chunks are compared by identity: a frozen one never changes. */
function sameBytes(one: Uint8Array | null | undefined, other: Uint8Array | null): boolean {
  return one === other;
}

function sizeOf(entry: ImageEntry | undefined): number {
  return entry === undefined || entry.bytes === null ? 0 : entryBytes(entry.bytes.length);
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function stateEntry(nextIno: number): ImageEntry {
  return { section: Section.filesState, a: 0, b: 0, bytes: encoder.encode(String(nextIno)) };
}

function parseState({ a, b, bytes }: ImageEntry): number {
  const text = bytes!.length <= 16 ? decoder.decode(bytes!) : "";
  if (a !== 0 || b !== 0 || !/^\d+$/.test(text)) throw new ImageError("the state of the files is invalid");
  return Number(text);
}

function parseInode(ino: number, pieces: readonly ImageEntry[]): StoredInode {
  const sorted = [...pieces].sort((one, other) => one.b - other.b);
  if (sorted.some(({ b }, index) => b !== index)) throw new ImageError("an inode is not whole");
  return decodeInode(ino, join(sorted.map(({ bytes }) => bytes!), RECORD_MAX_BYTES));
}

function getOr<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, value = make());
  return value;
}
