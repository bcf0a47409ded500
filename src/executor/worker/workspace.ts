/** The file operations of a session's Worker (workspace_protocol.ts), on its file system. */

import { changesWorkspace, MAX_LISTED_BYTES } from "../wire/bounds.ts";
import { platformRandom } from "../../control/random.ts";
import { type FileSystem, FsError, type Stat } from "../../fs/file_system.ts";
import { GlobError } from "../../fs/glob.ts";
import { WORKING_DIRECTORY } from "../../fs/places.ts";
import { list } from "../../fs/listing.ts";
import { isRemote } from "../../fs/mounts/remote_inode.ts";
import { UnknownUpload, Uploads } from "./uploads.ts";
import type { WorkspaceAnswer, WorkspaceEntry, WorkspaceOperation } from "../wire/workspace_protocol.ts";

/** An operation that is about files alone. */
export type FileOperation = Exclude<WorkspaceOperation, { kind: "info" | "reset" | "variables" | "text" }>;

export interface FileAnswer {
  readonly answer: WorkspaceAnswer;
  /** What goes with it. */
  readonly bytes?: Uint8Array;
}

type Operation<Kind extends FileOperation["kind"]> = Extract<FileOperation, { kind: Kind }>;

/** A file is not what the caller expects it to be. */
class UnexpectedFile extends Error {}

/** Directories that programs need to be there. */
const KEPT_DIRECTORIES = [WORKING_DIRECTORY, "/tmp"];

export class Workspace {
  readonly #fs: FileSystem;
  readonly #uploads: Uploads;
  /** Tells this Worker's tags from those of others: versions of files count up within one Worker. */
  readonly #nonce = randomName();

  constructor(fs: FileSystem) {
    this.#fs = fs;
    this.#uploads = new Uploads(fs);
  }

  /** Does all of an operation, or nothing. @param bytes Those that came with it. */
  perform(operation: FileOperation, bytes: Uint8Array): FileAnswer {
    const before = changesWorkspace(operation) ? this.#fs.snapshot() : undefined;
    try {
      return this.#perform(operation, bytes);
    } catch (error) {
      const answer = failureOf(error);
      if (!answer) throw error;
      if (before) this.#fs.restore(before);
      return { answer };
    }
  }

