/** What was just seen of a mounted tree, so that who goes through a directory asks once for many of its files. */

import type { Names, RemoteEntry, RemoteStat } from "./mount.ts";

/** How long what was seen is good without asking: what others change is seen after that. */
export const FRESH_MS = 250;
/** Entries that are asked for at a time, most and first, and most bytes of their names. */
export const AHEAD_MAX = 256;
const AHEAD_FIRST = 2;
const AHEAD_BYTES = 32 * 1024;
/** Files whose contents are asked for at a time, the largest of them, and most bytes of all. */
export const FILES_MAX = 64;
export const SMALL_FILE_BYTES = 32 * 1024;
const FILES_BYTES = 512 * 1024;
/** Directories whose names are held, and files whose stats are. */
const MAX_LISTED = 8;
const MAX_STATS = 4 * AHEAD_MAX;

/** Places of a directory's entries that were asked for last. */
interface Range {
  start: number;
  end: number;
}

/** The names of a directory's entries, and which were asked for last: looked at, and read. */
interface Listed {
  readonly names: readonly string[];
  readonly places: ReadonlyMap<string, number>;
  readonly looked: Range;
  readonly read: Range;
}

export class Seen {
  /** By path; the one seen last is the last, in both. */
  readonly #stats = new Map<string, { readonly stat: RemoteStat; readonly at: number }>();
  readonly #listed = new Map<string, Listed>();

  stat(names: Names): RemoteStat | undefined {
    const seen = this.#stats.get(key(names));
    return seen && isFresh(seen) ? seen.stat : undefined;
  }

  /** Whether nothing else than that version was last seen there. */
  isLatest(names: Names, version: number): boolean {
    return (this.#stats.get(key(names))?.stat.version ?? version) === version;
  }

  /** Keeps what there is at a path. */
  keep(names: Names, stat: RemoteStat): void {
    put(this.#stats, key(names), { stat, at: performance.now() }, MAX_STATS);
  }

  /** Keeps the names of a directory's entries: no more than a guess at what is asked for next. */
  list(directory: Names, entries: readonly RemoteEntry[]): void {
    const names = entries.map(({ name }) => name);
    const places = new Map(names.map((name, place) => [name, place]));
    const listed = { names, places, looked: { start: 0, end: 0 }, read: { start: 0, end: 0 } };
    put(this.#listed, key(directory), listed, MAX_LISTED);
  }

  /** An entry and those after it, which are to be asked for now, if its directory was listed; else nothing. */
  ahead(names: Names): string[] {
    const found = this.#placeOf(names);
    if (!found) return [];
    const { listed: { names: all, looked }, place } = found;
    const ahead: string[] = [];
    let bytes = 0;
    for (const name of all.slice(place, place + wanted(looked, place, AHEAD_MAX))) {
      bytes += 4 * name.length;
      if (bytes > AHEAD_BYTES) break;
      ahead.push(name);
    }
    looked.start = place;
    looked.end = place + ahead.length;
    return ahead;
  }

  /** A small file and those after it, which are to be read now, if all of that was just seen; else nothing. */
  filesAhead(names: Names): { readonly name: string; readonly stat: RemoteStat }[] {
    const found = this.#placeOf(names);
    if (!found) return [];
    const { listed: { names: all, read }, place } = found;
    const directory = names.slice(0, -1);
    const ahead: { name: string; stat: RemoteStat }[] = [];
    let bytes = 0;
    let end = place;
    for (const name of all.slice(place, place + wanted(read, place, FILES_MAX))) {
      const stat = this.stat([...directory, name]);
      if (!stat) break;
      const isSmall = stat.type === "file" && stat.size <= SMALL_FILE_BYTES;
      if (isSmall) bytes += stat.size;
      if (bytes > FILES_BYTES) break;
      if (isSmall) ahead.push({ name, stat });
      end++;
    }
    read.start = place;
    read.end = Math.max(end, place + 1);
    return ahead[0]?.name === names.at(-1) ? ahead : [];
  }

  forget(): void {
    this.#stats.clear();
    this.#listed.clear();
  }

  #placeOf(names: Names): { readonly listed: Listed; readonly place: number } | undefined {
    const listed = this.#listed.get(key(names.slice(0, -1)));
    const place = listed?.places.get(names.at(-1) ?? "");
    return listed && place !== undefined ? { listed, place } : undefined;
  }
}

/**
 * More each time for who goes on in order. Of what was asked for last, who was too slow for some of it is given as many as
 * were of use; to who jumps about, or asks for the same one again, nothing would be.
 */
function wanted({ start, end }: Range, place: number, most: number): number {
  if (place === start && place < end) return 1;
  if (place > start && place < end) return Math.max(AHEAD_FIRST, place - start);
  const goesOn = place >= end && place < 2 * end - start;
  return goesOn ? Math.min(most, 2 * (end - start)) : AHEAD_FIRST;
}

export function isFresh({ at }: { readonly at: number }): boolean {
  return performance.now() - at < FRESH_MS;
}

function key(names: Names): string {
  return names.join("/");
}

function put<T>(map: Map<string, T>, key: string, value: T, most: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= most) break;
    map.delete(oldest);
  }
}
