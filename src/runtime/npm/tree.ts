/**
 * Which versions go where. As with npm, one version of a package lies where all can see it, and others only where they are
 * needed: a directory's packages are found by everything below it.
 */

import { NODE_MODULES } from "../../fs/places.ts";
import { NpmError } from "./error.ts";
import type { OfferedVersion } from "../../host_calls/npm.ts";
import type { Registry } from "./registry.ts";
import { type Requirement, requirementOf } from "./requirement.ts";
import { satisfies } from "./semver.ts";
import { withSubstitute } from "./substitutes.ts";

const MAX_PACKAGES = 500;

interface Edge {
  readonly to: Package;
  readonly optional: boolean;
}

/** A package at its place. */
export class Package {
  readonly children = new Map<string, Package>();
  readonly edges: Edge[] = [];

  constructor(
    /** By which it is imported. */
    readonly name: string,
    readonly from: string,
    readonly version: string,
    readonly about: OfferedVersion,
    readonly parent: Package | undefined,
  ) {}

  get path(): string {
    const above = this.parent ? `${this.parent.path}/node_modules` : NODE_MODULES;
    return `${above}/${this.name}`;
  }
}

export interface Tree {
  /** Each before those that lie in it. */
  readonly packages: readonly Package[];
  /** Of these, those without which all that was asked for works as well. */
  readonly optional: ReadonlySet<Package>;
  /** Of these, those that were asked for by name. */
  readonly direct: ReadonlySet<Package>;
  /** What a person should know. */
  readonly warnings: readonly string[];
}

/**
 * @param roots What was asked for.
 * @param installed Versions that are there, by name; they are kept where they fit.
 * @throws {NpmError} @throws {NpmStopped}
 */
export function resolveTree(
  registry: Registry,
  roots: readonly Requirement[],
  installed: ReadonlyMap<string, readonly string[]>,
): Tree {
  const top = new Map<string, Package>();
  const packages: Package[] = [];
  const warnings: string[] = [];

  const place = (by: Package | undefined, requirement: Requirement, optional = false): Package => {
    const { found, conflict } = visible(top, by, requirement.name);
    if (found && fits(registry, found, requirement)) return found;
    const chosen = registry.choose(requirement, installed.get(requirement.from) ?? []);
    const { version } = chosen;
    const about = withSubstitute(requirement.from, chosen.about);
    if (about.obstacle === "script" && !optional && !(by === undefined && hasVariants(about))) {
      warnings.push(withoutScript(requirement.from, version));
    } else if (about.obstacle) throw obstructed(requirement.from, version, about.obstacle);
    if (packages.length >= MAX_PACKAGES) {
      throw new NpmError(
        "too_large",
        `more than ${MAX_PACKAGES} packages would be installed`,
        requirement.from,
      );
    }
    const parent = conflict ? by : undefined;
    const made = new Package(requirement.name, requirement.from, version, about, parent);
    (parent?.children ?? top).set(requirement.name, made);
    packages.push(made);
    return made;
  };

  const required = roots.map((root) => place(undefined, root));
  // Each gets what it needs before anything below it does: a place that is taken is never needed by someone else.
  for (const each of packages) {
    for (const [name, spec] of Object.entries(each.about.dependencies)) {
      each.edges.push({ to: place(each, requirementOf(name, spec)), optional: false });
    }
    const native: string[] = [];
    for (const [name, spec] of Object.entries(each.about.optional)) {
      try {
        each.edges.push({ to: place(each, requirementOf(name, spec), true), optional: true });
      } catch (error) {
        if (!(error instanceof NpmError)) throw error;
        if (error.reason === "native") native.push(name);
        else warnings.push(`${name}, which ${each.name} can do without, is left out: ${error.message}`);
      }
    }
    if (native.length > 0) warnings.push(withoutNative(each, native));
  }
  for (const each of packages) warnings.push(...missingPeers(registry, top, each));
  return { packages, optional: withoutRequired(packages, required), direct: new Set(required), warnings };
}

/** What a package at some place sees by a name; a conflict if that place can't be given to another version. */
function visible(
  top: ReadonlyMap<string, Package>,
  by: Package | undefined,
  name: string,
): { readonly found: Package | undefined; readonly conflict: boolean } {
  for (let at = by; at; at = at.parent) {
    const found = at.children.get(name);
    if (found) return { found, conflict: true };
  }
  const found = top.get(name);
  return { found, conflict: found !== undefined };
}

function fits(registry: Registry, { from, version }: Package, requirement: Requirement): boolean {
  const { versions } = requirement;
  if (from !== requirement.from) return false;
  if ("tag" in versions) return registry.isTagged(from, versions.tag, version);
  return versions.range === "*" || satisfies(version, versions.range);
}

function missingPeers(registry: Registry, top: ReadonlyMap<string, Package>, each: Package): string[] {
  return Object.entries(each.about.peers).flatMap(([name, spec]) => {
    const { found } = visible(top, each.parent, name);
    const wants = `${each.name} ${each.version} wants ${name}@${spec}`;
    if (!found) return [`${wants}, which is not installed`];
    try {
      if (fits(registry, found, requirementOf(name, spec))) return [];
    } catch (error) {
      if (!(error instanceof NpmError)) throw error;
    }
    return [`${wants}; ${found.version} is installed`];
  });
}

/** Those that nothing leads to but ways that are optional somewhere. */
function withoutRequired(packages: readonly Package[], required: readonly Package[]): Set<Package> {
  const optional = new Set(packages);
  const queue = [...required];
  for (const each of queue) {
    if (!optional.delete(each)) continue;
    queue.push(...each.edges.filter((edge) => !edge.optional).map(({ to }) => to));
  }
  return optional;
}

/** One warning: some packages have a variant for each system there is. */
function withoutNative({ name }: Package, [first, ...more]: readonly string[]): string {
  const [which, are] = more.length === 0 ? [first, "is"] : [`${first} and ${more.length} more`, "are"];
  return `${which}, which ${name} can do without, ${are} left out: only JavaScript can run here, and nothing native`;
}

/** Whether it comes with a package for each system there is: then the native one is what it is about. */
function hasVariants({ optional }: OfferedVersion): boolean {
  return Object.keys(optional).some((name) => /[-/](linux|darwin|win32)\b/.test(name));
}

/**
 * As package managers have it that run no scripts unless they are told to: most of them print a message, or build what is
 * only a faster way to the same.
 */
function withoutScript(name: string, version: string): string {
  return `${name} ${version} has a script for its installation, which does not run here: what that would build or fetch is missing`;
}

function obstructed(name: string, version: string, obstacle: "script" | "platform"): NpmError {
  const why = obstacle === "script"
    ? "runs a program when it is installed, to build or fetch something native"
    : "is for certain systems only, as it has something native";
  return new NpmError("native", `${name} ${version} ${why}: only JavaScript can run here`, name);
}
