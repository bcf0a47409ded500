/** What was just seen of a mounted tree, so that who goes through a directory asks once for many of its files. */

import type { Names, RemoteEntry, RemoteStat } from "./mount.ts";

/** How long what was seen is good without asking: what others change is seen after that. */
export const FRESH_MS = 250;
/** Entries that are asked for at a time, most and first, and most bytes of their names. */
export const AHEAD_MAX = 256;
const AHEAD_FIRST = 2;
const AHEAD_BYTES = 32 * 1024;
/** Directories whose names are held, and files whose stats are. */
const MAX_LISTED = 8;
const MAX_STATS = 4 * AHEAD_MAX;

/** The names of a directory's entries, and which of them were asked for last. */
interface Listed {
  readonly names: readonly string[];
  readonly places: ReadonlyMap<string, number>;
  start: number;
  end: number;
}

export class Seen {
  /** By path; the one seen last is the last, in both. */
  readonly #stats = new Map<string, { readonly stat: RemoteStat; readonly at: number }>();
  readonly #listed = new Map<string, Listed>();

  stat(names: Names): RemoteStat | undefined {
    const seen = this.#stats.get(key(names));
    return seen && performance.now() - seen.at < FRESH_MS ? seen.stat : undefined;
  }

  /** Keeps what there is at a path. */
  keep(names: Names, stat: RemoteStat): void {
    put(this.#stats, key(names), { stat, at: performance.now() }, MAX_STATS);
  }

  /** Keeps the names of a directory's entries: no more than a guess at what is asked for next. */
  list(directory: Names, entries: readonly RemoteEntry[]): void {
    const names = entries.map(({ name }) => name);
    const places = new Map(names.map((name, place) => [name, place]));
    put(this.#listed, key(directory), { names, places, start: 0, end: 0 }, MAX_LISTED);
  }

  /** An entry and those after it, which are to be asked for now, if its directory was listed; else nothing. */
  ahead(names: Names): string[] {
    const listed = this.#listed.get(key(names.slice(0, -1)));
    const place = listed?.places.get(names.at(-1) ?? "");
    if (!listed || place === undefined) return [];
    const ahead: string[] = [];
    let bytes = 0;
    for (const name of listed.names.slice(place, place + wanted(listed, place))) {
      bytes += 4 * name.length;
      if (bytes > AHEAD_BYTES) break;
      ahead.push(name);
    }
    listed.start = place;
    listed.end = place + ahead.length;
    return ahead;
  }

  forget(): void {
    this.#stats.clear();
    this.#listed.clear();
  }
}

/**
 * More each time for who goes on in order. Of what was asked for last, who was too slow for some of it is given as many as
 * were of use; to who jumps about nothing would be.
 */
function wanted({ start, end }: Listed, place: number): number {
  if (place >= start && place < end) return Math.max(AHEAD_FIRST, place - start);
  const goesOn = place >= end && place < 2 * end - start;
  return goesOn ? Math.min(AHEAD_MAX, 2 * (end - start)) : AHEAD_FIRST;
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
