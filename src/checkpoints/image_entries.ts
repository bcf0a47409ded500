/** Entries of segments put together, by their keys. Nobody looks into them here; they are guest-controlled. */

import { entryBytes, entryKey, type ImageEntry } from "../executor/wire/entry.ts";

/** Entries that are merged before other sessions get their turn: about a millisecond's work. */
export const ENTRIES_PER_TURN = 2000;

export type EntryMap = Map<string, ImageEntry>;

/** Applies entries to a map, in order. @param keepDeletions Whether they are part of the result: it is no whole image. */
export async function applyEntries(
  map: EntryMap,
  entries: readonly ImageEntry[],
  keepDeletions = false,
): Promise<void> {
  for (let at = 0; at < entries.length; at += ENTRIES_PER_TURN) {
    if (at > 0) await anotherTurn();
    applyNow(map, entries.slice(at, at + ENTRIES_PER_TURN), keepDeletions);
  }
}

function applyNow(map: EntryMap, entries: readonly ImageEntry[], keepDeletions: boolean): void {
  for (const entry of entries) {
    const key = entryKey(entry);
    if (entry.bytes === null && !keepDeletions) map.delete(key);
    else map.set(key, entry);
  }
}

/** What entries take in memory. */
export function sizeOfEntries(entries: Iterable<ImageEntry>): number {
  let bytes = 0;
  for (const entry of entries) bytes += entryBytes(entry.bytes?.length ?? 0);
  return bytes;
}

/** Lets everything else go on first. */
export function anotherTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
