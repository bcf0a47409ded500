/** The image of a whole session: files and heaps, captured and put back at one moment. */

import { ENTRY_MAX_BYTES, type ImageEntry } from "../executor/wire/entry.ts";
import { ImageError } from "../executor/wire/image_error.ts";
import { BaseUnavailable, type ImagePart, type PartLoss } from "./part.ts";

/** Entries that no part knows, as a part that is lost. */
const UNKNOWN = "unknown";

/** What came of a capture. */
export type Capture =
  /**
   * What changed since the last capture, to be applied to the stored image. The bytes are views, valid until the next
   * call of a method here: encode them (`encodeEntries`) before.
   */
  | { readonly kind: "captured"; readonly entries: readonly ImageEntry[]; readonly imageBytes: number }
  /** The image would exceed its bound. Nothing was captured: a rollback still goes to the state captured before. */
  | { readonly kind: "too_big"; readonly imageBytes: number };

/**
 * Captures a session between its executions, and puts it back.
 *
 * The parts are restored and rolled back in their order: files first, as the heaps' open files refer to them. Each is
 * restored by itself: one that is spoiled never takes the others with it.
 */
export class SessionImage {
  readonly #parts: readonly ImagePart[];
  /** What takes out of the stored image those entries that nothing was restored from. */
  #deletions: readonly ImageEntry[] = [];

  /** @param maxBytes Most that the image may hold, as encoded. */
  constructor(parts: readonly ImagePart[], readonly maxBytes: number) {
    this.#parts = parts;
  }

  /** Captures the present state. No execution may be running. */
  capture(): Capture {
    const pending = this.#parts.map((part) => part.beginCapture());
    const imageBytes = pending.reduce((sum, part) => sum + part.imageBytes, 0);
    if (imageBytes > this.maxBytes) return { kind: "too_big", imageBytes };
    // Deletions first: what takes their place may have the same keys.
    const entries = [...this.#deletions, ...pending.flatMap((part) => part.commit())];
    this.#deletions = [];
    return { kind: "captured", entries, imageBytes };
  }

  /**
   * Puts files and heaps back to the last capture or restore; to the pristine state if there was none.
   *
   * @throws {ImageError} if there is no memory for it; the session is then lost here.
   */
  rollback(): void {
    for (const part of this.#parts) part.rollback();
  }

  /**
   * Goes on from a stored image, in a fresh session. Only from then on `capture` gives changes against that image.
   *
   * @param entries All of its entries, in any order.
   * @param unusable Parts that don't fit this session, by name, and why.
   * @returns What could not be brought back: damaged, or more than a bound allows. Those parts are as they were made.
   * @throws {BaseUnavailable} The session is then lost here.
   */
  restore(entries: readonly ImageEntry[], unusable: Readonly<Record<string, string>> = {}): PartLoss[] {
    const bySection = Map.groupBy(entries, ({ section }) => section);
    const losses: PartLoss[] = [];
    const lose = (part: string, spoiled: readonly ImageEntry[], reason: string) => {
      losses.push({ part, whole: true, reason });
      const deletions = spoiled.map(({ section, a, b }) => ({ section, a, b, bytes: null }));
      this.#deletions = [...this.#deletions, ...deletions];
    };
    for (const part of this.#parts) {
      const own = part.sections.flatMap((section) => bySection.get(section) ?? []);
      for (const section of part.sections) bySection.delete(section);
      const obstacle = Object.hasOwn(unusable, part.name) ? unusable[part.name] : undefined;
      if (obstacle !== undefined && own.length > 0) {
        lose(part.name, own, obstacle);
        continue;
      }
      try {
        const lost = restorePart(part, own);
        if (lost !== undefined) losses.push({ part: part.name, whole: false, reason: lost });
      } catch (error) {
        if (error instanceof BaseUnavailable) throw error;
        part.rollback();
        lose(part.name, own, reasonOf(error));
      }
    }
    for (const [section, spoiled] of bySection) lose(UNKNOWN, spoiled, `section ${section} is not known`);
    return losses;
  }
}

/** @throws {Error} as {@link ImagePart.restore} does. */
function restorePart(part: ImagePart, entries: readonly ImageEntry[]): string | undefined {
  if (entries.some(({ bytes }) => bytes === null || bytes.length > ENTRY_MAX_BYTES)) {
    throw new ImageError("an entry is empty or too long");
  }
  return part.restore(entries);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
