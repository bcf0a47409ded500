/** Histories of sessions in any store, and what they hold. */

import { createCipheriv, createHash } from "node:crypto";
import { Budget } from "../../../src/budget.ts";
import { History, type HistoryOptions } from "../../../src/checkpoints/history.ts";
import { ImageTooLarge } from "../../../src/checkpoints/image_budget.ts";
import { SessionRecord } from "../../../src/session/record.ts";
import type { CheckpointStore } from "../../../src/checkpoints/store.ts";
import { decodeEntries, entryKey, type ImageEntry } from "../../../src/executor/wire/entry.ts";

export const MIB = 2 ** 20;
export const KEY = { principal: "p", sessionId: "s" };
export const BASES = { python: "1" };

const unbounded = () => new Budget(() => null, () => new ImageTooLarge("checkpoints_max_bytes", 0));

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
  const text = (bytes: Uint8Array | null) =>
    bytes && bytes.length > 1000 ? createHash("sha256").update(bytes).digest("hex") : `${bytes}`;
  return [...entries].map((entry) => `${entryKey(entry)}=${text(entry.bytes)}`).sort();
}

/** An entry of so many bytes, or of these. */
export function entry(a: number, bytes: Uint8Array | number | null): ImageEntry {
  return { section: 1, a, b: 0, bytes: typeof bytes === "number" ? new Uint8Array(bytes) : bytes };
}

/** An entry that holds a text. */
export function text(a: number, value: string): ImageEntry {
  return entry(a, new TextEncoder().encode(value));
}

/** Contents that don't get smaller, the same for the same number. */
export function noise(seed: number, bytes: number): Uint8Array {
  const key = createHash("sha256").update(`${seed}`).digest();
  return new Uint8Array(createCipheriv("aes-256-ctr", key, new Uint8Array(16)).update(new Uint8Array(bytes)));
}
