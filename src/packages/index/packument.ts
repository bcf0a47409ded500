/** The part of a registry's description of a package that is of use here. */

import * as z from "zod";
import { INTEGRITY, isNpmName, offeredVersion } from "../../host_calls/npm.ts";
import { Refusal } from "./refusal.ts";

const MAX_VERSIONS = 10_000;
const MAX_DEPENDENCIES = 500;
const VERSION = /^[0-9A-Za-z.+-]{1,256}$/;
/** One version as the broker offers it, and where it lies. */
export const npmVersion = z.object({
  /** The absolute URL of the tarball. */
  url: z.string(),
  ...offeredVersion.shape,
});
export type NpmVersion = z.infer<typeof npmVersion>;

export const npmListing = z.object({
  tags: z.record(z.string(), z.string()),
  versions: z.record(z.string(), npmVersion),
  /** The number of versions left out because they have no acceptable hash. */
  unhashed: z.number(),
});
export type NpmListing = z.infer<typeof npmListing>;

const anyDependencies = z.record(z.string(), z.unknown()).optional().catch(undefined);
const list = z.union([z.array(z.string()), z.string().transform((one) => [one])]).optional().catch(undefined);
const described = z.object({
  dependencies: anyDependencies,
  optionalDependencies: anyDependencies,
  peerDependencies: anyDependencies,
  peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.boolean().optional() }).catch({}))
    .optional().catch(undefined),
  os: list,
  cpu: list,
  libc: list,
  hasInstallScript: z.boolean().optional().catch(undefined),
  gypfile: z.boolean().optional().catch(undefined),
  /** Only if a registry sends the full metadata instead of the abbreviated form. */
  scripts: z.record(z.string(), z.unknown()).optional().catch(undefined),
  deprecated: z.unknown().optional(),
  engines: z.object({ node: z.string().max(200).optional().catch(undefined) }).optional().catch(undefined),
  dist: z.object({ tarball: z.string().max(2000), integrity: z.string().max(1000).optional() }),
});
type Described = z.infer<typeof described>;

const packument = z.object({
  "dist-tags": z.record(z.string(), z.string()).catch({}),
  versions: z.record(z.string(), z.unknown()),
});

/**
 * Reads a registry's answer, abbreviated or in full.
 *
 * @param url Where it was found; tarballs are relative to it.
 * @throws {Refusal} bad_index
 */
export function parsePackument(body: string, url: string): NpmListing {
  const { data } = packument.safeParse(unlessBroken(body));
  if (!data) {
    throw new Refusal("bad_index", "the npm registry sent something that does not describe a package");
  }
  const versions: Record<string, NpmVersion> = {};
  let unhashed = 0;
  for (const [version, value] of Object.entries(data.versions).slice(-MAX_VERSIONS)) {
    const { data: one } = described.safeParse(value);
    if (!one || !VERSION.test(version) || !URL.canParse(one.dist.tarball, url)) continue;
    const integrity = strongest(one.dist.integrity ?? "");
    if (integrity === undefined) unhashed++;
    else versions[version] = versionOf(one, integrity, url);
  }
  const tags = Object.entries(data["dist-tags"]).filter(([, version]) => Object.hasOwn(versions, version));
  return { tags: Object.fromEntries(tags), versions, unhashed };
}

function versionOf(one: Described, integrity: string, url: string): NpmVersion {
  const target = new URL(one.dist.tarball, url);
  target.hash = "";
  const optional = cleaned(one.optionalDependencies);
  const needed = Object.entries(cleaned(one.dependencies)).filter(([name]) => !Object.hasOwn(optional, name));
  const peers = Object.entries(cleaned(one.peerDependencies))
    .filter(([name]) => !one.peerDependenciesMeta?.[name]?.optional);
  const scripts = one.scripts ?? {};
  const script = one.hasInstallScript ??
    ["preinstall", "install", "postinstall"].some((name) => !!scripts[name]);
  return {
    url: target.href,
    integrity,
    dependencies: Object.fromEntries(needed),
    optional,
    peers: Object.fromEntries(peers),
    obstacle: [one.os, one.cpu, one.libc].some(isForOthers)
      ? "platform"
      : script || one.gypfile
      ? "script"
      : null,
    deprecated: typeof one.deprecated === "string" && one.deprecated !== "",
    node: one.engines?.node ?? null,
  };
}

function cleaned(dependencies: Record<string, unknown> | undefined): Record<string, string> {
  const entries = Object.entries(dependencies ?? {}).filter((entry): entry is [string, string] =>
    isNpmName(entry[0]) && typeof entry[1] === "string" && entry[1].length <= 500
  );
  return Object.fromEntries(entries.slice(0, MAX_DEPENDENCIES));
}

/** A package that lists the systems it is for contains native code; one that lists those it is not for need not. */
function isForOthers(systems: readonly string[] | undefined): boolean {
  const named = (systems ?? []).filter((system) => !system.startsWith("!"));
  return named.length > 0 && !named.some((system) => system === "any" || system === "wasm32");
}

/** The strongest of several hashes separated by spaces. */
function strongest(integrity: string): string | undefined {
  const hashes = integrity.split(/\s+/).map((hash) => hash.replace(/\?.*/, "")).filter((hash) =>
    INTEGRITY.test(hash)
  );
  return hashes.sort().at(-1); // sha256 < sha384 < sha512
}

function unlessBroken(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
