/** An npm registry as the broker sees it: packages and their tarballs, from the cache or the network. */

import * as z from "zod";
import { toBase64 } from "../../base64.ts";
import { type DiskCache, sha256Hex } from "./cache.ts";
import type { Downloader } from "./downloads.ts";
import { maxAge, refusedStatus } from "./index.ts";
import { type NpmListing, npmListing, parsePackument } from "./packument.ts";
import { Refusal } from "./refusal.ts";
import { checkName, type PackageRules } from "./rules.ts";

/** The abbreviated form, which contains all that is needed for installing. */
const ACCEPT = "application/vnd.npm.install-v1+json, application/json;q=0.5";
const PACKUMENT_MAX_BYTES = 64 * 1024 * 1024;
/** How many tarballs are remembered: those of the most recently requested packages. */
const MAX_KNOWN_FILES = 200_000;
/** Changes with the format of cached packuments. */
const FORMAT = 2;
const ALGORITHMS = { sha256: "SHA-256", sha384: "SHA-384", sha512: "SHA-512" } as const;

const kept = z.object({
  fetchedAt: z.number(),
  maxAgeMs: z.number(),
  etag: z.string().nullable(),
  listing: npmListing,
});
type Kept = z.infer<typeof kept>;

/** The versions of a package that the operator's lists permit. */
export interface PermittedPackage extends NpmListing {
  /** The number of versions that the lists forbid. */
  readonly denied: number;
}

export interface RegistryOptions {
  readonly rules: PackageRules;
  readonly fileMaxBytes: number;
  /** The host of npm's default registry: mirrors often still name it for tarballs that they serve themselves. */
  readonly canonicalHost?: string;
}

export class NpmRegistry {
  readonly #known = new Map<string, string>();
  /** Requests under way: what several sessions ask for at the same time is fetched once. */
  readonly #underWay = new Map<string, Promise<unknown>>();
  /** The tarball that was returned last: large ones are requested in pieces. */
  #last: { readonly integrity: string; readonly bytes: Uint8Array } | undefined;

  /** @param url With a slash at its end, and without credentials. */
  constructor(
    readonly url: URL,
    readonly downloader: Downloader,
    readonly cache: DiskCache,
    readonly options: RegistryOptions,
  ) {}

  /**
   * The versions of a package that the operator permits.
   *
   * @throws {Refusal} denied, not_found, offline, too_large, bad_index.
   */
  async package(name: string): Promise<PermittedPackage> {
    const { rules } = this.options;
    checkName(rules, name);
    const listing = await this.#once(`package ${name}`, () => this.#package(name));
    const all = Object.entries(listing.versions);
    const permitted = all.filter(([version]) => rules.permits(name, version));
    for (const [, { integrity, url }] of permitted) {
      this.#known.delete(integrity);
      this.#known.set(integrity, url);
    }
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MAX_KNOWN_FILES) break;
      this.#known.delete(oldest);
    }
    return { ...listing, versions: Object.fromEntries(permitted), denied: all.length - permitted.length };
  }

  /**
   * A permitted tarball of a package that was requested. Others are never remembered, so that knowing the hash of a
   * forbidden one from elsewhere is of no use.
   *
   * @param integrity As stated by the package.
   * @throws {Refusal} not_found, offline, hash_mismatch, too_large, bad_index.
   */
  async file(integrity: string): Promise<Uint8Array> {
    if (this.#last?.integrity === integrity) return this.#last.bytes;
    const url = this.#known.get(integrity);
    if (url === undefined) {
      throw new Refusal(
        "not_found",
        "this file is not permitted, or of no package that was requested",
      );
    }
    const bytes = await this.#once(`file ${integrity}`, () => this.#file(integrity, url));
    this.#last = { integrity, bytes };
    return bytes;
  }

  async #package(name: string): Promise<NpmListing> {
    const key = await keyOf(`npm package ${FORMAT} ${this.url.href} ${name}`);
    const bytes = await this.cache.get(key);
    const known = bytes && kept.safeParse(JSON.parse(new TextDecoder().decode(bytes))).data;
    const age = Date.now() - (known?.fetchedAt ?? 0);
    if (known && age >= 0 && age < known.maxAgeMs) return known.listing;
    try {
      const fresh = await this.#fetch(name, known);
      await this.cache.put(key, new TextEncoder().encode(JSON.stringify(fresh)));
      return fresh.listing;
    } catch (error) {
      if (!(error instanceof Refusal) || error.reason !== "offline" || !known) throw error;
      return known.listing;
    }
  }

  async #fetch(name: string, known: Kept | undefined): Promise<Kept> {
    const headers = { accept: ACCEPT, ...(known?.etag && { "if-none-match": known.etag }) };
    const url = `${this.url.href}${name.replace("/", "%2f")}`;
    const answer = await this.downloader.get(url, { maxBytes: PACKUMENT_MAX_BYTES, headers });
    const fetched = { fetchedAt: Date.now(), maxAgeMs: maxAge(answer.headers) };
    if (answer.status === 304 && known) return { ...known, ...fetched };
    if (answer.status === 404 || answer.status === 410) {
      throw new Refusal("not_found", `the npm registry has no package "${name}"`);
    }
    if (answer.status !== 200) throw refusedStatus(answer.status, `"${name}"`);
    const listing = parsePackument(new TextDecoder().decode(answer.body), answer.url);
    return { ...fetched, etag: answer.headers.get("etag"), listing: this.#withOwnPlaces(listing) };
  }

  #withOwnPlaces(listing: NpmListing): NpmListing {
    const { canonicalHost } = this.options;
    if (canonicalHost === undefined || canonicalHost === this.url.host) return listing;
    for (const version of Object.values(listing.versions)) {
      const place = new URL(version.url);
      if (place.host !== canonicalHost) continue;
      version.url = `${this.url.href}${place.pathname.slice(1)}`;
    }
    return listing;
  }

  async #file(integrity: string, url: string): Promise<Uint8Array> {
    const key = await keyOf(`npm file ${integrity}`);
    const known = await this.cache.get(key);
    if (known && await matches(known, integrity)) return known;
    const { status, body } = await this.downloader.get(url, { maxBytes: this.options.fileMaxBytes });
    if (status !== 200) throw refusedStatus(status, "a file");
    if (!await matches(body, integrity)) {
      const name = new URL(url).pathname.split("/").at(-1);
      throw new Refusal(
        "hash_mismatch",
        `${name} is not the file that the registry describes: its hash differs`,
      );
    }
    await this.cache.put(key, body);
    return body;
  }

  #once<T>(what: string, work: () => Promise<T>): Promise<T> {
    const running = this.#underWay.get(what) as Promise<T> | undefined;
    if (running) return running;
    const fresh = work().finally(() => this.#underWay.delete(what));
    this.#underWay.set(what, fresh);
    return fresh;
  }
}

async function matches(bytes: Uint8Array<ArrayBuffer>, integrity: string): Promise<boolean> {
  const [algorithm = "", expected] = integrity.split("-", 2);
  const digest = await crypto.subtle.digest(ALGORITHMS[algorithm as keyof typeof ALGORITHMS], bytes);
  return toBase64(new Uint8Array(digest)) === expected;
}

function keyOf(identity: string): Promise<string> {
  return sha256Hex(new TextEncoder().encode(identity));
}
