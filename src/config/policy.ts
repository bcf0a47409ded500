/** The limits that policy.toml, the environment and the command line add up to. */

import { keysByName } from "./document.ts";
import { type Document, given, type Layer, type Problems } from "./layer.ts";
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
import { DEFAULT_PACKAGES, PACKAGES_KEYS, type PackagesSettings } from "./packages_schema.ts";
import { FLAVOR_KEYS, POLICY_KEYS } from "./policy_schema.ts";

export const POLICY_DOCUMENT: Document = {
  file: "policy.toml",
  prefix: "policy.",
  keys: keysByName(POLICY_KEYS, PACKAGES_KEYS, ...Object.values(FLAVOR_KEYS)),
  foreign: { default_flavor: "write server.default_flavor in mcp.toml" },
};

/** Pairs of limits: the first must not exceed the second. */
const ORDERED: readonly (readonly [keyof Limits, keyof Limits])[] = [
  ["timeoutMs", "maxTimeoutMs"],
  ["fuelBudget", "sessionFuelBudget"],
  ["memoryBytes", "totalMemoryBytes"],
  ["executorRssBytes", "totalRssBytes"],
  ["maxSessionsPerClient", "maxSessions"],
  ["maxConcurrentExecutionsPerClient", "maxConcurrentExecutions"],
  ["maxQueuedCalls", "maxQueuedCallsPerClient"],
];

/** @param problems Receives values that contradict each other. */
export function policyOf(layer: Layer, problems: Problems): Policy {
  const written = given(POLICY_KEYS, POLICY_DOCUMENT.prefix, layer);
  const limits = fitted({ ...DEFAULT_LIMITS, ...written }, layer);
  for (const [lower, upper] of ORDERED.filter(([lower, upper]) => exceeds(limits, lower, upper))) {
    problems.add(
      origin(layer, lower),
      `${shown(lower, limits)} is invalid: must be at most ${shown(upper, limits)}`,
    );
  }
  const flavors: Record<FlavorName, Flavor> = { ...DEFAULT_FLAVORS };
  for (const name of FLAVOR_NAMES) {
    const flavor = given(FLAVOR_KEYS[name], POLICY_DOCUMENT.prefix, layer);
    checkFlavor(name, flavor, limits, layer, problems);
    flavors[name] = { ...DEFAULT_FLAVORS[name], ...flavor };
  }
  return { limits, flavors };
}

export function packagesOf(layer: Layer): PackagesSettings {
  return { ...DEFAULT_PACKAGES, ...given(PACKAGES_KEYS, POLICY_DOCUMENT.prefix, layer) };
}

/**
 * Lowers limits from weaker sources to the bounds set by stronger ones: whoever allows at most 10 s need not also lower the
 * default of 30 s, nor edit a file in order to bound its values by a variable.
 */
function fitted(limits: Limits, layer: Layer): Limits {
  const lowered: Record<string, unknown> = {};
  for (const [lower, upper] of ORDERED) {
    if (strength(layer, lower) >= strength(layer, upper) || !exceeds(limits, lower, upper)) continue;
    lowered[lower] = limits[upper];
  }
  return { ...limits, ...lowered };
}

function strength(layer: Layer, limit: keyof Limits): number {
  const kind = layer.get(POLICY_DOCUMENT.prefix + POLICY_KEYS[limit].name)?.origin.kind;
  return ([undefined, "file", "environment", "flag"] as const).indexOf(kind);
}

function exceeds(limits: Limits, lower: keyof Limits, upper: keyof Limits): boolean {
  const [less, more] = [limits[lower], limits[upper]];
  return typeof less === "number" && typeof more === "number" && less > more;
}

/** Reports what a flavor allows beyond the policy. */
function checkFlavor(
  name: FlavorName,
  flavor: Flavor,
  limits: Limits,
  layer: Layer,
  problems: Problems,
): void {
  for (const limit of FLAVORED) {
    const [wanted, most] = [flavor[limit], limits[limit]];
    if (typeof wanted !== "number" || most === null || wanted <= most) continue;
    const key = FLAVOR_KEYS[name][limit];
    const where = layer.get(POLICY_DOCUMENT.prefix + key.name)!.origin.name;
    problems.add(
      where,
      `${key.name} = ${key.value(wanted)} is invalid: must be at most ${shown(limit, limits)}`,
    );
  }
}

function origin(layer: Layer, limit: keyof Limits): string {
  return layer.get(POLICY_DOCUMENT.prefix + POLICY_KEYS[limit].name)?.origin.name ?? POLICY_DOCUMENT.file;
}

function shown(limit: keyof Limits, limits: Limits): string {
  const { name, value } = POLICY_KEYS[limit];
  return `${name} = ${value(limits[limit] as never)}`;
}
