/** What npm is asked in a session, and what it tells. */

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
  /** A requirement is invalid, or of a kind that can't be had here. */
  | "bad_requirement"
  /** No version fits. */
  | "no_version"
  /** It has native code, or wants to run a program when it is installed. */
  | "native"
  /** What was downloaded is not a package. */
  | "corrupt"
  /** The workspace has no room. */
  | "full";

/** A version that a project's lockfile names. */
export interface LockedVersion {
  /** What the registry calls it. */
  readonly from: string;
  readonly version: string;
  /** Hashes, separated by spaces; one of them is the registry's. */
  readonly integrity: string | undefined;
}

export interface Lock {
  readonly versions: readonly LockedVersion[];
  /** Nothing else may come. */
  readonly frozen: boolean;
}

export type NpmCommand =
  /**
   * `upgrade`: what is there gives way to what is newest. `toRun`: it is to be there, and nobody asked to keep it. `lock`: its
   * versions are taken where they fit.
   */
  | {
    readonly kind: "install";
    readonly requirements: readonly string[];
    readonly upgrade: boolean;
    readonly toRun?: boolean;
    readonly lock?: Lock;
  }
  | { readonly kind: "uninstall"; readonly names: readonly string[] };

export interface NamedVersion {
  readonly name: string;
  readonly version: string;
}

export interface NpmReport {
  readonly exitCode: 0 | 1;
  readonly installed: readonly NamedVersion[];
  readonly removed: readonly NamedVersion[];
  /** Asked for, and there already. */
  readonly satisfied: readonly NamedVersion[];
  readonly warnings: readonly string[];
  readonly error:
    | { readonly reason: NpmReason; readonly message: string; readonly about: string | null }
    | null;
}
