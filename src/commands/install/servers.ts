/** The servers that a client's file names, whatever it is written in. */

import { isDeepStrictEqual } from "node:util";
import { InstallError } from "./errors.ts";

/** What a file says of one server. */
export type Entry = Readonly<Record<string, unknown>>;

/** A way to read and write them. All methods throw {@link InstallError} for a file that can't be taken as it is. */
export interface Servers {
  readonly section: string;
  /** All that the file says. */
  read(text: string): unknown;
  /** The file with an entry as given, or without it. What else an entry of that name says stays. */
  write(text: string, name: string, entry: Entry | undefined): string;
}

type Fields = Readonly<Record<string, unknown>>;

/** What a file says of a server; undefined if nothing. */
export function entryIn(servers: Servers, text: string, name: string): Entry | undefined {
  const section = (servers.read(text) as Fields)[servers.section] as Fields | undefined;
  return section && Object.hasOwn(section, name) ? section[name] as Entry : undefined;
}

/**
 * The file with an entry as given, or without it, and with nothing else changed.
 *
 * @throws {InstallError} if that can't be done.
 */
export function withEntry(servers: Servers, text: string, name: string, entry: Entry | undefined): string {
  const before = servers.read(text);
  if (entry !== undefined && says(entryIn(servers, text, name), entry)) return text;
  const changed = servers.write(text, name, entry);
  if (isAsAsked(servers, before, changed, name, entry)) return changed;
  throw new InstallError("it is written in a way that can't be changed without changing more");
}

function isAsAsked(
  servers: Servers,
  before: unknown,
  changed: string,
  name: string,
  entry: Entry | undefined,
): boolean {
  let now: unknown;
  try {
    now = servers.read(changed);
  } catch (error) {
    if (error instanceof InstallError) return false;
    throw error;
  }
  const after = entryIn(servers, changed, name);
  const isThere = entry === undefined ? after === undefined : says(after, entry);
  return isThere && isDeepStrictEqual(without(before, servers, name), without(now, servers, name));
}

function says(after: Entry | undefined, entry: Entry): boolean {
  return after !== undefined &&
    Object.entries(entry).every(([key, value]) => isDeepStrictEqual(after[key], value));
}

/** What a file says besides a server. That there is no other one counts as nothing. */
function without(value: unknown, { section }: Servers, name: string): unknown {
  const { [section]: all, ...others } = value as Fields;
  const { [name]: _, ...rest } = (all ?? {}) as Fields;
  return Object.keys(rest).length > 0 ? { ...others, [section]: rest } : others;
}
