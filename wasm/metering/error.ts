/** The function an error is about, in the index space of the module as it was given. */
export interface FaultyFunction {
  readonly index: number;
  /** From the module's name section, if it has one. */
  readonly name?: string;
}

/** The module is malformed, or uses something the rewriter does not know and so can't meter. */
export class MeteringError extends Error {
  override name = "MeteringError";

  /**
   * @param reason What is wrong, without the place.
   * @param offset Where: byte offset in the module as it was given.
   */
  constructor(readonly reason: string, readonly offset: number, readonly faulty?: FaultyFunction) {
    const inFunction = faulty
      ? ` in function ${faulty.index}${faulty.name === undefined ? "" : ` (${faulty.name})`}`
      : "";
    super(`${reason} at byte ${offset}${inFunction}`);
  }
}
