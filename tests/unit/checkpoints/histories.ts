/** Histories of sessions in any store, and what they hold. */

import { Budget } from "../../../src/budget.ts";
import { History, type HistoryOptions } from "../../../src/checkpoints/history.ts";
import { ImageTooLarge } from "../../../src/checkpoints/image_budget.ts";
import { SessionRecord } from "../../../src/session/record.ts";
import type { CheckpointStore } from "../../../src/checkpoints/store.ts";
import { decodeEntries, entryKey, type ImageEntry } from "../../../src/executor/wire/entry.ts";

export const MIB = 2 ** 20;
export const KEY = { principal: "p", sessionId: "s" };
export const BASES = { python: "1" };

const unbounded = () => new Budget(() => null, () => new ImageTooLarge("no room"));

export async function openHistory(
  store: CheckpointStore,
  options: Partial<HistoryOptions> = {},
): Promise<History> {
  const record = new SessionRecord();
  return await History.open(store, {
    key: KEY,
    maxBytes: 1000 * MIB,
    undoDepth: 10,
    budget: unbounded(),
    facts: () => record.facts,
    ...options,
  });
}

/** Key and bytes of each entry of the present image, in order; undefined: there is none. */
export async function held(history: History): Promise<string[] | undefined> {
  const image = await history.read();
  return image && shown([...image.batches()].flatMap(decodeEntries));
}

export function shown(entries: Iterable<ImageEntry>): string[] {
  return [...entries].map((entry) => `${entryKey(entry)}=${entry.bytes}`).sort();
}

/** An entry of so many bytes, or of these. */
export function entry(a: number, bytes: Uint8Array | number | null): ImageEntry {
  return { section: 1, a, b: 0, bytes: typeof bytes === "number" ? new Uint8Array(bytes) : bytes };
}

/** An entry that holds a text. */
export function text(a: number, value: string): ImageEntry {
  return entry(a, new TextEncoder().encode(value));
}
