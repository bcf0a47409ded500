/** Where CPython is built: a Debian system of the pinned suite, in one of several shapes. */

import { join } from "node:path";
import { digestFiles, digestOf } from "./digest.ts";
import { repository } from "./paths.ts";
import { INPUTS, PACKAGES, SOURCE_PACKAGES, SUITE } from "./recipe.ts";

/** A Debian system with the toolchain and the source packages. */
export interface BuildRoot {
  /** Version of every package of the toolchain and, as `name:source`, of every source package. */
  readonly versions: Readonly<Record<string, string>>;
  /** Where the source packages lie, as seen from inside. */
  readonly sources: string;
  /** A directory that both sides see, under its two names. */
  readonly workspace: { readonly outside: string; readonly inside: string };
  /** The command that runs `argv` inside, with `env` added to its environment. */
  command(argv: readonly string[], env?: Readonly<Record<string, string>>): string[];
}

/** The script that brings a system up to what the build needs, for the stdin of bash. */
export async function provisioningScript(): Promise<string> {
  const parts = ["older_sources.sh", "root.sh"].map((name) => join(repository, "wasm/python/build", name));
  return (await Promise.all(parts.map((part) => Deno.readTextFile(part)))).join("");
}

/** What {@link provisioningScript} goes by. `sources`: where source packages go; without it there are none. */
export function provisioningEnv(sources?: string): Record<string, string> {
  const env = { PACKAGES: PACKAGES.join(" "), SOURCE_PACKAGES: SOURCE_PACKAGES.join(" "), SUITE };
  return sources === undefined ? env : { ...env, SOURCES: sources };
}

/**
 * Names what a build root is made from; `more` is what the shape of it adds. How sources are had where a mirror lacks them
 * is no part of it: their versions are told by themselves.
 */
export async function buildRootDigest(more: Readonly<Record<string, string>>): Promise<string> {
  const files = await digestFiles(repository, INPUTS.root);
  return digestOf({ ...more, arch: Deno.build.arch, ...provisioningEnv(), ...files });
}

/** Reads the list of versions that provisioning leaves beside the source packages. */
export function parseVersions(listing: string): Record<string, string> {
  const lines = listing.trim().split("\n").map((line) => line.split(" "));
  return Object.fromEntries(lines.map(([name = "", version = ""]) => [name, version]));
}
