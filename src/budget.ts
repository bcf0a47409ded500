/** A number of bytes that many share. */

export class Budget {
  #used = 0;

  /** @param max What there is now; null for no bound. @param exceeded Makes the error for those who come too late. */
  constructor(readonly max: () => number | null, readonly exceeded: (max: number) => Error) {}

  fits(bytes: number): boolean {
    const max = this.max();
    return max === null || this.#used + bytes <= max;
  }

  /** Takes or, if negative, gives back. @throws What `exceeded` makes, if that much is not left. */
  take(bytes: number): void {
    if (bytes > 0 && !this.fits(bytes)) throw this.exceeded(this.max()!);
    this.#used += bytes;
  }
}
