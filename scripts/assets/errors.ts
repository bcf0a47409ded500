/** A step of the build that failed: one line that says what, and the end of its log. */
export class AssetsError extends Error {
  override name = "AssetsError";

  /** @param log The last lines that the failing step printed; empty if there are none. */
  constructor(message: string, readonly log = "") {
    super(message);
  }
}
