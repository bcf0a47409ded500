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

const INDEX = /^\d+$/;
/** Items that are not there and an item may be set beyond: they are written, too. */
const MOST_GAP = 1000;

/** `a.b[0]` as its steps, each as it is within brackets; "" at the end is one more item of a list. */
function stepsOf(key: string): string[] {
  const steps = [...key.matchAll(/\[([^\]]*)\]|(?:^|\.)([^.[\]]*)|([^.[\]]+)/g)].map(([, own, plain, rest]) =>
    own ?? plain ?? rest ?? ""
  );
  if (steps.some((step) => ["__proto__", "constructor", "prototype"].includes(step))) {
    throw new ProgramError(`${key} is no key of package.json`);
  }
  return steps;
}

const isOpen = (value: unknown): value is Json => typeof value === "object" && value !== null;

function valueAt(project: Json, steps: readonly string[]): unknown {
  let at: unknown = project;
  for (const step of steps) {
    if (!isOpen(at) || !Object.hasOwn(at, step)) return undefined;
    at = at[step];
  }
  return at;
}

/** Steps to a place, and what it is in, made as far as it is not there. @throws {ProgramError} if that has no places. */
function placeOf(project: Json, key: string): { readonly holder: Json; readonly last: string } {
  const steps = stepsOf(key);
  let holder = project;
  const within = (step: string) => {
    if (!Array.isArray(holder)) return step;
    if (step === "") return `${holder.length}`;
    if (!INDEX.test(step)) throw new ProgramError(`Can't add property ${key} to an Array.`);
    if (Number(step) > holder.length + MOST_GAP) {
      throw new ProgramError(`${key} is too far beyond the end, which is at ${holder.length}`);
    }
    return `${Number(step)}`;
  };
  for (const [index, step] of steps.slice(0, -1).entries()) {
    const at = within(step);
    const found = Object.hasOwn(holder, at) ? holder[at] : undefined;
    if (found !== undefined && !isOpen(found)) {
      throw new ProgramError(
        `Property ${key} can't be set: ${step} already exists and is not an Array or Object.`,
      );
    }
    const made = found ?? (/^\d*$/.test(steps[index + 1]!) ? [] : {});
    holder = holder[at] = made as Json;
  }
  return { holder, last: within(steps.at(-1)!) };
}

function set(project: Json, given: string, isJson: boolean): void {
  const at = given.indexOf("=");
  if (at < 1 || at === given.length - 1) throw new ProgramError(USAGE);
  const [key, text] = [given.slice(0, at), given.slice(at + 1)];
  let value: unknown = text;
  if (isJson) {
    try {
      value = JSON.parse(text);
    } catch {
      throw new ProgramError(`${text} is no JSON, which --json wants`);
    }
  }
  const { holder, last } = placeOf(project, key);
  holder[last] = value;
}

function remove(project: Json, key: string): void {
  const steps = stepsOf(key);
  const holder = valueAt(project, steps.slice(0, -1));
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
    if (keys.length === 1) return { stdout: shown(valueAt(project, stepsOf(keys[0]!)) ?? {}) };
    const found = keys.map((key) => [key, valueAt(project, stepsOf(key))]).filter(([, value]) =>
      value !== undefined
    );
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
