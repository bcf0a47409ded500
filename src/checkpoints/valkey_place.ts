/** One session in Valkey, as long as this server has it. */

import type { ImageEntry } from "../executor/wire/entry.ts";
import { encodeHead } from "./head.ts";
import { sizeOfEntries } from "./image_entries.ts";
import { type Chunk, joinSegment, splitSegment, unpackChunk } from "./chunked_segment.ts";
import { compress } from "./segment_file.ts";
import {
  type ChunkRecord,
  type Head,
  ImageRefused,
  partsOf,
  recordsOf,
  type Segment,
  type SegmentRecord,
  type SessionKey,
  SessionLost,
  type SessionPlace,
  StoreUnavailable,
} from "./store.ts";
import { encodeUnderWay } from "./under_way.ts";
import { type Argument, textOf } from "./valkey_connection.ts";
import { type SessionNames, sessionNames } from "./valkey_names.ts";
import * as scripts from "./valkey_scripts.ts";
import type { ValkeyStore } from "./valkey_store.ts";

/** How long what nobody can find yet, or any more, is kept. */
export const DRAFT_MS = 24 * 3600 * 1000;
/** How long a session is kept for the server that asked for it, before the one that let it go may have it again. */
const RESERVED_MS = 1000;
/** How long what was refused is kept for people. */
const ASIDE_MS = 30 * 24 * 3600 * 1000;

interface Claimed {
  /** The number that says that the session is this server's. */
  readonly fence: string;
  readonly found: Head | undefined;
  readonly interrupted: readonly string[];
  /** Parts that no head names: removing them failed before. */
  readonly stale: readonly string[];
}

export class ValkeyPlace implements SessionPlace {
  readonly found: Head | undefined;
  readonly interrupted: readonly string[];
  readonly names: SessionNames;
  readonly #fence: string;
  #lost: string | undefined;
  /** Who asked for it last, and when. */
  #wanted: { readonly by: string; readonly at: number } | undefined;
  /** Of what is changed in order. */
  #seq = 0;
  /** Whether others can find it. */
  #committed: boolean;
  /** Parts that no head that was committed names yet. */
  #fresh: string[] = [];
  /** Parts that no image needs, and that are still there. */
  #stale: string[];

  constructor(
    readonly store: ValkeyStore,
    readonly key: SessionKey,
    { fence, found, interrupted, stale }: Claimed,
  ) {
    this.names = sessionNames(store.options.prefix, key);
    this.#fence = fence;
    this.found = found;
    this.interrupted = interrupted;
    this.#committed = found !== undefined;
    this.#stale = [...stale];
  }

  get lost(): string | undefined {
    return this.#lost;
  }

