/** What arrives of an image, until it is whole and was copied out. */

import { discard } from "../../garbage.ts";

/** A small image is kept as it comes. */
const SMALL_BYTES = 4 * 1024 * 1024;
/** Memory that was had in pieces like this goes back to the system at once; that of small ones stays with the process. */
const LARGE_PIECE_BYTES = 32 * 1024 * 1024;

export class ImageBuffer implements Disposable {
  readonly #batches: Uint8Array[] = [];
  readonly #buffers: ArrayBuffer[] = [];
  #bytes = 0;
  /** What is left of the last large piece. */
  #room = new Uint8Array(0);

  /** In the order in which they came. They are gone once this is disposed of. */
  get batches(): readonly Uint8Array[] {
    return this.#batches;
  }

  /** Takes a batch, and the buffer that it alone is in. */
  push(batch: Uint8Array<ArrayBuffer>): void {
    this.#bytes += batch.length;
    if (this.#bytes <= SMALL_BYTES) {
      this.#batches.push(batch);
      this.#buffers.push(batch.buffer);
      return;
    }
    if (this.#room.length < batch.length) {
      this.#room = new Uint8Array(LARGE_PIECE_BYTES);
      this.#buffers.push(this.#room.buffer);
    }
    const place = this.#room.subarray(0, batch.length);
    this.#room = this.#room.subarray(batch.length);
    place.set(batch);
    this.#batches.push(place);
    discard(batch.buffer);
  }

  /** Gives the memory back, without waiting for it to be collected. */
  [Symbol.dispose](): void {
    for (const buffer of this.#buffers) discard(buffer);
  }
}
