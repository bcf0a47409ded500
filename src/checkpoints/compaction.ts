/** Which segments of an image are put together into one. */

import type { SegmentRecord } from "./store.ts";

/** Segments beyond those that can be undone before some are put together: the work is shared by that many changes. */
const BATCH = 16;
/** What a history may hold beside its image, whatever that has. */
const SPARE_BYTES = 4 * 1024 * 1024;
/** A first segment so many times as big as those that follow it is left as it is. */
const BIG = 4;

interface CompactionTerms {
  /** Changes that can be gone back. */
  readonly undoDepth: number;
  /** Of the present image. */
  readonly imageBytes: number;
  /** Whether the work is put off until there is more of it. */
  readonly lazily: boolean;
}

/**
 * The segments to be put together into one; undefined if none are. Those that can be undone stay apart, unless together
 * they hold much more than the image: replaced pages of big heaps.
 *
 * @param records Oldest first. @returns Positions, the end excluded.
 */
export function compactable(
  records: readonly SegmentRecord[],
  { undoDepth, imageBytes, lazily }: CompactionTerms,
): { start: number; end: number } | undefined {
  const total = records.reduce((sum, { bytes }) => sum + bytes, 0);
  let excess = total - 2 * imageBytes - SPARE_BYTES;
  let end = records.length > undoDepth + (lazily ? BATCH : 1) ? records.length - undoDepth : 0;
  if (excess > 0) {
    // From the oldest on: what they hold twice can't be known, but each that goes holds no more than its bytes.
    let upTo = 1;
    while (excess > 0 && upTo < records.length) excess -= records[upTo++]!.bytes;
    // Others come along, so that it is not done again with the next change.
    end = Math.max(upTo, records.length - undoDepth);
  }
  if (end < 2) return undefined;
  const rest = records.slice(1, end).reduce((sum, { bytes }) => sum + bytes, 0);
  const start = records[0]!.bytes > BIG * rest && end > 2 && total <= 2 * imageBytes + SPARE_BYTES ? 1 : 0;
  return { start, end };
}
