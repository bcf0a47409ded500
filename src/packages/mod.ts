/** Packages: what a server needs to let sessions install from an index. */

import * as z from "zod";
import { readManifest } from "../executor/stored_assets.ts";
import type { HostOperation } from "../session/host_operations.ts";
import { createBroker } from "./broker.ts";
import { Downloader } from "./downloads.ts";
import { PackageIndex } from "./index.ts";
import { createNpmBroker } from "./npm_broker.ts";
import { readNpmConfig } from "./npm_config.ts";
import { NpmRegistry } from "./npm_registry.ts";
import { NpmRules } from "./npm_rules.ts";
import { readPipConfig } from "./pip_config.ts";
import { Rules } from "./rules.ts";
import { indexAddress, type Shared } from "./shared.ts";
import type { PackagesSettings } from "../config/packages_schema.ts";

export { Shared } from "./shared.ts";
export { DEFAULT_PACKAGES, type PackagesSettings } from "../config/packages_schema.ts";

/** Pip's own defaults. */
const pipDefaults = z.object({
  indexUrl: z.string(),
  /** The host on which that index keeps its files. */
  fileHost: z.string(),
});
export type PipDefaults = z.infer<typeof pipDefaults>;

/** What the pip that is built in says. */
export async function builtInPipDefaults(): Promise<PipDefaults> {
  return z.object({ pip: pipDefaults }).parse(await readManifest()).pip;
}

/** Npm's own defaults. */
const npmDefaults = z.object({ registry: z.string() });
export type NpmDefaults = z.infer<typeof npmDefaults>;

/** What npm says that has no configuration; undefined in assets that do not tell. */
export async function builtInNpmDefaults(): Promise<NpmDefaults | undefined> {
  return z.object({ npm: npmDefaults.optional() }).parse(await readManifest()).npm;
}

/** The operation with which pip installs. @param defaults Asked for when the first guest wants a package. */
export function packagesOperation(
  shared: Shared,
  defaults: () => Promise<PipDefaults | undefined>,
): HostOperation {
  return createBroker({
    index: onceMade(() => makeIndex(shared, defaults)),
    rules: new Rules(shared.settings.allow, shared.settings.deny),
    uses: shared.uses,
    timeoutMs: timeoutOf(shared.settings),
  });
}

/** The operation with which npm's packages are installed. @param defaults As {@link packagesOperation} has them. */
export function npmOperation(
  shared: Shared,
  defaults: () => Promise<NpmDefaults | undefined>,
): HostOperation {
  return createNpmBroker({
    registry: onceMade(() => makeRegistry(shared, defaults)),
    rules: new NpmRules(shared.settings.npmAllow, shared.settings.npmDeny),
    uses: shared.uses,
    timeoutMs: timeoutOf(shared.settings),
  });
}

/** A call may have to wait for others, and follow redirections. */
function timeoutOf({ downloadTimeoutMs }: PackagesSettings): number {
  return 2 * downloadTimeoutMs;
}

/** Makes something when it is first asked for, and again if that failed. */
function onceMade<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () =>
    made ??= make().catch((error) => {
      made = undefined;
      throw error;
    });
}

async function makeIndex(
  shared: Shared,
  defaults: () => Promise<PipDefaults | undefined>,
): Promise<PackageIndex> {
  shared.checkEnabled();
  const { settings } = shared;
  const pip = readPipConfig(shared.surroundings);
  const own = await defaults();
  const configured = settings.indexUrl ?? pip.indexUrl ?? own?.indexUrl;
  const { url, authorization } = indexAddress(configured, "package index", "packages.index_url");
  const downloader = new Downloader({
    index: url,
    authorization,
    fileHosts: [...settings.fileHosts, ...(own ? [own.fileHost] : [])],
    timeoutMs: settings.downloadTimeoutMs,
    certificates: shared.certificates(pip.certificates),
  });
  return new PackageIndex(url.href, downloader, shared.cache, settings.fileMaxBytes);
}

async function makeRegistry(
  shared: Shared,
  defaults: () => Promise<NpmDefaults | undefined>,
): Promise<NpmRegistry> {
  shared.checkEnabled();
  const { settings } = shared;
  const npm = readNpmConfig(shared.surroundings);
  const own = await defaults();
  const configured = settings.npmRegistry ?? npm.registry ?? own?.registry;
  const { url, authorization } = indexAddress(configured, "npm registry", "packages.npm_registry");
  const downloader = new Downloader({
    index: url,
    authorization: authorization ?? npm.authorization(url),
    fileHosts: settings.fileHosts,
    timeoutMs: settings.downloadTimeoutMs,
    certificates: shared.certificates(npm.certificates),
  });
  return new NpmRegistry(url, downloader, shared.cache, {
    fileMaxBytes: settings.fileMaxBytes,
    ...(own && { canonicalHost: new URL(own.registry).host }),
  });
}
