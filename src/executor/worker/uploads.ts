/** Pieces of files on their way in: held beside the file system until all of them are there, counted as if they were in it. */

import { FsError } from "../../fs/errors.ts";
import type { FileSystem } from "../../fs/file_system.ts";

/** There is no such upload, or not as far as the server thinks: it was begun in a Worker that is gone. */
export class UnknownUpload extends Error {
  override name = "UnknownUpload";
}

interface Upload {
  readonly pieces: Uint8Array[];
  bytes: number;
}

export class Uploads {
  readonly #uploads = new Map<number, Upload>();
  /** Of all uploads. */
  #bytes = 0;

  constructor(readonly fs: FileSystem) {}

  /**
   * Adds a piece, which is kept as it is.
   *
   * @param offset Bytes staged before it.
   * @param total Bytes that all pieces will have, if known.
   * @param replaced Bytes of the file that the upload will replace.
   * @throws {FsError} ENOSPC, as soon as it is certain that the workspace can't hold all of it.
   * @throws {UnknownUpload}
   */
  stage(id: number, offset: number, total: number | null, replaced: number, piece: Uint8Array): void {
    const upload = this.#find(id, offset);
    const missing = Math.max(piece.length, (total ?? 0) - upload.bytes);
    const { quota, usage } = this.fs;
    if (usage.bytes - replaced + this.#bytes + missing > quota.maxBytes) throw new FsError("ENOSPC");
    this.#uploads.set(id, upload);
    if (piece.length > 0) upload.pieces.push(piece);
    upload.bytes += piece.length;
    this.#bytes += piece.length;
  }

  /** The pieces of an upload, which ends with it. @throws {UnknownUpload} */
  take(id: number, bytes: number): Uint8Array[] {
    const { pieces } = this.#find(id, bytes);
    this.drop(id);
    return pieces;
  }

  drop(id: number): void {
    this.#bytes -= this.#uploads.get(id)?.bytes ?? 0;
    this.#uploads.delete(id);
  }

  #find(id: number, bytes: number): Upload {
    const upload = this.#uploads.get(id) ?? { pieces: [], bytes: 0 };
    if (upload.bytes !== bytes) throw new UnknownUpload("the upload was lost");
    return upload;
  }
}
