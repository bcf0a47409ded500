/** The last that a shell wrote to its standard error: what a trap of it was about. */

const KEPT_BYTES = 4096;

export class LastWords {
  #tail = new Uint8Array(0);

  add(bytes: Uint8Array): void {
    const tail = new Uint8Array(Math.min(KEPT_BYTES, this.#tail.length + bytes.length));
    const older = this.#tail.subarray(Math.max(0, this.#tail.length + bytes.length - tail.length));
    tail.set(older);
    tail.set(bytes.subarray(-(tail.length - older.length) || bytes.length), older.length);
    this.#tail = tail;
  }

  clear(): void {
    this.#tail = new Uint8Array(0);
  }

  /** Whether it said that an allocation failed. */
  get toldOfMemory(): boolean {
    return /memory allocation of \d+ bytes failed|capacity overflow/.test(this.#text());
  }

  /** What it said when it panicked; undefined if it did not. */
  get last(): string | undefined {
    const [, words] = /panicked at ([\s\S]*)$/.exec(this.#text()) ?? [];
    return words?.trim();
  }

  #text(): string {
    return new TextDecoder().decode(this.#tail);
  }
}
