/** The images of a session, each a list of segments: the present one, and those that it can be taken back to. */

import { bytesOf, changesOf, contentOf, type Held } from "./held_segments.ts";
import type { Head, SegmentRecord } from "./store.ts";

/** An image that the session can be taken back to. */
export interface Checkpoint {
  readonly name: string;
  readonly at: Date;
  /** Of all that it stands on, also what others share with it. */
  readonly bytes: number;
}

/** Where a session can go back to: a checkpoint of that name, or so many changes before its last. */
export type Earlier = { readonly name: string } | { readonly undo: number };

interface Named {
  readonly generation: number;
  readonly at: number;
  readonly segments: readonly Held[];
}

/** What is taken out of a list is given back to the caller: another one may stand on it still. */
export class ImageVersions {
  /** Of the present image, oldest first. */
  #present: Held[];
  readonly #named = new Map<string, Named>();
  #generation: number;

  /** @param undoDepth Changes that can be gone back. */
  constructor(found: Head | undefined, readonly undoDepth: number) {
    const held = new Map<string, Held>();
    const hold = (record: SegmentRecord) => {
      const one = held.get(record.id) ?? { record };
      held.set(record.id, one);
      return one;
    };
    this.#present = found?.segments.map(hold) ?? [];
    this.#generation = found?.generation ?? 0;
    for (const { name, segments, ...rest } of found?.checkpoints ?? []) {
      this.#named.set(name, { ...rest, segments: segments.map(hold) });
    }
  }

  /** Counts the session's changes. */
  get generation(): number {
    return this.#generation;
  }

  get present(): readonly Held[] {
    return this.#present;
  }

  /** What the present image's segments hold together, bytes: no less than itself. */
  get presentBytes(): number {
    return this.#present.reduce((sum, held) => sum + bytesOf(held), 0);
  }

  /** True if there is no image at all. */
  get none(): boolean {
    return this.#present.length === 0 && this.#named.size === 0;
  }

  /** All segments, each once. */
  get all(): Set<Held> {
    return new Set([...[...this.#named.values()].flatMap(({ segments }) => segments), ...this.#present]);
  }

  get checkpoints(): readonly Checkpoint[] {
    return [...this.#named].map(([name, { at, segments }]) => ({
      name,
      at: new Date(at),
      bytes: segments.reduce((sum, held) => sum + bytesOf(held), 0),
    }));
  }

  /** Changes that can be gone back now. */
  get undoable(): number {
    const first = this.#present[0];
    const toNothing = first && contentOf(first).generation === 1 ? 0 : 1;
    const together = this.#present.findLastIndex((held) => changesOf(held) > 1) + 1;
    return Math.min(
      this.undoDepth,
      Math.max(0, this.#present.length - Math.max(toNothing, together)),
    );
  }

  /** The image there; undefined if there is none such. */
  at(to: Earlier): readonly Held[] | undefined {
    if ("name" in to) return this.#named.get(to.name)?.segments;
    if (to.undo < 1 || to.undo > this.undoable) return undefined;
    return this.#present.slice(0, -to.undo);
  }

  /** The session has changed. @returns The number of that. */
  changed(): number {
    return ++this.#generation;
  }

  add(held: Held): void {
    this.#present.push(held);
  }

  /** Takes segments out of the present image, from one on. @param others Take their place. @returns Those. */
  splice(from: number, count = Infinity, ...others: readonly Held[]): readonly Held[] {
    return this.#present.splice(from, count, ...others);
  }

  /** Makes another image the present one. @returns What was. */
  become(segments: readonly Held[], generation = this.#generation): readonly Held[] {
    const before = this.#present;
    this.#present = [...segments];
    this.#generation = generation;
    return before;
  }

  /** Gives the present image a name. @returns What had it. */
  name(name: string): readonly Held[] {
    const before = this.#named.get(name)?.segments ?? [];
    this.#named.set(name, { generation: this.#generation, at: Date.now(), segments: [...this.#present] });
    return before;
  }

  /** @returns What had the name; undefined if nothing had. */
  forget(name: string): readonly Held[] | undefined {
    const had = this.#named.get(name)?.segments;
    this.#named.delete(name);
    return had;
  }

  /** @returns All that there was. */
  clear(): Iterable<Held> {
    const { all } = this;
    this.#present = [];
    this.#named.clear();
    return all;
  }

  /** As a head has them. The store has all of them. */
  get head(): Pick<Head, "generation" | "segments" | "checkpoints"> {
    return {
      generation: this.#generation,
      segments: this.#present.map(recordOf),
      checkpoints: [...this.#named].map(([name, { segments, ...rest }]) => ({
        name,
        ...rest,
        segments: segments.map(recordOf),
      })),
    };
  }
}

/** Of what the store has. */
function recordOf({ record }: Held): SegmentRecord {
  return record!;
}
