/** The images of one session: the present one, those that it can be taken back to, and what of them the store has. */

import type { Budget } from "../budget.ts";
import { IMAGE_BATCH_BYTES } from "../executor/wire/bounds.ts";
import { encodeEntries, type ImageEntry } from "../executor/wire/entry.ts";
import type { Bases } from "../executor/wire/bases.ts";
import type { SessionFacts } from "./facts.ts";
import { contentOf, type Held, HeldSegments } from "./held_segments.ts";
import { applyEntries, type EntryMap } from "./image_entries.ts";
import { ImageSize } from "./image_size.ts";
import { type Checkpoint, type Earlier, ImageVersions } from "./image_versions.ts";
import { ImageTooLarge } from "./image_budget.ts";
import type { Loss } from "./loss.ts";
import { compactable } from "./compaction.ts";
import {
  type CheckpointStore,
  type Head,
  ImageRefused,
  partsOf,
  type SegmentRecord,
  type SessionKey,
  type SessionPlace,
  StoreUnavailable,
} from "./store.ts";

/** A session's image, as it was last put together. */
export interface StoredImage {
  readonly bases: Bases;
  /** All of its entries, in batches for the pipe. Valid until the next capture is appended. */
  batches(): Iterable<Uint8Array<ArrayBuffer>>;
}

export interface HistoryOptions {
  readonly key: SessionKey;
  /** Most that an image may hold. */
  readonly maxBytes: number;
  /** Changes that can be gone back. */
  readonly undoDepth: number;
  /** What all that waits for the store is counted in. */
  readonly budget: Budget;
  readonly facts: () => SessionFacts;
}

/** No room, or a damaged segment, which is told of when the image is read. */
const COMPACTION_CAN_WAIT = [ImageTooLarge, StoreUnavailable, ImageRefused];

export class History {
  readonly #versions: ImageVersions;
  readonly #held: HeldSegments;
  /** Of the present image. */
  readonly #size = new ImageSize();
  /** Why the store has not all; undefined: it has. */
  #trouble: string | undefined;
  #loss: Loss | undefined;
  /** The store keeps it without an image too. */
  #stays: boolean;

  private constructor(
    readonly store: CheckpointStore,
    readonly place: SessionPlace,
    readonly options: HistoryOptions,
  ) {
    this.#held = new HeldSegments(place, options.budget);
    const { found } = place;
    this.#versions = new ImageVersions(found, options.undoDepth);
    this.#stays = found?.segments.length === 0;
    this.#loss = lossOfInterrupted(place.interrupted, this.empty);
  }

  /** @throws {SessionTaken} @throws {ImageRefused} @throws {StoreUnavailable} */
  static async open(store: CheckpointStore, options: HistoryOptions): Promise<History> {
    return new History(store, await store.claim(options.key), options);
  }

  /** Counts the session's changes. */
  get generation(): number {
    return this.#versions.generation;
  }

  /** True as long as there is no image. */
  get empty(): boolean {
    return this.#versions.present.length === 0;
  }

  /** Undefined if the store has everything and outlives the server; else why not. */
  get notDurable(): string | undefined {
    return this.store.durable ? this.#trouble : "this server keeps its sessions in memory";
  }

  /** What was lost with an earlier server, told once. */
  takeLoss(): Loss | undefined {
    const loss = this.#loss;
    this.#loss = undefined;
    return loss;
  }

