/** Why a guest did not get what it asked the broker for. */
export type RefusalReason =
  /** Packages are switched off. */
  | "disabled"
  /** The operator's lists forbid it. */
  | "denied"
  /** The index has no such project, or nobody has seen a page with that file. */
  | "not_found"
  /** The index can't be reached, and the cache has no copy. */
  | "offline"
  /** A file is not what the index says. */
  | "hash_mismatch"
  /** A bound was reached. */
  | "too_large"
  | "quota"
  /** The index gave an invalid answer, or a redirection to a place that is not its own. */
  | "bad_index";

/** Becomes an answer that the guest can read; says nothing of URLs, which may hold credentials. */
export class Refusal extends Error {
  override name = "Refusal";

  constructor(readonly reason: RefusalReason, message: string) {
    super(message);
  }
}
