/** The image of a whole session: files and heaps, captured and put back at one moment. */

import { ENTRY_MAX_BYTES, type ImageEntry } from "../executor/wire/entry.ts";
import { ImageError } from "../executor/wire/image_error.ts";
import type { ImagePart } from "./part.ts";

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
 * The parts are restored and rolled back in their order: files first, as the heaps' open files refer to them.
 */
export class SessionImage {
  readonly #parts: readonly ImagePart[];

  /** @param maxBytes Most that the image may hold, as encoded. */
  constructor(parts: readonly ImagePart[], readonly maxBytes: number) {
    this.#parts = parts;
  }

  /** Captures the present state. No execution may be running. */
  capture(): Capture {
    const pending = this.#parts.map((part) => part.beginCapture());
    const imageBytes = pending.reduce((sum, part) => sum + part.imageBytes, 0);
    if (imageBytes > this.maxBytes) return { kind: "too_big", imageBytes };
    return { kind: "captured", entries: pending.flatMap((part) => part.commit()), imageBytes };
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
   * @throws {ImageError} if it is damaged or exceeds a bound; the session is then not usable.
   */
  restore(entries: readonly ImageEntry[]): void {
    const bySection = new Map<number, ImageEntry[]>();
    for (const part of this.#parts) {
      for (const section of part.sections) bySection.set(section, []);
    }
    for (const entry of entries) {
      const known = bySection.get(entry.section);
      if (known === undefined) throw new ImageError(`an entry of the unknown section ${entry.section}`);
      if (entry.bytes === null || entry.bytes.length > ENTRY_MAX_BYTES) {
        throw new ImageError("an entry of a stored image is empty or too long");
      }
      known.push(entry);
    }
    for (const part of this.#parts) part.restore(part.sections.flatMap((section) => bySection.get(section)!));
  }
}