  #perform(operation: FileOperation, bytes: Uint8Array): FileAnswer {
    switch (operation.kind) {
      case "stat":
        return this.#entryAt(operation.path);
      case "list":
        return this.#list(operation);
      case "read":
        return this.#read(operation);
      case "stage": {
        const { upload, path, offset, total } = operation;
        const replaced = this.#replaceable(path);
        const freed = replaced && !isRemote(replaced) ? replaced.size : 0;
        this.#uploads.stage(upload, offset, total, freed, bytes);
        return { answer: { kind: "done" } };
      }
      case "drop":
        this.#uploads.drop(operation.upload);
        return { answer: { kind: "done" } };
      case "write":
        return this.#write(operation, bytes);
      case "delete":
        return this.#delete(operation);
      case "move":
        return this.#move(operation);
      case "mkdir":
        this.#fs.mkdir(absolute(operation.path), { recursive: true });
        return this.#entryAt(operation.path);
    }
  }

  #list({ path, pattern, recursive, after, limit }: Operation<"list">): FileAnswer {
    const { entries, next } = list(this.#fs, absolute(path), {
      pattern: pattern ?? undefined,
      recursive,
      after: after ?? undefined,
      limit,
      maxBytes: MAX_LISTED_BYTES,
    });
    const shown = entries.map(({ path, stat }) => this.#entry(path, stat));
    return { answer: { kind: "listing", entries: shown, next } };
  }

  #read({ path, offset, length, tag }: Operation<"read">): FileAnswer {
    using file = this.#fs.open(absolute(path));
    const stat = file.stat();
    if (stat.type === "directory") throw new FsError("EISDIR", path);
    if (stat.type !== "file") throw new FsError("EINVAL", path);
    const entry = this.#entry(path, stat);
    if (tag !== null && entry.tag !== tag) throw new UnexpectedFile();
    const bytes = new Uint8Array(Math.max(0, Math.min(length, stat.size - offset)));
    file.readAt(bytes, offset);
    return { answer: { kind: "entry", entry, created: false }, bytes };
  }

  #write({ path, staged, append, expect }: Operation<"write">, bytes: Uint8Array): FileAnswer {
    const target = absolute(path);
    const old = this.#replaceable(path);
    if (expect !== null && (old ? this.#entry(path, old).tag : false) !== expect) throw new UnexpectedFile();
    const pieces = [...staged ? this.#uploads.take(staged.upload, staged.bytes) : [], bytes];
    this.#makeParent(target);
    if (!append || !old) this.#fs.writeFile(target, new Uint8Array(0));
    // One after the other is let go of: the largest upload must not be there twice.
    for (let piece = pieces.shift(); piece; piece = pieces.shift()) this.#fs.appendFile(target, piece);
    return this.#entryAt(path, !old);
  }

  #delete({ path, recursive }: Operation<"delete">): FileAnswer {
    const entry = this.#entry(path, this.#fs.stat(absolute(path), { follow: false }));
    this.#checkRemovable(path);
    this.#fs.rm(absolute(path), { recursive });
    return { answer: { kind: "entry", entry, created: false } };
  }

  #move({ from, to, overwrite }: Operation<"move">): FileAnswer {
    this.#checkRemovable(from);
    const exists = this.#fs.exists(absolute(to), { follow: false });
    if (exists && !overwrite) throw new FsError("EEXIST", to);
    this.#makeParent(absolute(to));
    this.#fs.rename(absolute(from), absolute(to));
    return this.#entryAt(to, !exists);
  }

  #makeParent(path: string): void {
    const parent = path.slice(0, path.lastIndexOf("/")) || "/";
    if (this.#fs.exists(parent) && this.#fs.stat(parent).type !== "directory") {
      throw new FsError("ENOTDIR", path);
    }
    this.#fs.mkdir(parent, { recursive: true });
  }

  /** The file that a write to `path` would replace. @throws {FsError} EISDIR, ELOOP and the like. */
  #replaceable(path: string): Stat | undefined {
    if (!this.#fs.exists(absolute(path))) return undefined;
    const stat = this.#fs.stat(absolute(path));
    if (stat.type === "directory") throw new FsError("EISDIR", path);
    if (stat.type !== "file") throw new FsError("EINVAL", path);
    return stat;
  }

  /** @throws {FsError} EBUSY */
  #checkRemovable(path: string): void {
    const { ino } = this.#fs.stat(absolute(path), { follow: false });
    const kept = KEPT_DIRECTORIES.some((directory) =>
      this.#fs.exists(directory) && this.#fs.stat(directory).ino === ino
    );
    if (kept) throw new FsError("EBUSY", path);
  }

  /** What is at a path; a symlink is told as one only if it leads nowhere. */
  #entryAt(path: string, created = false): FileAnswer {
    const follow = this.#fs.exists(absolute(path));
    const entry = this.#entry(path, this.#fs.stat(absolute(path), { follow }));
    return { answer: { kind: "entry", entry, created } };
  }

  #entry(path: string, { type, size, mtime, ino, version }: Stat): WorkspaceEntry {
    const tag = type === "file" ? `${this.#nonce}-${ino.toString(36)}-${version.toString(36)}` : null;
    return { path, type, size, modified: Number(mtime / 1_000_000n), tag };
  }
}

export function absolute(path: string): string {
  return path.startsWith("/") ? path : `${WORKING_DIRECTORY}/${path}`;
}

/** An operation's failure as its answer; undefined if it is a defect. */
function failureOf(error: unknown): WorkspaceAnswer | undefined {
  if (error instanceof FsError) return { kind: "failed", code: error.code, message: error.message };
  if (error instanceof GlobError) return { kind: "failed", code: "PATTERN", message: error.message };
  if (error instanceof UnknownUpload) return { kind: "failed", code: "UPLOAD", message: error.message };
  if (error instanceof UnexpectedFile) return { kind: "failed", code: "CHANGED", message: "" };
  return undefined;
}

function randomName(): string {
  const bytes = new Uint8Array(8);
  platformRandom(bytes);
  return Array.from(bytes, (byte) => byte.toString(36)).join("");
}
