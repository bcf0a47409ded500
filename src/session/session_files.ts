/** The files of a session, as those above it use them. Every operation takes its turn among the session's calls. */

import { PIECE_BYTES } from "../host_calls/bounds.ts";
import { WasmboxError } from "../errors.ts";
import type {
  WorkspaceAnswer,
  WorkspaceEntry,
  WorkspaceOperation,
} from "../executor/wire/workspace_protocol.ts";
import { fileError } from "./file_errors.ts";
import type { TurnOptions } from "./call_queue.ts";
import { nextNumber } from "./numbers.ts";
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
 * @throws {WasmboxError} if the session's executor is lost meanwhile.
 */
type Operate = (operation: WorkspaceOperation, bytes?: Uint8Array) => Promise<Answered>;

/** The turns that operations take among the session's calls. Throw {@link WasmboxError} as those of a CallQueue do. */
export interface FileTurns {
  /** A turn of its own for one operation. */
  operate(operation: WorkspaceOperation, bytes?: Uint8Array, options?: TurnOptions): Promise<Answered>;
  /** One turn for several. */
  together<T>(work: (operate: Operate) => Promise<T>, options?: TurnOptions): Promise<T>;
  /** Keeps the session where what has arrived of a file is, until it is disposed of. */
  stay(): Disposable;
  /** Whether all of it is in one turn already. */
  readonly within: boolean;
}

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
  readonly #turns: FileTurns;

  /** @param maxBytes Of the workspace. */
  constructor(turns: FileTurns, readonly maxBytes: number) {
    this.#turns = turns;
  }

  /** The same for one call: what it waits for is not done once that is cancelled. */
  until(signal: AbortSignal): SessionFiles {
    const { operate, together, stay, within } = this.#turns;
    return new SessionFiles({
      operate: (operation, bytes, options) => operate(operation, bytes, { ...options, signal }),
      together: (work) => together(work, { signal }),
      stay,
      within,
    }, this.maxBytes);
  }

  /** Does several things in one turn: no other call comes between them, and calls that follow see what they did. */
  together<T>(work: (files: SessionFiles) => Promise<T>): Promise<T> {
    const { stay } = this.#turns;
    return this.#turns.together((operate) => {
      const turns: FileTurns = { operate, together: (more) => more(operate), stay, within: true };
      return work(new SessionFiles(turns, this.maxBytes));
    });
  }

  async stat(path: string): Promise<WorkspaceEntry> {
    return (await this.#entry({ kind: "stat", path }, path)).entry;
  }

  /** Sorted: each directory by name, followed by what is in it. Paths of entries are relative to `path`. */
  async list(
    path: string,
    { pattern, recursive, after, limit }: ListOptions,
  ): Promise<{ entries: WorkspaceEntry[]; next: string | null }> {
    const { answer } = await this.#turns.operate({
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
    const { answer } = await this.#turns.operate({ kind: "text", path });
    if (answer.kind === "failed") throw fileError(answer, path);
    if (answer.kind !== "text") throw unexpected(answer);
    return answer.text ?? undefined;
  }

  /** Writes a file, all of it or nothing, in one turn. Missing directories are made. */
  write(path: string, bytes: Uint8Array, options: WriteOptions = {}): Promise<Written> {
    return this.together((files) => files.upload(path, [bytes], { ...options, total: bytes.length }));
  }

  /**
   * Writes a file as its bytes arrive: the file changes at once when all have, or not at all. What arrives meanwhile is
   * counted; it is refused as soon as the workspace can't hold it. Other calls have their turns between pieces.
   */
  async upload(
    path: string,
    body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    { append = false, expect, total }: UploadOptions = {},
  ): Promise<Written> {
    if (total !== undefined && total > this.maxBytes) {
      throw fileError({ kind: "failed", code: "ENOSPC", message: "" }, path);
    }
    const upload = nextNumber();
    using begun = new DisposableStack();
    let offset = 0;
    let staging = false;
    const stage = async (piece: Uint8Array) => {
      if (!staging) begun.use(this.#turns.stay());
      const operation = { kind: "stage", upload, path, offset, total: total ?? null } as const;
      const { answer } = await this.#turns.operate(operation, piece, { goesOn: staging });
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
      if (staging) {
        const { operate, within } = this.#turns;
        // If it does not arrive, what holds the pieces is gone.
        const dropped = operate({ kind: "drop", upload }, undefined, { goesOn: true }).catch(() => {});
        if (within) await dropped; // a turn ends with all that was asked in it
      }
      throw error;
    }
  }

  /** @returns What was there. */
  async delete(path: string, recursive: boolean): Promise<WorkspaceEntry> {
    return (await this.#entry({ kind: "delete", path, recursive }, path)).entry;
  }

  async move(from: string, to: string, overwrite: boolean): Promise<WorkspaceEntry> {
    const { answer } = await this.#turns.operate({ kind: "move", from, to, overwrite });
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
    const { answer, bytes } = await this.#turns.operate(operation, piece, { goesOn });
    if (answer.kind === "failed") throw fileError(answer, path);
    if (answer.kind !== "entry") throw unexpected(answer);
    return { entry: answer.entry, created: answer.created, bytes };
  }
}

/** The executor answered something else than it was asked. */
function unexpected(answer: WorkspaceAnswer): WasmboxError {
  return new WasmboxError("EXECUTOR_LOST", `The session's process gave a wrong answer (${answer.kind}).`);
}
