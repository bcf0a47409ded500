/** Which older releases of a project are tried, where its newest can't be imported. */

import { normalized } from "../../project_name.ts";

/**
 * The releases below that of a version, as a specifier of PEP 440: pip takes the newest of them.
 *
 * Another patch of the same minor release would hardly differ in what it needs, so whole releases are left out: first
 * minor ones, then a major one.
 *
 * @param tries How many were tried before.
 * @returns undefined if the version is none that can be counted down from.
 */
export function olderThan(version: string, tries: number): string | undefined {
  const match = /^(\d+!)?(\d+)(?:\.(\d+))?/.exec(version);
  if (!match) return undefined;
  const [, epoch = "", major = "0", minor] = match;
  const wholeMajor = minor === undefined || (tries >= MINORS && Number(major) > 0);
  return `<${epoch}${major}${wholeMajor ? "" : `.${minor}`}`;
}

/** Minor releases that are counted down before a major one. */
const MINORS = 2;

/** Whether requirements leave open which version of a project is taken, so that another one may be. */
export function isOpen(name: string, requirements: readonly string[]): boolean {
  return requirements.every((requirement) => {
    const [, project = "", rest = ""] = /^\s*([\w.-]+)([^;]*)/.exec(requirement) ?? [];
    return normalized(project) !== normalized(name) || !/==|@/.test(rest);
  });
}
