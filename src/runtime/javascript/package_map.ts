/**
 * `exports` and `imports` of a package: what a name stands for, as Node finds it.
 *
 * The tables are a guest's, and nothing meters this code: no key becomes a regular expression, what a pattern expands to
 * is no longer than a path, and the time is that of one look at the whole table.
 *
 * @see https://nodejs.org/api/esm.html#resolution-algorithm-specification
 */

import { PATH_MAX } from "../../fs/names.ts";
import { GuestError } from "./guest_error.ts";

export type Json = { readonly [key: string]: unknown };

/** One of the tables of a package. */
export interface PackageMap {
  readonly field: "exports" | "imports";
  readonly entries: Json;
  /** Path of the package.json, for people. */
  readonly file: string;
}

/** Levels of conditions and lists within each other that are followed. */
const MAX_DEPTH = 20;
/** Parts of a path by which it could leave its package. */
const LEAVING = new Set([".", "..", "node_modules"]);
/** A key that engines take for an index, and put before all others wherever it is written. */
const INDEX = /^(?:0|[1-9]\d{0,9})$/;
/** Characters of a target that are shown. */
const MAX_SHOWN = 100;

/** A target that can't be one; within a list the next one is tried. */
class Invalid {
  constructor(readonly reason: string) {}
}

/** Undefined: no condition holds. Null: the package says that there is none. */
type Target = string | null | undefined | Invalid;

/** What of a name an entry's star stands for; undefined if the entry is the name itself. */
interface Entry {
  readonly target: unknown;
  readonly rest: string | undefined;
}

/**
 * @param exports The field as it is written, neither null nor undefined. @param file Of the package.json.
 * @throws {GuestError} ERR_INVALID_PACKAGE_CONFIG
 */
export function exportsMap(exports: unknown, file: string): PackageMap {
  const field = "exports";
  if (typeof exports === "string" || Array.isArray(exports)) {
    return { field, entries: { ".": exports }, file };
  }
  const entries = isObject(exports) ? exports : {};
  const keys = Object.keys(entries);
  const subpaths = keys.filter((key) => key.startsWith(".")).length;
  if (subpaths === keys.length) return { field, entries, file };
  if (subpaths === 0) return { field, entries: { ".": entries }, file };
  throw new GuestError(`"exports" of ${file} has both subpaths, which begin with ".", and conditions`, {
    code: "ERR_INVALID_PACKAGE_CONFIG",
  });
}

/**
 * What a name stands for.
 *
 * @param name `.`, `./file` or `#name`.
 * @returns `./file` of the package, or of `imports` another package too; undefined if there is nothing by that name.
 * @throws {GuestError} ERR_INVALID_PACKAGE_CONFIG, ERR_INVALID_PACKAGE_TARGET, ERR_INVALID_MODULE_SPECIFIER
 */
export function lookUp(map: PackageMap, name: string, conditions: ReadonlySet<string>): string | undefined {
  const entry = entryOf(map.entries, name);
  if (!entry) return undefined;
  if (entry.rest !== undefined && leaves(entry.rest)) {
    throw new GuestError(`"${name}" leads out of its package, or into its node_modules`, {
      code: "ERR_INVALID_MODULE_SPECIFIER",
    });
  }
  const target = targetOf(map, entry.target, entry.rest, conditions, 0);
  if (!(target instanceof Invalid)) return target ?? undefined;
  throw new GuestError(
    `"${map.field}" of ${map.file} has an invalid target for "${name}": ${target.reason}`,
    {
      code: "ERR_INVALID_PACKAGE_TARGET",
    },
  );
}

/** The entry of that name, else the pattern that has most before its star. */
function entryOf(entries: Json, name: string): Entry | undefined {
  if (Object.hasOwn(entries, name) && !name.includes("*") && !name.endsWith("/")) {
    return { target: entries[name], rest: undefined };
  }
  let best: { readonly key: string; readonly star: number } | undefined;
  for (const key of Object.keys(entries)) {
    // A directory stood for all that is in it, before there were patterns; packages of that time are still in use.
    const star = key.endsWith("/") ? key.length : key.indexOf("*");
    if (star < 0 || star !== key.length && key.includes("*", star + 1)) continue;
    if (name.length < Math.max(key.length, star + 1) || !name.startsWith(key.slice(0, star))) continue;
    if (!name.endsWith(key.slice(star + 1))) continue;
    if (best && (star < best.star || star === best.star && key.length <= best.key.length)) continue;
    best = { key, star };
  }
  if (!best) return undefined;
  const { key, star } = best;
  const target = entries[key];
  const rest = name.slice(star, name.length - Math.max(0, key.length - star - 1));
  return { target: star === key.length && typeof target === "string" ? `${target}*` : target, rest };
}

/** @throws {GuestError} ERR_INVALID_PACKAGE_CONFIG */
function targetOf(
  map: PackageMap,
  target: unknown,
  rest: string | undefined,
  conditions: ReadonlySet<string>,
  depth: number,
): Target {
  if (typeof target === "string") return expand(map, target, rest);
  if (target === null) return null;
  if (typeof target !== "object") return new Invalid(`it is a ${typeof target}`);
  if (depth === MAX_DEPTH) throw misconfigured(map, `nests more than ${MAX_DEPTH} levels`);
  if (Array.isArray(target)) {
    let last: null | undefined | Invalid;
    for (const each of target) {
      const found = targetOf(map, each, rest, conditions, depth + 1);
      if (typeof found === "string") return found;
      if (found !== undefined) last = found;
    }
    return target.length === 0 ? null : last;
  }
  const keys = Object.keys(target);
  if (keys.some((key) => INDEX.test(key))) throw misconfigured(map, "has numbers for conditions");
  for (const condition of keys) {
    if (condition !== "default" && !conditions.has(condition)) continue;
    const found = targetOf(map, (target as Json)[condition], rest, conditions, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A target with `rest` in the place of each star. */
function expand({ field }: PackageMap, target: string, rest: string | undefined): string | Invalid {
  const shown = JSON.stringify(target.length > MAX_SHOWN ? `${target.slice(0, MAX_SHOWN)}…` : target);
  if (target.length > PATH_MAX) return new Invalid(`${shown} is too long`);
  if (target.startsWith("./") ? leaves(target.slice(2)) : field === "exports" || !isBare(target)) {
    return new Invalid(`${shown} is no file of the package`);
  }
  if (rest === undefined) return target;
  const stars = target.split("*").length - 1;
  if (target.length + stars * (rest.length - 1) > PATH_MAX) {
    return new Invalid(`${shown} becomes longer than a path may be`);
  }
  return target.replaceAll("*", () => rest);
}

/** Whether it names a package or a module that is built in. */
function isBare(target: string): boolean {
  return !/^\.?\.?\/|^[a-z][a-z\d+.-]*:/i.test(target);
}

function leaves(path: string): boolean {
  return path.split(/[\\/]/).some((part) => LEAVING.has(part.toLowerCase().replaceAll("%2e", ".")));
}

function misconfigured({ field, file }: PackageMap, what: string): GuestError {
  return new GuestError(`"${field}" of ${file} ${what}`, { code: "ERR_INVALID_PACKAGE_CONFIG" });
}

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
