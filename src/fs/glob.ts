/**
 * Patterns for paths: `*` and `?` within a name, `[a-z]` and `[!a-z]`, `{csv,json}`, `**` across directories, `\` before
 * a character that is meant as it is. Matched name by name while a tree is walked, at a bounded cost.
 */

/** Longest pattern, UTF-16 units. */
export const PATTERN_MAX = 512;
/** Most that `{…}` may make of one pattern, in alternatives. */
const ALTERNATIVES_MAX = 64;
/** Comparisons of a character after which matching is given up: some 100 ms. */
const STEPS_MAX = 20_000_000;
/** What it takes to note one place in the pattern for the next name. */
const MOVE_STEPS = 4;

/** A pattern that is invalid, or that costs too much. */
export class GlobError extends Error {
  override name = "GlobError";
}

/** What one character of a name, or for "star" any number of them, must be. */
type Part =
  | "star"
  | "any"
  | { readonly literal: string }
  | { readonly not: boolean; readonly ranges: readonly (readonly [low: string, high: string])[] };

/** A component of a pattern; "deep" stands for any number of directories. */
type Segment = readonly Part[] | "deep";

/** Where a walk stands in a pattern: alternatives, and places in them. */
export type GlobState = readonly (readonly [alternative: number, segment: number])[];

export class Glob {
  readonly #alternatives: readonly (readonly Segment[])[];
  #steps = 0;

  /**
   * @param pattern One without a slash is looked for among the names of all directories that are walked.
   * @throws {GlobError}
   */
  constructor(pattern: string) {
    if (pattern === "" || pattern.length > PATTERN_MAX) {
      throw new GlobError(`a pattern has 1 to ${PATTERN_MAX} characters`);
    }
    this.#alternatives = expandBraces(pattern).map((text) => {
      const segments = text.split("/").filter((part) => part !== "" && part !== ".");
      if (!text.includes("/")) segments.unshift("**");
      // One after another says no more than one does.
      const each = segments.filter((part, at) => part !== "**" || segments[at - 1] !== "**");
      return each.map((part): Segment => part === "**" ? "deep" : parseSegment(part));
    });
  }

  /** Before the first name. */
  start(): GlobState {
    return this.#closure(this.#alternatives.map((_, alternative) => [alternative, 0] as const));
  }

  /**
   * Goes one name deeper.
   *
   * @returns Whether the path so far matches, and the state below it; an empty one if nothing there can match.
   * @throws {GlobError} if it costs too much.
   */
  step(state: GlobState, name: string): { matches: boolean; below: GlobState } {
    const chars = Array.from(name);
    const next: [number, number][] = [];
    for (const [alternative, at] of state) {
      const segment = this.#alternatives[alternative]![at];
      if (segment === undefined) continue;
      if (segment === "deep") next.push([alternative, at]);
      else if (this.#matchName(segment, chars)) next.push([alternative, at + 1]);
    }
    const below = this.#closure(next);
    return { matches: below.some(([alternative, at]) => this.#isEnd(alternative, at)), below };
  }

  #isEnd(alternative: number, at: number): boolean {
    return at === this.#alternatives[alternative]!.length;
  }

  /** "deep" also stands for no directory at all. */
  #closure(state: GlobState): GlobState {
    const seen = new Set<number>();
    const all: (readonly [number, number])[] = [];
    for (const [alternative, first] of state) {
      for (let at = first;; at++) {
        this.#spend(MOVE_STEPS);
        const key = alternative * PATTERN_MAX + at;
        if (seen.has(key)) break; // and what follows it too
        seen.add(key);
        all.push([alternative, at]);
        if (this.#alternatives[alternative]![at] !== "deep") break;
      }
    }
    return all;
  }

  /** @throws {GlobError} */
  #spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > STEPS_MAX) throw new GlobError("the pattern takes too long to match");
  }

  /** Greedy, going back to the last star only: no worse than pattern times name. */
  #matchName(parts: readonly Part[], chars: readonly string[]): boolean {
    let part = 0;
    let at = 0;
    let star = -1;
    let from = 0;
    while (at < chars.length) {
      const wanted = parts[part];
      this.#spend(typeof wanted === "object" && "ranges" in wanted ? wanted.ranges.length : 1);
      if (wanted === "star") {
        star = part++;
        from = at;
      } else if (wanted !== undefined && matchChar(wanted, chars[at]!)) {
        part++;
        at++;
      } else if (star >= 0) {
        part = star + 1;
        at = ++from;
      } else return false;
    }
    while (parts[part] === "star") part++;
    return part === parts.length;
  }
}

function matchChar(part: Exclude<Part, "star">, char: string): boolean {
  if (part === "any") return true;
  if ("literal" in part) return part.literal === char;
  return part.ranges.some(([low, high]) => low <= char && char <= high) !== part.not;
}

function parseSegment(text: string): Part[] {
  const chars = Array.from(text);
  const parts: Part[] = [];
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at]!;
    if (char === "*") {
      if (parts.at(-1) !== "star") parts.push("star");
    } else if (char === "?") parts.push("any");
    else if (char === "[") {
      const end = chars.indexOf("]", at + (chars[at + 1] === "!" || chars[at + 1] === "^" ? 3 : 2));
      if (end < 0) throw new GlobError('a "[" of the pattern has no "]"');
      parts.push(parseClass(chars.slice(at + 1, end)));
      at = end;
    } else if (char === "\\" && at + 1 < chars.length) parts.push({ literal: chars[++at]! });
    else parts.push({ literal: char });
  }
  return parts;
}

function parseClass(chars: readonly string[]): Part {
  const not = chars[0] === "!" || chars[0] === "^";
  const ranges: [string, string][] = [];
  for (let at = not ? 1 : 0; at < chars.length; at++) {
    const isRange = chars[at + 1] === "-" && at + 2 < chars.length;
    ranges.push([chars[at]!, isRange ? chars[at + 2]! : chars[at]!]);
    if (isRange) at += 2;
  }
  return { not, ranges };
}

/** All texts that a pattern with `{a,b}` stands for. */
function expandBraces(pattern: string): string[] {
  const whole = [pattern];
  for (let at = 0; at < whole.length;) {
    const brace = /(?<!\\)\{([^{}]*)\}/.exec(whole[at]!);
    if (!brace) {
      at++;
      continue;
    }
    const [text, inner = ""] = brace;
    const before = whole[at]!.slice(0, brace.index);
    const after = whole[at]!.slice(brace.index + text.length);
    whole.splice(at, 1, ...inner.split(",").map((choice) => before + choice + after));
    if (whole.length > ALTERNATIVES_MAX) {
      throw new GlobError(`the braces of the pattern stand for more than ${ALTERNATIVES_MAX} alternatives`);
    }
  }
  return whole;
}
