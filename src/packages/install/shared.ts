/** What the brokers of both languages share: the accounts of sessions, the cache, and how an index is configured. */

import type { PackagesSettings } from "../../config/packages_schema.ts";
import { DiskCache } from "../index/cache.ts";
import { isLoopback } from "../index/downloads.ts";
import type { Surroundings } from "../index/pip_config.ts";
import { Refusal } from "../index/refusal.ts";
import { isAbsolute } from "../../config/paths.ts";
import { Uses } from "./use.ts";

export class Shared {
  readonly uses: Uses;
  #cache: DiskCache | undefined;

  constructor(readonly settings: PackagesSettings, readonly surroundings: Surroundings = PROCESS) {
    this.uses = new Uses(settings.sessionBytes);
  }

  /** @throws {Refusal} if there is no directory for it. */
  get cache(): DiskCache {
    return this.#cache ??= new DiskCache(
      cacheDirectory(this.settings, this.surroundings),
      this.settings.cacheBytes,
    );
  }

  /** @throws {Refusal} disabled */
  checkEnabled(): void {
    if (this.settings.enabled) return;
    throw new Refusal("disabled", "packages are switched off on this server (packages.enabled)");
  }

  /** @param configured The file named for the language's own tool; else the usual variables are read. */
  certificates(configured: string | undefined): string[] {
    const { env, read } = this.surroundings;
    const path = configured ?? env("REQUESTS_CA_BUNDLE") ?? env("SSL_CERT_FILE");
    const text = path && read(path);
    return text ? [text] : [];
  }
}

export interface IndexAddress {
  /** Ends with a slash, and has no credentials. */
  readonly url: URL;
  /** The value of an Authorization header. */
  readonly authorization: string | undefined;
}

/**
 * @param what What to call it in messages.
 * @param key The setting that says where it is.
 * @throws {Refusal} bad_index
 */
export function indexAddress(configured: string | undefined, what: string, key: string): IndexAddress {
  if (configured === undefined || !URL.canParse(configured)) {
    throw new Refusal("bad_index", `no valid ${what} is configured (${key})`);
  }
  const url = new URL(configured.endsWith("/") ? configured : `${configured}/`);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url.hostname))) {
    throw new Refusal("bad_index", `the ${what} must be an https URL (${key})`);
  }
  const authorization = basic(url);
  url.username =
    url.password =
    url.search =
    url.hash =
      "";
  return { url, authorization };
}

function basic({ username, password }: URL): string | undefined {
  if (username === "" && password === "") return undefined;
  const text = new TextEncoder().encode(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  return `Basic ${btoa(String.fromCharCode(...text))}`;
}

/** @throws {Refusal} if there is no directory for it. */
function cacheDirectory({ cacheDirectory }: PackagesSettings, { env }: Surroundings): string {
  const home = env("HOME");
  // A relative path would lead into the working directory.
  const base = [env("XDG_CACHE_HOME"), home && `${home}/.cache`].find((path) => path && isAbsolute(path));
  const directory = cacheDirectory ?? (base && `${base}/wasmbox/packages`);
  if (!directory) {
    throw new Refusal("bad_index", "there is no directory for downloads (set packages.cache_directory)");
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
