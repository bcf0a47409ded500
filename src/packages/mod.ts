/** Packages: what a server needs to let sessions install from an index. */

import { z } from "zod";
import { readAsset } from "../executor/assets.ts";
import type { HostOperation } from "../session/host_operations.ts";
import { createBroker } from "./broker.ts";
import { DiskCache } from "./cache.ts";
import { Downloader, isLoopback } from "./downloads.ts";
import { PackageIndex } from "./index.ts";
import { readPipConfig, type Surroundings } from "./pip_config.ts";
import { Refusal } from "./refusal.ts";
import { Rules } from "./rules.ts";
import type { PackagesSettings } from "../config/packages_schema.ts";

export { DEFAULT_PACKAGES, type PackagesSettings } from "../config/packages_schema.ts";

/** Pip's own defaults. */
const pipDefaults = z.object({
  indexUrl: z.string(),
  /** The host on which that index keeps its files. */
  fileHost: z.string(),
});
export type PipDefaults = z.infer<typeof pipDefaults>;

/** What the pip that is built in says. @param assets The directory with the manifest. */
export async function pipDefaultsOf(assets: URL): Promise<PipDefaults> {
  const manifest = JSON.parse(new TextDecoder().decode(await readAsset(assets, "manifest.json")));
  return pipDefaults.parse(manifest.pip);
}

/** @param defaults Asked for when the first guest wants a package. */
export function packagesOperation(
  settings: PackagesSettings,
  defaults: () => Promise<PipDefaults | undefined>,
  surroundings: Surroundings = PROCESS,
): HostOperation {
  let index: Promise<PackageIndex> | undefined;
  return createBroker({
    index: () =>
      index ??= makeIndex(settings, defaults, surroundings).catch((error) => {
        index = undefined;
        throw error;
      }),
    rules: new Rules(settings.allow, settings.deny),
    sessionBytes: settings.sessionBytes,
    // A call may have to wait for others, and follow redirections.
    timeoutMs: 2 * settings.downloadTimeoutMs,
  });
}

async function makeIndex(
  settings: PackagesSettings,
  defaults: () => Promise<PipDefaults | undefined>,
  surroundings: Surroundings,
): Promise<PackageIndex> {
  if (!settings.enabled) {
    throw new Refusal("disabled", "packages are switched off on this server (packages.enabled)");
  }
  const pip = readPipConfig(surroundings);
  const own = await defaults();
  const configured = settings.indexUrl ?? pip.indexUrl ?? own?.indexUrl;
  if (configured === undefined || !URL.canParse(configured)) {
    throw new Refusal("bad_index", "no package index is configured (packages.index_url)");
  }
  const url = new URL(configured.endsWith("/") ? configured : `${configured}/`);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url.hostname))) {
    throw new Refusal("bad_index", "the package index must be reached by https (packages.index_url)");
  }
  const authorization = basic(url);
  url.username =
    url.password =
    url.search =
    url.hash =
      "";
  const downloader = new Downloader({
    index: url,
    authorization,
    fileHosts: [...settings.fileHosts, ...(own ? [own.fileHost] : [])],
    timeoutMs: settings.downloadTimeoutMs,
    certificates: certificates(pip.certificates, surroundings),
  });
  const cache = new DiskCache(cacheDirectory(settings, surroundings), settings.cacheBytes);
  return new PackageIndex(url.href, downloader, cache, settings.fileMaxBytes);
}

function basic({ username, password }: URL): string | undefined {
  if (username === "" && password === "") return undefined;
  const text = new TextEncoder().encode(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  return `Basic ${btoa(String.fromCharCode(...text))}`;
}

/** Of pip's setting, or of the variables that other programs read. */
function certificates(configured: string | undefined, { env, read }: Surroundings): string[] {
  const path = configured ?? env("REQUESTS_CA_BUNDLE") ?? env("SSL_CERT_FILE");
  const text = path && read(path);
  return text ? [text] : [];
}

/** @throws {Refusal} where there is no place for it. */
function cacheDirectory({ cacheDirectory }: PackagesSettings, { env }: Surroundings): string {
  const home = env("HOME");
  const base = env("XDG_CACHE_HOME") ?? (home && `${home}/.cache`);
  const directory = cacheDirectory ?? (base && `${base}/wasmbox/packages`);
  if (!directory) {
    throw new Refusal("bad_index", "there is no place for downloads (packages.cache_directory)");
  }
  return directory;
}

const PROCESS: Surroundings = {
  env: (name) => Deno.env.get(name),
  read(path) {
    try {
      return Deno.readTextFileSync(path);
    } catch {
      return undefined;
    }
  },
};
