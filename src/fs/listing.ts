/** Listing a tree in pieces: sorted, filtered, and bounded in what is looked at. */

import { FsError } from "./errors.ts";
import type { FileSystem, ListedEntry, Stat } from "./file_system.ts";
import { Glob, type GlobState } from "./glob.ts";

/** Entries that are looked at for one piece of a listing. */
const VISITS_MAX = 50_000;

export interface ListingOptions {
  /** Which paths below the directory are listed; all if absent. @see Glob */
  readonly pattern?: string | undefined;
  /** Whether directories below are listed too. A pattern with a slash says so itself. */
  readonly recursive: boolean;
  /** Where an earlier piece ended: only what comes after it is listed. */
  readonly after?: string | undefined;
  /** Most entries. */
  readonly limit: number;
  /** Most bytes of their paths as JSON; a piece has at least one entry, if there is one. */
  readonly maxBytes: number;
}

export interface ListedPath {
  /** Relative to the directory that is listed. */
  readonly path: string;
  readonly stat: Stat;
}

export interface Listing {
  readonly entries: ListedPath[];
  /** Where the next piece starts, as its `after`; null if this was the last one. */
  readonly next: string | null;
}

/**
 * Lists what is below a directory, each directory sorted by name and followed by what is in it. Symlinks are listed, not
 * followed.
 *
 * @throws {FsError | GlobError}
 */
export function list(fs: FileSystem, path: string, options: ListingOptions): Listing {
  return new Walk(fs, options).from(path);
}

const encoder = new TextEncoder();

class Walk {
  readonly #glob: Glob | undefined;
  readonly #recursive: boolean;
  readonly #after: readonly string[];
  readonly #entries: ListedPath[] = [];
  /** Of the entries' paths, as JSON. */
  #bytes = 0;
  #visits = 0;
  #last: string | null = null;

  constructor(readonly fs: FileSystem, readonly options: ListingOptions) {
    const { pattern, recursive, after } = options;
    this.#glob = pattern === undefined ? undefined : new Glob(pattern);
    this.#recursive = recursive || pattern?.includes("/") === true;
    this.#after = after?.split("/") ?? [];
  }

  from(path: string): Listing {
    const root = this.fs.stat(path);
    if (root.type !== "directory") throw new FsError("ENOTDIR", path);
    const whole = this.#directory(path, "", this.#after, this.#glob?.start());
    return { entries: this.#entries, next: whole ? null : this.#last };
  }

  /**
   * @param directory Its path. @param prefix What its entries' paths begin with.
   * @param after Components of the place to start after, from this directory on.
   * @returns False if the piece is full.
   */
  #directory(
    directory: string,
    prefix: string,
    after: readonly string[],
    state: GlobState | undefined,
  ): boolean {
    const [first] = after;
    const look = () => this.fs.readdir(directory);
    const entries = (prefix === "" ? look() : unlessForbidden(look, []))
      .filter((entry) => first === undefined || entry.name >= first)
      .sort((a, b) => a.name < b.name ? -1 : 1);
    return entries.every((entry) =>
      this.#entry(entry, directory, prefix, entry.name === first ? after : [], state)
    );
  }

  #entry(
    entry: ListedEntry,
    directory: string,
    prefix: string,
    after: readonly string[],
    state: GlobState | undefined,
  ): boolean {
    const path = prefix + entry.name;
    const { matches, below } = state === undefined || !this.#glob
      ? { matches: true, below: undefined }
      : this.#glob.step(state, entry.name);
    if (after.length === 0) {
      if (matches && !this.#hasRoomFor(path) || ++this.#visits > VISITS_MAX) return false;
      const look = () => this.fs.stat(`${directory}/${entry.name}`, { follow: false });
      const stat = matches ? unlessForbidden(look, undefined) : undefined;
      if (stat) this.#entries.push({ path, stat });
      this.#last = path;
    }
    const descend = entry.type === "directory" && this.#recursive && below?.length !== 0;
    return !descend || this.#directory(`${directory}/${entry.name}`, `${path}/`, after.slice(1), below);
  }

  /** Whether another entry may be part of this piece; counted if so. */
  #hasRoomFor(path: string): boolean {
    const { limit, maxBytes } = this.options;
    const bytes = encoder.encode(JSON.stringify(path)).length;
    const full = this.#entries.length === limit ||
      this.#entries.length > 0 && this.#bytes + bytes > maxBytes;
    if (!full) this.#bytes += bytes;
    return !full;
  }
}

/** What can't be looked into is listed as if it were empty. */
function unlessForbidden<T>(look: () => T, otherwise: T): T {
  try {
    return look();
  } catch (error) {
    if (!(error instanceof FsError) || error.code !== "EACCES") throw error;
    return otherwise;
  }
}
