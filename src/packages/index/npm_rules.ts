/** The operator's lists of npm packages that may and may not be installed. */

// @ts-types="@types/semver"
import semver from "semver";
import type { PackageRules } from "./rules.ts";

/** An entry of a list: a name, and the versions it applies to. */
interface Rule {
  readonly name: string;
  /** A range in npm's syntax; "*" for all versions. */
  readonly range: string;
}

export class NpmRules implements PackageRules {
  readonly #allow: readonly Rule[];
  readonly #deny: readonly Rule[];

  constructor(allow: readonly string[], deny: readonly string[]) {
    this.#allow = allow.map(parseRule);
    this.#deny = deny.map(parseRule);
  }

  permits(name: string, version: string): boolean {
    const isKnown = semver.valid(version) !== null;
    const covers = ({ range }: Rule, unknown: boolean) =>
      range === "*" || (isKnown ? semver.satisfies(version, range, { includePrerelease: true }) : unknown);
    // An invalid version can't be compared: any rule denies it, and no range allows it.
    return (this.#allow.length === 0 || this.#allowing(name).some((rule) => covers(rule, false))) &&
      !this.#denying(name).some((rule) => covers(rule, true));
  }

  forbids(name: string): boolean {
    return this.#allow.length > 0 && this.#allowing(name).length === 0 ||
      this.#denying(name).some(({ range }) => range === "*");
  }

  #allowing(name: string): Rule[] {
    return this.#allow.filter((rule) => rule.name === name);
  }

  /** Some registries ignore case. */
  #denying(name: string): Rule[] {
    return this.#deny.filter((rule) => rule.name.toLowerCase() === name.toLowerCase());
  }
}

function parseRule(text: string): Rule {
  const at = text.indexOf("@", 1);
  return at < 0 ? { name: text, range: "*" } : { name: text.slice(0, at), range: text.slice(at + 1) };
}
