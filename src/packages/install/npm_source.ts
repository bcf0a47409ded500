/** The registry for npm packages, as configured by the operator or for npm. */

import { Downloader } from "../index/downloads.ts";
import type { NpmDefaults } from "../index/built_in.ts";
import { readNpmConfig } from "../index/npm_config.ts";
import { NpmRegistry } from "../index/npm_registry.ts";
import { NpmRules } from "../index/npm_rules.ts";
import { indexAddress, type Shared } from "./shared.ts";

export interface NpmSource {
  readonly registry: NpmRegistry;
}

/** @throws {Refusal} if packages are switched off, or the address is invalid. */
export async function openNpmSource(
  shared: Shared,
  defaults: () => Promise<NpmDefaults | undefined>,
): Promise<NpmSource> {
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
  const registry = new NpmRegistry(url, downloader, shared.cache, {
    rules: new NpmRules(settings.npmAllow, settings.npmDeny),
    fileMaxBytes: settings.fileMaxBytes,
    ...(own && { canonicalHost: new URL(own.registry).host }),
  });
  return { registry };
}
