/** `manifest.json`: what the built assets are, and what they were made from. */

import { join } from "node:path";
import type { ExpandedHeap } from "../../src/image/base_heap.ts";
import { sha256 } from "./digest.ts";
import type { NpmDefaults } from "./npm_defaults.ts";
import { COMPONENTS, QUICKJS_VERSION, RESVG } from "./recipe.ts";

export const MANIFEST = "manifest.json";

/** A Python package that is there without being installed. */
export interface BundledPackage {
  /** As its metadata has it. */
  readonly name: string;
  readonly version: string;
  /** SPDX. */
  readonly licence: string;
  readonly summary: string;
  /** What a program imports: top-level modules. */
  readonly imports: readonly string[];
  /** What is not as in the original. */
  readonly note?: string;
  /** `Debian <package> <version>`, or the digest of a wheel. */
  readonly source: string;
}

/** Pip, and the index that it uses by default: a URL, and the host on which that index keeps its files. */
export interface Installer extends BundledPackage {
  readonly indexUrl: string;
  readonly fileHost: string;
}

/** Contents of `manifest.json`. Digests are lower-case hex SHA-256. */
export interface Manifest {
  /** Digest of the recipe: all files of the checkout that the assets depend on. */
  readonly recipe: string;
  /** Digest of the recipe and of the versions: names this build. */
  readonly build: string;
  /** Of what is embedded and of what compiled it, as Debian and npm count: `cpython`, `zlib`, `clang`, `quickjs`, … */
  readonly versions: Readonly<Record<string, string>>;
  /** Importable in every session. */
  readonly packages: readonly BundledPackage[];
  /** Packages that belong to {@link packages}, but could not be had for this build. */
  readonly leftOut: readonly string[];
  /** Importable by whoever knows where it is. */
  readonly pip: Installer;
  readonly npm: NpmDefaults;
  /** Modules of Python's standard library. */
  readonly stdlib: readonly string[];
  /** Of builds with numpy and what stands on it. */
  readonly science?: {
    /** Digest of the part of the recipe that is theirs alone. */
    readonly recipe: string;
    /** Where files lie in `python-science.data`, start and size, by their paths below `/usr`. */
    readonly files: Readonly<Record<string, readonly [start: number, size: number]>>;
    /** What `python-science.memory` does not say. */
    readonly heap: ExpandedHeap;
  };
  /** Of builds with scipy. */
  readonly scipy?: {
    /** Digest of the part of the recipe that is science's and its. */
    readonly recipe: string;
    /** What `python-scipy.memory` does not say. */
    readonly heap: ExpandedHeap;
  };
  /** Of builds with the shell. */
  readonly shell?: {
    /** Digest of the part of the recipe that is its alone. */
    readonly recipe: string;
    /** Of the compiler, and of the crates that most of it is. */
    readonly versions: Readonly<Record<string, string>>;
    /** What `shell.memory` does not say. */
    readonly heap: ExpandedHeap;
  };
  readonly files: Readonly<Record<string, { readonly bytes: number; readonly sha256: string }>>;
}

/** The manifest's versions. @param packages Those of the build root. */
export function componentVersions(packages: Readonly<Record<string, string>>): Record<string, string> {
  const versions = Object.entries(COMPONENTS).map(([name, from]) => [name, packages[from] ?? "unknown"]);
  return {
    ...Object.fromEntries(versions),
    quickjs: QUICKJS_VERSION,
    resvg: `${RESVG.name}@${RESVG.version}`,
  };
}

/** Size and digest of files in a directory. */
export async function describeFiles(directory: string, names: readonly string[]): Promise<Manifest["files"]> {
  const files: Record<string, { bytes: number; sha256: string }> = {};
  for (const name of [...names].sort()) {
    const bytes = await Deno.readFile(join(directory, name));
    files[name] = { bytes: bytes.length, sha256: sha256(bytes) };
  }
  return files;
}

/** The manifest of a directory; undefined if there is none that can be read. */
export async function readManifest(directory: string): Promise<Manifest | undefined> {
  try {
    return JSON.parse(await Deno.readTextFile(join(directory, MANIFEST))) as Manifest;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Whether every file of a manifest is there with its size. Quick: contents are not read. */
export async function filesPresent(directory: string, manifest: Pick<Manifest, "files">): Promise<boolean> {
  const checks = Object.entries(manifest.files).map(async ([name, { bytes }]) => {
    const info = await Deno.stat(join(directory, name)).catch(() => undefined);
    return info?.size === bytes;
  });
  return (await Promise.all(checks)).every((present) => present);
}
