/** The segments of a session's images: those that the store has, and those that wait for it in memory. */

import type { Budget } from "../budget.ts";
import type { ImageEntry } from "../executor/wire/entry.ts";
import { applyEntries, type EntryMap, sizeOfEntries } from "./image_entries.ts";
import type { Segment, SegmentRecord, SessionPlace } from "./store.ts";

/** A segment that the store has, or has yet to take. */
export type Held = { record: SegmentRecord } | { record: undefined; segment: Segment; charged: number };

export class HeldSegments {
  /** No image needs them any more; the store has them until a head without them is there. */
  #obsolete: SegmentRecord[] = [];

  /** @param budget What all that waits for the store is counted in. */
  constructor(readonly place: SessionPlace, readonly budget: Budget) {}

  /** Has the store take it, if it has not. @throws {StoreUnavailable} @throws {ImageTooLarge} */
  async put(held: Held): Promise<void> {
    if (held.record) return;
    const record = await this.place.put(held.segment);
    this.budget.take(-held.charged);
    Object.assign(held, { record, segment: undefined, charged: 0 });
  }

  /** @throws {ImageRefused} @throws {StoreUnavailable} */
  async entriesOf(held: Held): Promise<readonly ImageEntry[]> {
    return held.record ? await this.place.get(held.record) : held.segment.entries;
  }

  /** Some that follow each other, as one. @param keepDeletions Whether there is something before them. */
  async together(part: readonly Held[], keepDeletions: boolean): Promise<Segment> {
    const merged: EntryMap = new Map();
    for (const held of part) await applyEntries(merged, await this.entriesOf(held), keepDeletions);
    const { generation, at, bases } = contentOf(part.at(-1)!);
    const changes = part.reduce((sum, held) => sum + changesOf(held), 0);
    return { generation, at, bases, changes, entries: [...merged.values()] };
  }

  /** Takes from the budget what waits for the store. @throws {ImageTooLarge} */
  charge(segments: Iterable<Held>): void {
    for (const held of segments) {
      if (held.record || held.charged > 0) continue;
      const bytes = sizeOfEntries(held.segment.entries);
      this.budget.take(bytes);
      held.charged = bytes;
    }
  }

  /** What no image needs any more is given back to the budget, or goes with the next head. */
  giveUp(segments: Iterable<Held>, needed: ReadonlySet<Held>): void {
    for (const held of segments) {
      if (needed.has(held)) continue;
      if (held.record) this.#obsolete.push(held.record);
      else {
        this.budget.take(-held.charged);
        held.charged = 0;
      }
    }
  }

  /** There is a head without them, or no room for them. @param kept What the store has of all images. */
  async removeObsolete(kept: readonly SegmentRecord[]): Promise<void> {
    await this.place.remove(this.#obsolete.splice(0), kept);
  }
}

export function contentOf(held: Held): Omit<Segment, "entries"> {
  return held.record ?? held.segment;
}

export function changesOf(held: Held): number {
  return contentOf(held).changes ?? 1;
}

export function bytesOf(held: Held): number {
  return held.record ? held.record.bytes : sizeOfEntries(held.segment.entries);
}
