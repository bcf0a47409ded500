/** Reads the text of a policy.toml: everything that is wrong with it at once, or a {@link Policy}. */

import { parse, TomlError } from "smol-toml";
import type { z } from "zod";
import {
  DEFAULT_FLAVORS,
  DEFAULT_LIMITS,
  type Flavor,
  FLAVOR_NAMES,
  FLAVORED,
  type FlavorName,
  type Limits,
  type Policy,
} from "./limits.ts";
import { POLICY_KEYS, type PolicyFile, policySchema } from "./policy_schema.ts";

/** A configuration that the server does not start with. The message is for the operator: a line for each problem. */
export class ConfigError extends Error {
  override name = "ConfigError";
}

const ALL_LIMITS = Object.keys(POLICY_KEYS) as (keyof Limits)[];

/** Pairs of limits of which the first must not exceed the second. */
const ORDERED: readonly (readonly [keyof Limits, keyof Limits])[] = [
  ["timeoutMs", "maxTimeoutMs"],
  ["fuelBudget", "sessionFuelBudget"],
  ["maxSessionsPerClient", "maxSessions"],
  ["maxConcurrentExecutionsPerClient", "maxConcurrentExecutions"],
  ["maxQueuedCalls", "maxQueuedCallsPerClient"],
];

/**
 * @param file What messages call the file.
 * @throws {ConfigError} for a text that is no TOML, unknown keys, values outside of their range, and values that
 * contradict each other.
 */
export function parsePolicy(text: string, file: string): Policy {
  const raw = parseToml(text, file);
  const { data, error } = policySchema.safeParse(raw);
  if (error) fail(file, issuesOf(error, raw));
  const written = data as PolicyFile;
  const limits = fitted({ ...DEFAULT_LIMITS, ...limitsOf(written, ALL_LIMITS) }, written);
  const flavors: Record<FlavorName, Flavor> = { ...DEFAULT_FLAVORS };
  const problems = contradictions(limits);
  for (const name of FLAVOR_NAMES) {
    const flavor = written.flavors?.[name];
    if (!flavor) continue;
    flavors[name] = limitsOf(flavor, FLAVORED) as Flavor;
    problems.push(...excesses(flavors[name], limits, `flavors.${name}.`));
  }
  if (problems.length > 0) fail(file, problems);
  return { limits, flavors };
}

function parseToml(text: string, file: string): Record<string, unknown> {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [reason] = error.message.split("\n");
    throw new ConfigError(`${file}: line ${error.line}, column ${error.column}: ${reason}`);
  }
}

function limitsOf<Key extends keyof Limits>(
  written: Readonly<Record<string, unknown>>,
  keys: readonly Key[],
): Partial<Pick<Limits, Key>> {
  const present = keys.filter((key) => written[POLICY_KEYS[key].name] !== undefined);
  const entries = present.map((
    key,
  ) => [key, POLICY_KEYS[key].limit(written[POLICY_KEYS[key].name] as never)]);
  return Object.fromEntries(entries);
}

/** Lowers defaults to bounds that the file sets: who allows 10 s at most need not say that 30 s are not the default. */
function fitted(limits: Limits, written: PolicyFile): Limits {
  const lowered: Record<string, unknown> = {};
  for (const [lower, upper] of ORDERED) {
    if (POLICY_KEYS[lower].name in written || !exceeds(limits, lower, upper)) continue;
    lowered[lower] = limits[upper];
  }
  return { ...limits, ...lowered };
}

function contradictions(limits: Limits): string[] {
  const show = (key: keyof Limits) => {
    const { name, value } = POLICY_KEYS[key];
    return `${name} = ${value(limits[key] as never)}`;
  };
  return ORDERED.filter(([lower, upper]) => exceeds(limits, lower, upper))
    .map(([lower, upper]) => `${show(lower)} is not allowed: at most ${show(upper)}`);
}

function exceeds(limits: Limits, lower: keyof Limits, upper: keyof Limits): boolean {
  const [less, more] = [limits[lower], limits[upper]];
  return typeof less === "number" && typeof more === "number" && less > more;
}

/** Where a flavor asks for more than the policy. */
function excesses(flavor: Flavor, limits: Limits, prefix: string): string[] {
  const problems: string[] = [];
  for (const key of FLAVORED) {
    const [wanted, most] = [flavor[key], limits[key]];
    if (typeof wanted !== "number" || most === null || wanted <= most) continue;
    const { name, value } = POLICY_KEYS[key];
    problems.push(`${prefix}${name} = ${value(wanted)} is not allowed: at most ${name} = ${value(most)}`);
  }
  return problems;
}

function issuesOf(error: z.ZodError, raw: unknown): string[] {
  const problems = error.issues.flatMap((issue) => {
    const path = issue.path.map(String);
    if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownKey([...path, key]));
    return [`${path.join(".")} = ${show(valueAt(raw, path))} is not allowed: ${issue.message}`];
  });
  return [...new Set(problems)];
}

function unknownKey(path: readonly string[]): string {
  const key = path.at(-1) ?? "";
  const known = path.length === 1
    ? [...Object.values(POLICY_KEYS).map(({ name }) => name), "flavors"]
    : path.length === 2
    ? FLAVOR_NAMES
    : FLAVORED.map((limit) => POLICY_KEYS[limit].name);
  const close = closest(key, known);
  return `${path.join(".")} is not a known key${close === undefined ? "" : `; did you mean ${close}?`}`;
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], value);
}

function show(value: unknown): string {
  const text = typeof value === "number" ? String(value) : JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** The name that a typing error may have meant. */
function closest(word: string, names: readonly string[]): string | undefined {
  const ranked = names.map((name) => ({ name, distance: editDistance(word, name) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  return best && best.distance <= Math.max(2, word.length / 3) ? best.name : undefined;
}

/** Levenshtein's: insertions, deletions and replacements. Long words are compared by their beginnings. */
function editDistance(a: string, b: string): number {
  a = a.slice(0, 100);
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

function fail(file: string, problems: readonly string[]): never {
  throw new ConfigError(problems.map((problem) => `${file}: ${problem}`).join("\n"));
}