  /** It is harmless without a head that names it, and so needs no proof of whose the session is. */
  async put({ entries, ...rest }: Segment): Promise<SegmentRecord> {
    this.#assertOurs();
    const id = `${rest.generation}-${crypto.randomUUID()}`;
    const added = [id];
    try {
      const { bytes, sha256, chunks } = await splitSegment(entries, (chunk) => {
        added.push(chunk.id);
        return this.#keep(chunk);
      });
      await this.store.connection.call("SET", this.#part(id), bytes, "PX", DRAFT_MS);
      this.#fresh.push(...added);
      const storedBytes = chunks.reduce((sum, chunk) => sum + chunk.storedBytes, bytes.length);
      return { ...rest, id, bytes: sizeOfEntries(entries), storedBytes, sha256, chunks };
    } catch (error) {
      this.#stale.push(...added); // what of them other images need stays
      throw error;
    }
  }

  async get(record: SegmentRecord): Promise<readonly ImageEntry[]> {
    this.#assertOurs();
    const bytes = await this.#read(record.id, partsOf([record]).get(record.id)!);
    const read = async (chunk: ChunkRecord) =>
      unpackChunk(await this.#read(chunk.id, chunk.storedBytes), chunk);
    return await joinSegment(bytes, record, read, this.store.options.segmentMaxBytes);
  }

  async commit(head: Head): Promise<void> {
    const named = partsOf(recordsOf(head));
    const fresh = [...new Set(this.#fresh)].filter((id) => named.has(id));
    const bytes = encodeHead(head, this.store.options.keys);
    const { lastUsedAt } = head.facts;
    await this.#change(scripts.COMMIT, bytes, lastUsedAt, this.names.name, ...fresh);
    this.#committed = true;
    this.#fresh = [];
  }

  async remove(records: readonly SegmentRecord[], kept: readonly SegmentRecord[]): Promise<void> {
    if (records.length + this.#stale.length === 0) return;
    const needed = partsOf(kept);
    // What was given up before may have been put again since.
    const stale = [...this.#stale, ...partsOf(records).keys()].filter((id) => !needed.has(id));
    this.#stale = [...new Set(stale)];
    const ids = this.#stale;
    if (ids.length === 0) return;
    try {
      await this.#run(scripts.REMOVE, this.names.name, ...ids);
      this.#stale = [];
    } catch {
      // They go with the next ones, or when the session is claimed the next time.
    }
  }

  async share(records: readonly SegmentRecord[], to: SessionPlace): Promise<void> {
    if (!(to instanceof ValkeyPlace)) throw new Error("not a place of this store");
    this.#assertOurs();
    const ids = [...partsOf(records).keys()];
    await to.#run(scripts.SHARE, to.names.name, this.names.name, DRAFT_MS, ...ids);
  }

  async runs(executionIds: readonly string[]): Promise<void> {
    await this.#change(scripts.RUNS, encodeUnderWay(executionIds)).catch(() => {}); // a notice less
  }

  async setAside(): Promise<string | undefined> {
    const where = `${this.names.root}:aside:${this.names.name}:${Date.now()}`;
    return await this.#run(scripts.SET_ASIDE, where, ASIDE_MS).then(() => where, () => undefined);
  }

  async delete(): Promise<void> {
    this.store.gone(this);
    try {
      await this.#run(scripts.DELETE, this.names.name);
    } catch (error) {
      if (this.#committed) throw error; // else nobody finds it, and it goes by itself
    }
  }

  async release(): Promise<void> {
    this.store.gone(this);
    const recent = this.#wanted && performance.now() - this.#wanted.at < RESERVED_MS;
    const next = recent ? this.#wanted!.by : "";
    await this.#run(scripts.RELEASE, next, RESERVED_MS).catch(() => {}); // it runs out
  }

  /** Another server asks for it. */
  wanted(by: string): void {
    this.#wanted = { by, at: performance.now() };
    this.store.owner?.wanted(this.key);
  }

  /** Says that this server still has it. @throws {StoreUnavailable} */
  async renew(): Promise<void> {
    const { server, options: { leaseMs } } = this.store;
    await this.#run(scripts.RENEW, server, leaseMs, DRAFT_MS);
  }

  /** Stores a chunk, if no session of the principal has it. */
  async #keep({ id, bytes }: Chunk): Promise<ChunkRecord> {
    const has = () => this.#run(scripts.HOLD, this.names.name, DRAFT_MS, id);
    const before = await has();
    if (before !== "") return { id, bytes: bytes.length, storedBytes: Number(before) };
    const packed = await compress(bytes);
    await this.store.connection.call("SET", this.#part(id), packed, "PX", DRAFT_MS, "NX");
    const storedBytes = Number(await has());
    if (storedBytes === 0) throw new StoreUnavailable("the store does not keep what it is given");
    return { id, bytes: bytes.length, storedBytes };
  }

  /** @throws {ImageRefused} */
  async #read(id: string, storedBytes: number): Promise<Uint8Array> {
    const bytes = await this.store.connection.read(this.#part(id), storedBytes);
    if (!bytes) throw new ImageRefused("a part of its image is missing");
    return bytes;
  }

  #part(id: string): string {
    return `${this.names.root}:p:${id}`;
  }

  /** Runs a script that counts. */
  async #change(script: string, ...args: readonly Argument[]): Promise<void> {
    await this.#run(script, ++this.#seq, ...args);
  }

  /** @returns What the script answers. @throws {SessionLost} @throws {StoreUnavailable} */
  async #run(script: string, ...args: readonly Argument[]): Promise<string> {
    this.#assertOurs();
    const { session, root } = this.names;
    const answer = textOf(await this.store.connection.run(script, [session, root], this.#fence, ...args));
    if (answer === "late") throw new StoreUnavailable("the store answered too late");
    if (answer !== "taken" && answer !== "gone") return answer;
    this.#lost ??= answer === "taken"
      ? "another server went on with the session from what was stored before, or the store has lost it"
      : "the store has lost parts of the session";
    this.store.gone(this);
    this.store.owner?.lost(this.key);
    throw new SessionLost(this.#lost);
  }

  #assertOurs(): void {
    if (this.#lost !== undefined) throw new SessionLost(this.#lost);
  }
}
