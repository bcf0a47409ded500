/** The index for Python packages, as configured by the operator or for pip. */

import { Downloader } from "../index/downloads.ts";
import { PackageIndex } from "../index/index.ts";
import type { PipDefaults } from "../index/built_in.ts";
import { readPipConfig } from "../index/pip_config.ts";
import { Rules } from "../index/rules.ts";
import { indexAddress, type Shared } from "./shared.ts";

export interface PipSource {
  readonly index: PackageIndex;
}

/** @throws {Refusal} if packages are switched off, or the address is invalid. */
export async function openPipSource(
  shared: Shared,
  defaults: () => Promise<PipDefaults | undefined>,
): Promise<PipSource> {
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
  const rules = new Rules(settings.allow, settings.deny);
  const { fileMaxBytes } = settings;
  return { index: new PackageIndex(url.href, downloader, shared.cache, { fileMaxBytes, rules }) };
}
