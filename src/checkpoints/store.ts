/**
 * Where the images of sessions are kept between their executors: the seam behind which memory, a directory or another
 * server may stand. All of it is asynchronous.
 */

import type { Bases } from "../executor/wire/protocol.ts";
import type { ImageEntry } from "../executor/wire/entry.ts";

/** Whose image it is; in the words of clients, which may be long and hold any characters. */
export interface SessionKey {
  readonly principal: string;
  readonly sessionId: string;
}

/** What changed from one checkpoint of a session to the next. */
export interface Capture {
  /** The number of the change whose end state the image is with this. */
  readonly change: number;
  /** What its heaps are deltas of. */
  readonly bases: Bases;
  /** Applied in order: each takes the place of the one of its key, or removes it. */
  readonly entries: readonly ImageEntry[];
}

/** A session's image, as it was last put together. */
export interface StoredImage {
  readonly change: number;
  readonly bases: Bases;
  /** All of its entries, in batches for the pipe. Valid until the next capture is appended. */
  batches(): AsyncIterable<Uint8Array<ArrayBuffer>> | Iterable<Uint8Array<ArrayBuffer>>;
}

/** One session's place in a store. Its owner waits for each call before the next one. */
export interface StoredSession {
  /**
   * Adds a capture to the image.
   *
   * Settles when the store has all of it; until then a reader finds the image of before.
   *
   * @throws {ImageTooLarge} if a bound is exceeded; nothing is kept of the image then.
   */
  append(capture: Capture): Promise<void>;
  /** Undefined as long as nothing was appended. */
  read(): Promise<StoredImage | undefined>;
  /** Gives the image up. */
  delete(): Promise<void>;
}

export interface CheckpointStore extends AsyncDisposable {
  /**
   * The place of a session that begins: empty, and its own also while an earlier session of the same key still ends.
   *
   * @param maxBytes Most that its image may hold.
   */
  session(key: SessionKey, maxBytes: number): StoredSession;
}
