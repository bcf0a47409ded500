/**
 * Where the images of sessions are kept: the seam behind which memory, a directory or another server may stand. All of it
 * is asynchronous.
 *
 * An image is kept as segments, each what one change captured, which never change; a head says which of them count, in
 * which order, and is replaced as a whole. So an earlier image is a shorter list, and a copy of one is another list.
 */

import type { Bases } from "../executor/wire/bases.ts";
import type { ImageEntry } from "../executor/wire/entry.ts";
import type { SessionFacts } from "./facts.ts";

/** Whose image it is; in the words of clients, which may be long and hold any characters. */
export interface SessionKey {
  readonly principal: string;
  readonly sessionId: string;
}

/** What changed from one checkpoint of a session to the next, or from nothing to it. */
export interface Segment {
  /** Counts the session's changes: the one whose end state the image is with this. */
  readonly generation: number;
  /** When that was, milliseconds of the epoch. */
  readonly at: number;
  /** What its heaps are deltas of. */
  readonly bases: Bases;
  /** How many changes it stands for, put together; absent: one. Between them there is nothing to go back to. */
  readonly changes?: number | undefined;
  /** Applied in order: each takes the place of the one of its key, or removes it. */
  readonly entries: readonly ImageEntry[];
}

/** A segment that a store has. */
export interface SegmentRecord extends Omit<Segment, "entries"> {
  /** Names it among all of its principal's. */
  readonly id: string;
  /** Of its entries, as {@link entryBytes} counts them. */
  readonly bytes: number;
  /** What it takes in the store, with what others have too. */
  readonly storedBytes: number;
  /** Of what is stored beside the chunks, hexadecimal; empty where nothing can come between. */
  readonly sha256: string;
  /** Contents that are stored by what they are, once for all sessions of its principal. */
  readonly chunks?: readonly ChunkRecord[] | undefined;
}

/** Contents of some entries, one after another, that a store has. */
export interface ChunkRecord {
  /** SHA-256 of them, hexadecimal. */
  readonly id: string;
  readonly bytes: number;
  /** What they take in the store. */
  readonly storedBytes: number;
}

/** A list of segments that a session can come back to. */
export interface NamedImage {
  readonly name: string;
  readonly generation: number;
  readonly at: number;
  readonly segments: readonly SegmentRecord[];
}

/** All that a store knows of a session beside the segments themselves. */
export interface Head {
  readonly key: SessionKey;
  /** Of the session as it is now. */
  readonly generation: number;
  /** Oldest first. */
  readonly segments: readonly SegmentRecord[];
  readonly checkpoints: readonly NamedImage[];
  readonly facts: SessionFacts;
}

/** All segments that a head names, each once. */
export function recordsOf({ segments, checkpoints }: Head): SegmentRecord[] {
  const all = [segments, ...checkpoints.map(({ segments }) => segments)].flat();
  return [...new Map(all.map((record) => [record.id, record])).values()];
}

/** What segments stand on, by name, each once: themselves and their chunks. With what it takes in the store. */
export function partsOf(records: Iterable<SegmentRecord>): Map<string, number> {
  const parts = new Map<string, number>();
  for (const { id, storedBytes, chunks = [] } of records) {
    const ofChunks = chunks.reduce((sum, chunk) => sum + chunk.storedBytes, 0);
    parts.set(id, storedBytes - ofChunks);
    for (const chunk of chunks) parts.set(chunk.id, chunk.storedBytes);
  }
  return parts;
}

/** What a session takes in the store, whoever else has some of it. */
export function storedBytesOf(head: Head): number {
  return [...partsOf(recordsOf(head)).values()].reduce((sum, bytes) => sum + bytes, 0);
}

/** The store can't take or give anything now. Nothing that it has is lost. */
export class StoreUnavailable extends Error {
  override name = "StoreUnavailable";
}

/** What a store has of a session is not what was put there. */
export class ImageRefused extends Error {
  override name = "ImageRefused";
}

/** Another server has the session. */
export class SessionTaken extends Error {
  override name = "SessionTaken";
}

/** Another server went on with the session meanwhile: what this one has of it since can't be stored any more. */
export class SessionLost extends StoreUnavailable {
  override name = "SessionLost";
}

/** What a store that several servers share tells the one that has a session. */
export interface PlaceOwner {
  /** Another server asks for the session. */
  wanted(key: SessionKey): void;
  /** Another server has the session: {@link SessionLost}. */
  lost(key: SessionKey): void;
  /** The store can take something again, after it could not. */
  available(): void;
}

/** One session's place in a store, which nobody else has meanwhile. Its owner waits for each call before the next one. */
export interface SessionPlace {
  /** What was committed last; undefined for a session that begins. */
  readonly found: Head | undefined;
  /** What was running when a server that had the session ended without a word, then what waited for it. */
  readonly interrupted: readonly string[];
  /** Why it is no place of this server's any more, where that can be. */
  readonly lost?: string | undefined;
  /** @throws {StoreUnavailable} @throws {ImageTooLarge} */
  put(segment: Segment): Promise<SegmentRecord>;
  /** @throws {ImageRefused} @throws {StoreUnavailable} */
  get(record: SegmentRecord): Promise<readonly ImageEntry[]>;
  /** Makes this what is found. Everything that was put before is there when it settles. @throws {StoreUnavailable} */
  commit(head: Head): Promise<void>;
  /** Gives up segments that no head names any more. @param kept Those that stay, some of whose chunks may be the same. */
  remove(records: readonly SegmentRecord[], kept: readonly SegmentRecord[]): Promise<void>;
  /** Lets another session of the same principal and store have them too. @throws {StoreUnavailable} */
  share(records: readonly SegmentRecord[], to: SessionPlace): Promise<void>;
  /** What runs from now on, and what waits for it, for {@link interrupted}. Never rejects. */
  runs(executionIds: readonly string[]): Promise<void>;
  /** Keeps what was refused where people find it, and begins anew. @returns Where it is; undefined if that can't be. */
  setAside(): Promise<string | undefined>;
  /** Forgets the session. @throws {StoreUnavailable} if it can't: then it is still there. */
  delete(): Promise<void>;
  /** Lets others have the session, as it was committed last. Never rejects. */
  release(): Promise<void>;
}

export interface CheckpointStore extends AsyncDisposable {
  /** Whether it outlives the server. */
  readonly durable: boolean;
  /** Whom it tells of its sessions; only of stores that several servers share. */
  owner?: PlaceOwner | undefined;
  /**
   * The place of a session: empty, if none is stored under that name.
   *
   * @throws {SessionTaken} @throws {StoreUnavailable}
   * @throws {ImageRefused} if what is stored can't be trusted: it was set aside, and the name is free.
   */
  claim(key: SessionKey): Promise<SessionPlace>;
  /** Whether a session of that name is stored. @throws {StoreUnavailable} */
  has(key: SessionKey): Promise<boolean>;
  /** The principal's sessions that are stored, as far as they can be read. @throws {StoreUnavailable} */
  list(principal: string): Promise<readonly StoredView[]>;
}

/** A session that is stored. */
export interface StoredView {
  readonly sessionId: string;
  readonly facts: SessionFacts;
  readonly storedBytes: number;
  /** The execution that began last, which may run still, and those that waited for it. */
  readonly ran?: readonly string[] | undefined;
}