  /**
   * Adds a capture to the image. A store that can't take it now gets it with the next one: {@link notDurable}.
   *
   * @throws {ImageTooLarge} if a bound is exceeded.
   */
  async append(bases: Bases, entries: readonly ImageEntry[]): Promise<void> {
    if (await this.#size.add(entries) > this.options.maxBytes) {
      throw new ImageTooLarge("checkpoint_max_bytes", this.options.maxBytes);
    }
    const segment = { generation: this.#versions.changed(), at: Date.now(), bases, entries };
    const last = this.#versions.present.at(-1);
    // What the store could not take is put together: what was replaced since does not need room any more.
    const waiting = last && !last.record ? this.#versions.splice(-1) : [];
    const added = { record: undefined, segment, charged: 0 };
    this.#versions.add(
      waiting.length > 0
        ? { ...added, segment: await this.#held.together([...waiting, added], true) }
        : added,
    );
    this.#giveUp(waiting);
    await this.save();
  }

  /** Brings the store up to date, as far as it can take it. @throws {ImageTooLarge} if what waits for it is too much. */
  async save(): Promise<void> {
    try {
      for (const held of this.#versions.all) await this.#held.put(held);
      await this.place.commit(this.#head());
      this.#trouble = undefined;
      await this.#removeObsolete();
    } catch (error) {
      if (error instanceof ImageTooLarge) return await this.#fold();
      if (!(error instanceof StoreUnavailable)) throw error;
      this.#trouble = error.message;
      this.#held.charge(this.#versions.all);
    }
  }

  /**
   * The present image. Of one that is damaged, what it was before that.
   *
   * @returns Undefined if there is none.
   * @throws {StoreUnavailable}
   */
  async read(): Promise<StoredImage | undefined> {
    const merged: EntryMap = new Map();
    for (const [index, held] of this.#versions.present.entries()) {
      try {
        await applyEntries(merged, await this.#held.entriesOf(held));
      } catch (error) {
        if (!(error instanceof ImageRefused)) throw error;
        await this.#cutAt(index, error.message);
        break;
      }
    }
    this.#size.forget();
    await this.#size.add([...merged.values()]);
    const last = this.#versions.present.at(-1);
    if (!last) return undefined;
    return {
      bases: contentOf(last).bases,
      batches: () => encodeEntries(merged.values(), IMAGE_BATCH_BYTES),
    };
  }

  /** It was asked for as such: the store has it from now on, though nothing is in it yet. */
  async stay(): Promise<void> {
    this.#stays = true;
    await this.save();
  }

  /** Gives the present image up; what has a name stays. */
  async clear(): Promise<void> {
    const before = this.#versions.become([]);
    this.#size.forget();
    this.#giveUp(before);
    await this.save();
  }

  /**
   * Gives up what the store has not taken of the present image: it stays as the store last had it.
   *
   * @returns False if that is nothing at all.
   */
  keepStored(): boolean {
    const index = this.#versions.present.findIndex(({ record }) => !record);
    if (index >= 0) this.#giveUp(this.#versions.splice(index));
    this.#size.forget();
    return !this.empty;
  }

  /** What is looked through to put the present image together, bytes. */
  get presentBytes(): number {
    return this.#versions.presentBytes;
  }

  /** What all its images take in the store. */
  get storedBytes(): number {
    const parts = partsOf(this.#records());
    return [...parts.values()].reduce((sum, bytes) => sum + bytes, 0);
  }

  get checkpoints(): readonly Checkpoint[] {
    return this.#versions.checkpoints;
  }

  /** Changes that can be gone back now. */
  get undoable(): number {
    return this.#versions.undoable;
  }

  /** Gives the present image a name, in the place of any that had it. */
  async name(name: string): Promise<Checkpoint> {
    this.#giveUp(this.#versions.name(name));
    await this.save();
    return this.checkpoints.find((checkpoint) => checkpoint.name === name)!;
  }

  /** @returns False if there is no checkpoint of that name. */
  async forget(name: string): Promise<boolean> {
    const had = this.#versions.forget(name);
    if (!had) return false;
    this.#giveUp(had);
    await this.save();
    return true;
  }

  /** Whether there is such an image. */
  reaches(to: Earlier): boolean {
    return this.#versions.at(to) !== undefined;
  }

  /**
   * Makes an earlier image the present one.
   *
   * @param keepAs A name for the one that is present now; absent: it is given up.
   * @returns False if there is none such.
   */
  async goBack(to: Earlier, keepAs?: string): Promise<boolean> {
    const segments = this.#versions.at(to);
    if (!segments) return false;
    const named = keepAs === undefined ? [] : this.#versions.name(keepAs);
    const before = [...this.#versions.become(segments, this.generation + 1), ...named];
    this.#size.forget();
    this.#giveUp(before);
    await this.save();
    return true;
  }

  /**
   * Another session that begins with an image of this one.
   *
   * @param at The present one if absent. @returns Undefined if there is none such.
   * @throws {SessionTaken} @throws {StoreUnavailable}
   */
  async fork(options: HistoryOptions, at?: Earlier): Promise<History | undefined> {
    await this.save(); // which may put segments together: what is shared is looked up afterwards
    const segments = at ? this.#versions.at(at) : this.#versions.present;
    if (!segments) return undefined;
    if (segments.some(({ record }) => !record)) throw new StoreUnavailable(this.#trouble ?? "it is full");
    const fork = await History.open(this.store, options);
    try {
      await this.place.share(segments.map(({ record }) => record!), fork.place);
    } catch (error) {
      await fork.place.delete().catch(() => {}); // it has no head: it is no session
      throw error;
    }
    fork.#versions.become(segments.map(({ record }) => ({ record: record! })), this.generation);
    await fork.save();
    return fork;
  }

  /**
   * Makes the present image of another session of the same store, which began with this one's, the present one.
   *
   * @throws {StoreUnavailable}
   */
  async adopt(other: History): Promise<void> {
    await other.save();
    const { present } = other.#versions;
    const records = present.flatMap(({ record }) => record ? [record] : []);
    if (records.length < present.length) throw new StoreUnavailable(other.#trouble ?? "it is full");
    await other.place.share(records, this.place);
    const own = new Map([...this.#versions.all].map((held) => [held.record?.id, held]));
    const before = this.#versions.become(
      records.map((record) => own.get(record.id) ?? { record }),
      Math.max(this.generation, other.generation) + 1,
    );
    this.#size.forget();
    this.#giveUp(before);
    await this.save();
  }

  /**
   * What runs from now on, and what waits for it. A session in which something runs is stored from then on: who calls it when the
   * server was lost meanwhile is to be told. Never rejects.
   */
  async runs(executionIds: readonly string[]): Promise<void> {
    await this.place.runs(executionIds);
    if (executionIds.length > 0 && this.store.durable && this.#versions.none && !this.#stays) {
      await this.stay().catch(() => {}); // its first checkpoint stores it
    }
  }

  /** Forgets the session and all its images. */
  async delete(): Promise<void> {
    this.#release();
    await this.place.delete();
  }

  /** Lets other servers have the session as it is now. */
  async release(): Promise<void> {
    if (this.#versions.none && !this.#stays) return await this.delete();
    try {
      await this.save();
      await this.compact({ lazily: false });
    } finally {
      this.#release();
      await this.place.release();
    }
  }

  #release(): void {
    this.#giveUp(this.#versions.clear());
  }

  /** What the store has of all images. */
  #records(): SegmentRecord[] {
    return [...this.#versions.all].flatMap(({ record }) => record ? [record] : []);
  }

  async #removeObsolete(): Promise<void> {
    await this.#held.removeObsolete(this.#records());
  }

  /** Puts segments together that nobody goes back to. What keeps the store from it is tried again with the next. */
  async compact({ lazily = true } = {}): Promise<void> {
    const imageBytes = this.#size.bytes;
    if (imageBytes === undefined) return; // nobody has looked at it: how much of it is superfluous is not known
    const { present } = this.#versions;
    const records = present.flatMap(({ record }) => record ? [record] : []);
    if (records.length < present.length) return; // the store has trouble enough
    const range = compactable(records, {
      undoDepth: this.options.undoDepth,
      imageBytes,
      lazily,
    });
    if (!range) return;
    const part = present.slice(range.start, range.end);
    try {
      const record = await this.place.put(await this.#held.together(part, range.start > 0));
      this.#giveUp(this.#versions.splice(range.start, part.length, { record }));
      await this.save();
    } catch (error) {
      if (!COMPACTION_CAN_WAIT.some((kind) => error instanceof kind)) throw error;
    }
  }

  /** There is no room for a history: only the present image is kept, and what has a name. @throws {ImageTooLarge} */
  async #fold(): Promise<void> {
    const together = await this.#held.together(this.#versions.present, false);
    this.#giveUp(this.#versions.become([]));
    await this.#removeObsolete();
    const record = await this.place.put(together);
    this.#versions.add({ record });
    await this.place.commit(this.#head());
  }

  /** No image needs these any more, but for those that another one stands on. */
  #giveUp(segments: Iterable<Held>): void {
    this.#held.giveUp(segments, this.#versions.all);
  }

  /** The segment there, and all that came after it, can't be used. */
  async #cutAt(index: number, reason: string): Promise<void> {
    const lost = this.#versions.splice(index);
    const where = await this.place.setAside();
    if (where !== undefined) this.#giveUp(lost);
    const kept = where === undefined ? "" : ` What is there of it was kept aside (${where}).`;
    this.#loss = index === 0
      ? { state: "reset", notice: `The session's variables and files were lost: ${reason}.${kept}` }
      : {
        state: "rolled_back",
        notice: `What the last ${lost.length === 1 ? "change" : `${lost.length} changes`} of the session ` +
          `did was lost: ${reason}.${kept}`,
      };
  }

  #head(): Head {
    return { key: this.options.key, ...this.#versions.head, facts: this.options.facts() };
  }
}

/** @param executionIds What ran, and then what waited for it. @param empty Whether the session has nothing. */
function lossOfInterrupted([ran, ...waited]: readonly string[], empty: boolean): Loss | undefined {
  if (ran === undefined) return undefined;
  const before = `as it was before it${empty ? ": empty" : ""}`;
  const notice =
    `The execution ${ran} was running when the server ended, or could not be stored: what it did is lost, ` +
    `and the session is ${before}.`;
  const [what, them] = waited.length === 1 ? ["execution", "it"] : ["executions", "them"];
  const rest = waited.length === 0
    ? ""
    : ` The ${what} ${waited.join(", ")} waited behind it: nothing of ${them} was done.`;
  return { state: "rolled_back", notice: notice + rest };
}
