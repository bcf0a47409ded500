/** What is asked for: a package by a range of versions or by a tag. */

import { NpmError } from "./error.ts";
import { validRange } from "./semver.ts";

const NAME = /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/i;
const TAG = /^[A-Za-z][\w.-]*$/;
const MAX_NAME = 214;
const MAX_SPEC = 500;

export interface Requirement {
  /** By which it is imported. */
  readonly name: string;
  /** What the registry calls it: another name if it is an alias. */
  readonly from: string;
  /** A range, or a tag such as `latest`. */
  readonly versions: { readonly range: string } | { readonly tag: string };
  /** As it was written. */
  readonly spec: string;
}

/** Of packages that have become native programs: the last versions in JavaScript, for who asks for none. */
const IN_JAVASCRIPT: Readonly<Record<string, string>> = { typescript: "^6" };

/** `lodash`, `lodash@^4`, `@scope/name@next`, `own-name@npm:lodash@4`. @throws {NpmError} bad_requirement */
export function parseRequirement(text: string): Requirement {
  const at = text.indexOf("@", 1);
  const fallback = Object.hasOwn(IN_JAVASCRIPT, text) ? IN_JAVASCRIPT[text]! : "*";
  return at < 0 ? requirementOf(text, fallback) : requirementOf(text.slice(0, at), text.slice(at + 1));
}

/** @param spec What stands beside the name in `dependencies`. @throws {NpmError} bad_requirement */
export function requirementOf(name: string, spec: string): Requirement {
  if (name.length > MAX_NAME || !NAME.test(name)) {
    throw new NpmError("bad_requirement", `"${name.slice(0, MAX_NAME)}" is not the name of a package`);
  }
  const alias = /^npm:(@?[^@]+)(?:@(.*))?$/.exec(spec);
  if (alias) return { ...requirementOf(alias[1]!, alias[2] ?? "*"), name, spec };
  const range = spec.length <= MAX_SPEC ? validRange(spec) : null;
  if (range !== null) return { name, from: name, versions: { range: spec.trim() || "*" }, spec };
  if (TAG.test(spec)) return { name, from: name, versions: { tag: spec }, spec };
  const message = `${name}@${
    spec.slice(0, 200)
  } is neither a range of versions nor a tag; packages come from the registry only`;
  throw new NpmError("bad_requirement", message, name);
}
