/** Why the broker refused what a guest asked for. */
export type RefusalReason =
  /** Packages are switched off. */
  | "disabled"
  /** The operator's lists forbid it. */
  | "denied"
  /** The index has no such project, or the file is on no page that was requested. */
  | "not_found"
  /** The index can't be reached, and there is no copy in the cache. */
  | "offline"
  /** A file does not have the hash that the index states. */
  | "hash_mismatch"
  /** A bound was reached. */
  | "too_large"
  | "quota"
  /** The index sent something invalid, or a redirect to a place that is not its own. */
  | "bad_index";

/** Becomes an answer to the guest. Its message must not contain URLs, which may hold credentials. */
export class Refusal extends Error {
  override name = "Refusal";

  constructor(readonly reason: RefusalReason, message: string) {
    super(message);
  }
}
