/** What a session's image is put together from: its files, and the heap of each language. */

import type { ImageEntry } from "../executor/wire/entry.ts";

/** What of a part could not be brought back. */
export interface PartLoss {
  /** {@link ImagePart.name} */
  readonly part: string;
  /** Whether all of it is lost: it is as it was made. */
  readonly whole: boolean;
  /** What it was if not all, and why. For people. */
  readonly reason: string;
}

/** What a heap goes on from could not be read: its image may be sound, so that none of it is given up. */
export class BaseUnavailable extends Error {}

/**
 * One part of a session's state. It remembers what was last captured of it, so that a capture costs what changed and
 * a rollback needs nobody else.
 */
export interface ImagePart {
  /** Under which its loss is told. */
  readonly name: string;
  /** The sections whose entries are this part's. */
  readonly sections: readonly number[];
  /** Looks for what changed since the last capture. Nothing is remembered yet; nothing may run until `commit`. */
  beginCapture(): PendingCapture;
  /**
   * Goes back to what was captured or restored last; to the pristine state if that never happened.
   *
   * @throws {ImageError} if there is no memory for it.
   */
  rollback(): void;
  /**
   * Takes on the state of a whole image. The part must be as it was made.
   *
   * @param entries Those of this part's sections; none: the part stays as it is.
   * @returns What of the part the image has not, as it could not be captured; as a rule nothing.
   * @throws {BaseUnavailable}
   * @throws {Error} if they are damaged, as {@link ImageError} where that was expected; a {@link rollback} then makes
   * the part what it was before.
   */
  restore(entries: readonly ImageEntry[]): string | undefined;
}

/** A capture that can still be left. */
export interface PendingCapture {
  /** Size of this part of the image once committed, as encoded; of a heap, at most. */
  readonly imageBytes: number;
  /**
   * Remembers the present state as the captured one.
   *
   * @returns what changed. The bytes are views of what is remembered: valid until the part's next commit, rollback or
   * restore.
   */
  commit(): ImageEntry[];
}
