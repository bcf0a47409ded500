/** The store that is the server's own memory: what it has ends with the server. */

import type { Budget } from "../budget.ts";
import type { ImageEntry } from "../executor/wire/entry.ts";
import { sizeOfEntries } from "./image_entries.ts";
import type {
  CheckpointStore,
  Segment,
  SegmentRecord,
  SessionKey,
  SessionPlace,
  StoredView,
} from "./store.ts";

interface Kept {
  readonly entries: readonly ImageEntry[];
  readonly bytes: number;
  /** Sessions that have it. */
  owners: number;
}

export class MemoryStore implements CheckpointStore {
  readonly durable = false;
  /** By their ids. */
  readonly #segments = new Map<string, Kept>();

  /** @param budget What all images share. */
  constructor(readonly budget: Budget) {}

  claim(_key: SessionKey): Promise<SessionPlace> {
    return Promise.resolve(new MemoryPlace(this));
  }

  has(): Promise<boolean> {
    return Promise.resolve(false);
  }

  list(): Promise<readonly StoredView[]> {
    return Promise.resolve([]);
  }

  /** @throws {ImageTooLarge} */
  add(entries: readonly ImageEntry[], bytes: number): string {
    this.budget.take(bytes);
    const id = crypto.randomUUID();
    this.#segments.set(id, { entries, bytes, owners: 1 });
    return id;
  }

  entries(id: string): readonly ImageEntry[] {
    return this.#segments.get(id)!.entries;
  }

  own(id: string): void {
    this.#segments.get(id)!.owners++;
  }

  giveUp(id: string): void {
    const kept = this.#segments.get(id);
    if (!kept || --kept.owners > 0) return;
    this.#segments.delete(id);
    this.budget.take(-kept.bytes);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}

class MemoryPlace implements SessionPlace {
  readonly found = undefined;
  readonly interrupted = [];
  readonly #own = new Set<string>();

  constructor(readonly store: MemoryStore) {}

  // deno-lint-ignore require-await -- what has no room is a rejection
  async put({ entries, ...rest }: Segment): Promise<SegmentRecord> {
    const bytes = sizeOfEntries(entries);
    const id = this.store.add(entries, bytes);
    this.#own.add(id);
    return { ...rest, id, bytes, storedBytes: bytes, sha256: "" };
  }

  get({ id }: SegmentRecord): Promise<readonly ImageEntry[]> {
    return Promise.resolve(this.store.entries(id));
  }

  commit(): Promise<void> {
    return Promise.resolve();
  }

  remove(records: readonly SegmentRecord[]): Promise<void> {
    for (const { id } of records) if (this.#own.delete(id)) this.store.giveUp(id);
    return Promise.resolve();
  }

  share(records: readonly SegmentRecord[], to: SessionPlace): Promise<void> {
    if (!(to instanceof MemoryPlace)) throw new Error("not a place of this store");
    for (const { id } of records) {
      if (to.#own.has(id)) continue;
      to.#own.add(id);
      this.store.own(id);
    }
    return Promise.resolve();
  }

  runs(): Promise<void> {
    return Promise.resolve();
  }

  setAside(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  delete(): Promise<void> {
    for (const id of this.#own) this.store.giveUp(id);
    this.#own.clear();
    return Promise.resolve();
  }

  release(): Promise<void> {
    return this.delete();
  }
}
