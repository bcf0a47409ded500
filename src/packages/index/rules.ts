/** The operator's lists of packages that may and may not be installed. */

import { satisfies, valid } from "@renovatebot/pep440";
import { normalized } from "../../project_name.ts";
import { Refusal } from "./refusal.ts";

/** What the lists permit, for either language. */
export interface PackageRules {
  /** Whether a version of a package may be installed. */
  permits(name: string, version: string): boolean;
  /** Whether no version of a package may be installed. */
  forbids(name: string): boolean;
}

/** @throws {Refusal} denied, if no version of a package may be installed. */
export function checkName(rules: PackageRules, name: string): void {
  if (!rules.forbids(name)) return;
  throw new Refusal("denied", `"${name}" may not be installed: the operator's lists forbid it`);
}

const RULE = /^([A-Za-z0-9][A-Za-z0-9._-]*)\s*((?:[<>=!~].*)?)$/;

/** An entry of a list: a name, and the versions it applies to. */
interface Rule {
  readonly project: string;
  /** A specifier of PEP 440; empty for all versions. */
  readonly versions: string;
}

/** @returns undefined if the text is not a name, optionally with versions. */
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
    // An invalid version can't be compared: any rule denies it, and no specifier allows it.
    return (this.#allow.length === 0 || this.#allow.some((rule) => covers(rule, false))) &&
      !this.#deny.some((rule) => covers(rule, true));
  }

  forbids(project: string): boolean {
    const rules = (list: readonly Rule[]) => list.filter((rule) => rule.project === project);
    return this.#allow.length > 0 && rules(this.#allow).length === 0 ||
      rules(this.#deny).some(({ versions }) => versions === "");
  }
}
