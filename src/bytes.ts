/** All of `pieces` in one array. */
export function concatBytes(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** Bytes that come in pieces: they take no more than twice their number, however small the pieces are. */
export class GrowingBytes {
  #bytes = new Uint8Array(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** All of them, as a view that is valid until the next push. */
  get view(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length);
  }

  push(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(length, 2 * this.#bytes.length));
      larger.set(this.view);
      this.#bytes = larger;
    }
    this.#bytes.set(piece, this.#length);
    this.#length = length;
  }
}

/** The last bytes of a stream, in memory that does not grow with it. */
export class LastBytes {
  #ring: Uint8Array | undefined;
  #total = 0;

  /** @param capacity How many are kept. */
  constructor(readonly capacity: number) {}

  /** All that were ever pushed. */
  get total(): number {
    return this.#total;
  }

  get length(): number {
    return Math.min(this.#total, this.capacity);
  }

  push(piece: Uint8Array): void {
    const kept = piece.subarray(Math.max(0, piece.length - this.capacity));
    this.#total += piece.length;
    if (kept.length === 0) return;
    const ring = this.#ring ??= new Uint8Array(this.capacity);
    const start = (this.#total - kept.length) % this.capacity;
    const room = this.capacity - start;
    ring.set(kept.subarray(0, room), start);
    ring.set(kept.subarray(room));
  }

  /** A copy of those that are kept, in order. */
  take(): Uint8Array<ArrayBuffer> {
    if (!this.#ring) return new Uint8Array(0);
    const end = this.#total % this.capacity;
    const all = concatBytes([this.#ring.subarray(end), this.#ring.subarray(0, end)]);
    return this.#total < this.capacity ? all.subarray(this.capacity - this.#total) : all;
  }
}
