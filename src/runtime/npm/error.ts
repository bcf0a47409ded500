/** Why packages could not be installed. */
export type NpmReason =
  /** Reasons of the broker. */
  | "disabled"
  | "denied"
  | "not_found"
  | "offline"
  | "hash_mismatch"
  | "too_large"
  | "quota"
  | "bad_index"
  /** A requirement is none, or of a kind that can't be had here. */
  | "bad_requirement"
  /** No version fits. */
  | "no_version"
  /** It has native code, or wants to run a program when it is installed. */
  | "native"
  /** What was downloaded is no package. */
  | "corrupt"
  /** The workspace has no room. */
  | "full";

export class NpmError extends Error {
  override name = "NpmError";

  /** @param about The package it is about. */
  constructor(readonly reason: NpmReason, message: string, readonly about: string | null = null) {
    super(message);
  }
}

/** The command was asked to stop. */
export class NpmStopped extends Error {
  override name = "NpmStopped";
}
