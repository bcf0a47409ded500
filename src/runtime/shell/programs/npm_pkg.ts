/** `npm pkg` and `npm version`: what stands in package.json, read and changed. */

import type { ReleaseType } from "semver";
import { inc, valid } from "../../npm/semver.ts";
import { ProgramError } from "./program_error.ts";

type Json = Record<string, unknown>;

const USAGE =
  "usage: npm pkg get [KEY...], npm pkg set KEY=VALUE..., npm pkg delete KEY...; --json for values in JSON";
const RELEASES: ReadonlySet<string> = new Set([
  "major",
  "minor",
  "patch",
  "premajor",
  "preminor",
  "prepatch",
  "prerelease",
]);

/** Of a list: no more than such a file has room for. */
const INDEX = /^\d{1,4}$/;

/** `a.b[0]` as its steps; "" at the end is one more item of a list. */
function stepsOf(key: string): string[] {
  const steps = key.replace(/\[([^\]]*)\]/g, ".$1").split(".");
  if (steps.some((step) => ["__proto__", "constructor", "prototype"].includes(step))) {
    throw new ProgramError(`${key} is no key of package.json`);
  }
  return steps;
}

const isOpen = (value: unknown): value is Json => typeof value === "object" && value !== null;

function valueAt(project: Json, key: string): unknown {
  let at: unknown = project;
  for (const step of stepsOf(key)) {
    if (!isOpen(at) || !Object.hasOwn(at, step)) return undefined;
    at = at[step];
  }
  return at;
}

/** @throws {ProgramError} if a list has no such place. */
function put(holder: Json | unknown[], step: string, value: unknown, key: string): void {
  if (!Array.isArray(holder)) holder[step] = value;
  else if (step === "") holder.push(value);
  else if (INDEX.test(step)) holder[Number(step)] = value;
  else throw new ProgramError(`Can't add property ${key} to an Array.`);
}

/** What is before the last step, made as far as it is not there. */
function holderOf(project: Json, steps: readonly string[], key: string): Json | unknown[] {
  let at: Json | unknown[] = project;
  for (const [index, step] of steps.slice(0, -1).entries()) {
    const found: unknown = (at as Json)[step];
    const isList = /^\d*$/.test(steps[index + 1]!);
    const next: Json | unknown[] = isOpen(found) ? found : isList ? [] : {};
    if (next !== found) put(at, step, next, key);
    at = next;
  }
  return at;
}

function set(project: Json, given: string, isJson: boolean): void {
  const at = given.indexOf("=");
  if (at < 1) throw new ProgramError(USAGE);
  const [key, text] = [given.slice(0, at), given.slice(at + 1)];
  let value: unknown = text;
  if (isJson) {
    try {
      value = JSON.parse(text);
    } catch {
      throw new ProgramError(`${text} is no JSON, which --json wants`);
    }
  }
  const steps = stepsOf(key);
  put(holderOf(project, steps, key), steps.at(-1)!, value, key);
}

function remove(project: Json, key: string): void {
  const steps = stepsOf(key);
  const holder = steps.length === 1 ? project : valueAt(project, steps.slice(0, -1).join("."));
  const last = steps.at(-1)!;
  if (Array.isArray(holder)) {
    if (INDEX.test(last)) holder.splice(Number(last), 1);
  } else if (isOpen(holder)) delete holder[last];
}

/** @returns What is printed, and the project where it has changed. @throws {ProgramError} if it is used otherwise. */
export function pkg(
  project: Json,
  [verb, ...keys]: readonly string[],
  isJson: boolean,
): { readonly stdout: string; readonly changed?: Json } {
  const shown = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
  if (verb === "get") {
    if (keys.length === 0) return { stdout: shown(project) };
    if (keys.length === 1) return { stdout: shown(valueAt(project, keys[0]!) ?? {}) };
    const found = keys.map((key) => [key, valueAt(project, key)]).filter(([, value]) => value !== undefined);
    return { stdout: shown(Object.fromEntries(found)) };
  }
  if (keys.length === 0 || verb !== "set" && verb !== "delete") throw new ProgramError(USAGE);
  const changed: Json = JSON.parse(JSON.stringify(project));
  for (const key of keys) {
    if (verb === "set") set(changed, key, isJson);
    else remove(changed, key);
  }
  return { stdout: "", changed };
}

/** The version that a word asks for: one itself, or the next one of a kind. @throws {ProgramError} if it is neither. */
export function nextVersion(before: string, wanted: string): string {
  const next = RELEASES.has(wanted) ? inc(before || "0.0.0", wanted as ReleaseType) : valid(wanted);
  if (!next) {
    throw new ProgramError(
      `npm version takes a version, or one of ${[...RELEASES].join(", ")}, not '${wanted}'`,
    );
  }
  return next;
}
