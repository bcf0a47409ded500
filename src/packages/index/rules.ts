/** The operator's lists of packages that may and may not be installed. */

import { satisfies, valid } from "@renovatebot/pep440";
import { normalized } from "./names.ts";
import { Refusal } from "./refusal.ts";

/** What the lists say, for either language. */
export interface PackageRules {
  /** Whether a version of a package may be installed. */
  permits(name: string, version: string): boolean;
  /** Whether no version of a package may be installed. */
  forbids(name: string): boolean;
}

/** @throws {Refusal} denied, if no version of it may be installed. */
export function checkName(rules: PackageRules, name: string): void {
  if (!rules.forbids(name)) return;
  throw new Refusal("denied", `"${name}" may not be installed: the operator's lists forbid it`);
}

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

export class Rules implements PackageRules {
  readonly #allow: readonly Rule[];
  readonly #deny: readonly Rule[];

  constructor(allow: readonly string[], deny: readonly string[]) {
    const parse = (texts: readonly string[]) => texts.flatMap((text) => parseRule(text) ?? []);
    this.#allow = parse(allow);
    this.#deny = parse(deny);
  }

  /** @param project Normalized. */
  permits(project: string, version: string): boolean {
    const isKnown = valid(version) !== null;
    const covers = (rule: Rule, unknown: boolean) =>
      rule.project === project &&
      (rule.versions === "" ||
        (isKnown ? satisfies(version, rule.versions, { prereleases: true }) : unknown));
    // Of what is no version nobody can tell what it is: it is denied with any, and allowed with none.
    return (this.#allow.length === 0 || this.#allow.some((rule) => covers(rule, false))) &&
      !this.#deny.some((rule) => covers(rule, true));
  }

  forbids(project: string): boolean {
    const rules = (list: readonly Rule[]) => list.filter((rule) => rule.project === project);
    return this.#allow.length > 0 && rules(this.#allow).length === 0 ||
      rules(this.#deny).some(({ versions }) => versions === "");
  }
}
