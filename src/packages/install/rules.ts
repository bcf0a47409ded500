/** The operator's lists of packages that may and may not be installed. */

import { satisfies } from "@renovatebot/pep440";
import { normalized } from "../index/names.ts";

const RULE = /^([A-Za-z0-9][A-Za-z0-9._-]*)\s*((?:[<>=!~].*)?)$/;

/** One entry of a list: a name, and the versions it is about. */
interface Rule {
  readonly project: string;
  /** As PEP 440 has them; empty: all. */
  readonly versions: string;
}

/** @returns undefined if it is not `name` or a name with versions. */
export function parseRule(text: string): Rule | undefined {
  const match = RULE.exec(text.trim());
  return match ? { project: normalized(match[1] ?? ""), versions: match[2] ?? "" } : undefined;
}

export class Rules {
  readonly #allow: readonly Rule[];
  readonly #deny: readonly Rule[];

  constructor(allow: readonly string[], deny: readonly string[]) {
    const parse = (texts: readonly string[]) => texts.flatMap((text) => parseRule(text) ?? []);
    this.#allow = parse(allow);
    this.#deny = parse(deny);
  }

  /** Whether a version of a project may be installed. @param project Normalized. */
  permits(project: string, version: string): boolean {
    const applies = (rule: Rule) =>
      rule.project === project && (rule.versions === "" || matches(version, rule.versions));
    return (this.#allow.length === 0 || this.#allow.some(applies)) && !this.#deny.some(applies);
  }

  /** Whether no version of a project may be installed. */
  forbids(project: string): boolean {
    const rules = (list: readonly Rule[]) => list.filter((rule) => rule.project === project);
    return this.#allow.length > 0 && rules(this.#allow).length === 0 ||
      rules(this.#deny).some(({ versions }) => versions === "");
  }
}

/** A version that is none matches nothing. */
function matches(version: string, specifier: string): boolean {
  try {
    return satisfies(version, specifier, { prereleases: true });
  } catch {
    return false;
  }
}
