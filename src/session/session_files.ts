/** The files of a session, as those above it use them. Every operation takes its turn among the session's calls. */

import { PIECE_BYTES } from "../host_calls/bounds.ts";
import { WasmboxError } from "../errors.ts";
import type {
  WorkspaceAnswer,
  WorkspaceEntry,
  WorkspaceOperation,
} from "../executor/wire/workspace_protocol.ts";
import { fileError } from "./file_errors.ts";
import { PieceCutter } from "./piece_cutter.ts";

export type { WorkspaceEntry };

/** An answer, and the bytes that came with it. */
export interface Answered {
  readonly answer: WorkspaceAnswer;
  readonly bytes: Uint8Array;
}

/**
 * How an operation reaches the session's Worker.
 *
 * @param bytes Go with it, at most {@link PIECE_BYTES}.
 * @param goesOn True if it is part of something that was let in before: it is not refused because many calls wait.
 * @throws {WasmboxError} if the session is busy or was ended, or its executor is lost meanwhile.
 */
export type Operate = (
  operation: WorkspaceOperation,
  bytes?: Uint8Array,
  goesOn?: boolean,
) => Promise<Answered>;

export interface ListOptions {
  /** See src/fs/glob.ts. */
  readonly pattern?: string | undefined;
  readonly recursive?: boolean | undefined;
  /** `next` of an earlier piece of the listing. */
  readonly after?: string | undefined;
  /** Most entries; at most {@link MAX_LISTED}. */
  readonly limit: number;
}

export interface WriteOptions {
  /** Adds to the end of what is there. */
  readonly append?: boolean;
  /** What must be there now: a file with this tag, or nothing (false). */
  readonly expect?: string | false | undefined;
}

export interface UploadOptions extends WriteOptions {
  /** How many bytes there will be, if known. */
  readonly total?: number | undefined;
}

export interface Written {
  readonly entry: WorkspaceEntry;
  /** False if there was something at that path before. */
  readonly created: boolean;
}

/** Paths are relative to /app, or absolute in the sandbox. All methods throw {@link WasmboxError}. */
export class SessionFiles {
  readonly #operate: Operate;
  readonly #stay: () => Disposable;
  #uploads = 0;

  /**
   * @param stay Keeps the session where what has arrived of a file is, until it is disposed of.
   * @param maxBytes Of the workspace.
   */
  constructor(operate: Operate, stay: () => Disposable, readonly maxBytes: number) {
    this.#operate = operate;
    this.#stay = stay;
  }

  async stat(path: string): Promise<WorkspaceEntry> {
    return (await this.#entry({ kind: "stat", path }, path)).entry;
  }

  /** Sorted: each directory by name, followed by what is in it. Paths of entries are relative to `path`. */
  async list(
    path: string,
    { pattern, recursive, after, limit }: ListOptions,
  ): Promise<{ entries: WorkspaceEntry[]; next: string | null }> {
    const { answer } = await this.#operate({
      kind: "list",
      path,
      pattern: pattern ?? null,
      recursive: recursive ?? false,
      after: after ?? null,
      limit,
    });
    if (answer.kind === "failed") throw fileError(answer, path);
    if (answer.kind !== "listing") throw unexpected(answer);
    return answer;
  }

  /**
   * A piece of a file.
   *
   * @param length At most {@link PIECE_BYTES}; the piece is shorter at the end of the file.
   * @param tag Of the contents that are meant; absent for the first piece. Others are FILE_CHANGED.
   */
  async read(
    path: string,
    offset: number,
    length: number,
    tag?: string | null,
  ): Promise<{ entry: WorkspaceEntry; bytes: Uint8Array }> {
    const operation = { kind: "read", path, offset, length, tag: tag ?? null } as const;
    return await this.#entry(operation, path, undefined, tag !== undefined);
  }

  /** The text of a PDF; undefined if it has none that can be read. */
  async documentText(path: string): Promise<string | undefined> {
    const { answer } = await this.#operate({ kind: "text", path });
    if (answer.kind === "failed") throw fileError(answer, path);
    if (answer.kind !== "text") throw unexpected(answer);
    return answer.text ?? undefined;
  }

  /** Writes a file, all of it or nothing. Missing directories are made. */
  async write(path: string, bytes: Uint8Array, options: WriteOptions = {}): Promise<Written> {
    return await this.upload(path, [bytes], { ...options, total: bytes.length });
  }

  /**
   * Writes a file as its bytes arrive: the file changes at once when all have, or not at all. What arrives meanwhile is
   * counted; it is refused as soon as the workspace can't hold it.
   */
  async upload(
    path: string,
    body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    { append = false, expect, total }: UploadOptions = {},
  ): Promise<Written> {
    if (total !== undefined && total > this.maxBytes) {
      throw fileError({ kind: "failed", code: "ENOSPC", message: "" }, path);
    }
    const upload = ++this.#uploads;
    using begun = new DisposableStack();
    let offset = 0;
    let staging = false;
    const stage = async (piece: Uint8Array) => {
      if (!staging) begun.use(this.#stay());
      const operation = { kind: "stage", upload, path, offset, total: total ?? null } as const;
      const { answer } = await this.#operate(operation, piece, staging);
      if (answer.kind === "failed") throw fileError(answer, path);
      staging = true;
      offset += piece.length;
    };
    try {
      if (total === undefined || total > PIECE_BYTES) await stage(new Uint8Array(0));
      const cutter = new PieceCutter(PIECE_BYTES);
      for await (const chunk of body) for (const piece of cutter.push(chunk)) await stage(piece);
      return await this.#entry(
        {
          kind: "write",
          path,
          staged: staging ? { upload, bytes: offset } : null,
          append,
          expect: expect ?? null,
        },
        path,
        cutter.rest(),
        staging,
      );
    } catch (error) {
      // If it does not arrive, what holds the pieces is gone.
      if (staging) this.#operate({ kind: "drop", upload }, undefined, true).catch(() => {});
      throw error;
    }
  }

  /** @returns What was there. */
  async delete(path: string, recursive: boolean): Promise<WorkspaceEntry> {
    return (await this.#entry({ kind: "delete", path, recursive }, path)).entry;
  }

  async move(from: string, to: string, overwrite: boolean): Promise<WorkspaceEntry> {
    const { answer } = await this.#operate({ kind: "move", from, to, overwrite });
    if (answer.kind === "failed") {
      const atTarget = ["EEXIST", "EISDIR", "ENOTEMPTY", "EROFS"].includes(answer.code);
      throw fileError(answer, atTarget ? to : from);
    }
    if (answer.kind !== "entry") throw unexpected(answer);
    return answer.entry;
  }

  /** Makes a directory, and those above it; it may be there. */
  async makeDirectory(path: string): Promise<WorkspaceEntry> {
    return (await this.#entry({ kind: "mkdir", path }, path)).entry;
  }

  async #entry(operation: WorkspaceOperation, path: string, piece?: Uint8Array, goesOn = false) {
    const { answer, bytes } = await this.#operate(operation, piece, goesOn);
    if (answer.kind === "failed") throw fileError(answer, path);
    if (answer.kind !== "entry") throw unexpected(answer);
    return { entry: answer.entry, created: answer.created, bytes };
  }
}

/** The executor answered something else than it was asked. */
function unexpected(answer: WorkspaceAnswer): WasmboxError {
  return new WasmboxError("EXECUTOR_LOST", `The session's process gave a wrong answer (${answer.kind}).`);
}
