/** The operator's lists of npm packages that may and may not be installed. */

// @ts-types="@types/semver"
import semver from "semver";

/** One entry of a list: a name, and the versions it is about. */
interface Rule {
  readonly name: string;
  /** A range of npm's; "*": all. */
  readonly range: string;
}

export class NpmRules {
  readonly #allow: readonly Rule[];
  readonly #deny: readonly Rule[];

  constructor(allow: readonly string[], deny: readonly string[]) {
    this.#allow = allow.map(parseRule);
    this.#deny = deny.map(parseRule);
  }

  permits(name: string, version: string): boolean {
    const applies = (rule: Rule) =>
      rule.name === name &&
      (rule.range === "*" || semver.satisfies(version, rule.range, { includePrerelease: true }));
    return (this.#allow.length === 0 || this.#allow.some(applies)) && !this.#deny.some(applies);
  }

  /** Whether no version of a package may be installed. */
  forbids(name: string): boolean {
    const rules = (list: readonly Rule[]) => list.filter((rule) => rule.name === name);
    return this.#allow.length > 0 && rules(this.#allow).length === 0 ||
      rules(this.#deny).some(({ range }) => range === "*");
  }
}

function parseRule(text: string): Rule {
  const at = text.indexOf("@", 1);
  return at < 0 ? { name: text, range: "*" } : { name: text.slice(0, at), range: text.slice(at + 1) };
}
