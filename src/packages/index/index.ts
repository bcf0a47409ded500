/** A package index as the broker sees it: pages of projects, and their files, from the cache or the network. */

import * as z from "zod";
import { type DiskCache, sha256Hex } from "./cache.ts";
import type { Downloader } from "./downloads.ts";
import { type ListedFile, type Listing, listing, parsePage } from "./listing.ts";
import { Refusal } from "./refusal.ts";
import { checkName, type PackageRules } from "./rules.ts";

const ACCEPT = [
  "application/vnd.pypi.simple.v1+json",
  "application/vnd.pypi.simple.v1+html;q=0.2",
  "text/html;q=0.1",
].join(", ");
const PAGE_MAX_BYTES = 32 * 1024 * 1024;
/** How long a page is valid if it does not say so itself, and at most. */
const USUAL_AGE_MS = 600_000;
const MAX_AGE_MS = 3_600_000;
/** How many files are remembered: those of the most recently requested pages. */
const MAX_KNOWN_FILES = 200_000;
/** Changes with the format of cached pages. */
const PAGE_FORMAT = 2;

const keptPage = z.object({
  fetchedAt: z.number(),
  maxAgeMs: z.number(),
  etag: z.string().nullable(),
  listing,
});
type KeptPage = z.infer<typeof keptPage>;

/** Where a file is, and which hash it must have. */
interface KnownFile {
  readonly url: string;
  readonly sha256: string;
  readonly maxBytes: number;
}

/** The part of a project's page that the operator's lists permit. */
export interface PermittedListing {
  readonly files: readonly ListedFile[];
  readonly leftOut: Listing["leftOut"] & {
    /** The number of files that the lists forbid. */ readonly denied: number;
  };
  readonly unusable: Listing["unusable"];
}

export interface IndexOptions {
  readonly fileMaxBytes: number;
  readonly rules: PackageRules;
}

export class PackageIndex {
  readonly #known = new Map<string, KnownFile>();
  /** Requests under way: what several sessions ask for at the same time is fetched once. */
  readonly #underWay = new Map<string, Promise<unknown>>();
  /** The file that was returned last: large ones are requested in pieces. */
  #last: { readonly sha256: string; readonly bytes: Uint8Array } | undefined;

  /** @param url With a slash at its end, and without credentials. */
  constructor(
    readonly url: string,
    readonly downloader: Downloader,
    readonly cache: DiskCache,
    readonly options: IndexOptions,
  ) {}

  /**
   * The files of a project that the operator permits.
   *
   * @param name Normalized.
   * @throws {Refusal} denied, not_found, offline, too_large, bad_index.
   */
  async project(name: string): Promise<PermittedListing> {
    const { rules } = this.options;
    checkName(rules, name);
    const page = await this.#once(`page ${name}`, () => this.#page(name));
    const files = page.files.filter(({ version }) => rules.permits(name, version));
    for (const file of files) this.#remember(file);
    return {
      files,
      leftOut: { ...page.leftOut, denied: page.files.length - files.length },
      unusable: page.unusable,
    };
  }

  /**
   * A permitted file that is listed on a project's page. Others are never remembered, so that knowing the hash of a
   * forbidden file from elsewhere is of no use.
   *
   * @param sha256 The hash of the file.
   * @throws {Refusal} not_found, offline, hash_mismatch, too_large, bad_index.
   */
  async file(sha256: string): Promise<Uint8Array> {
    if (this.#last?.sha256 === sha256) return this.#last.bytes;
    const known = this.#known.get(sha256);
    if (!known) {
      throw new Refusal(
        "not_found",
        "this file is not permitted, or on no page of the index that was requested",
      );
    }
    const bytes = await this.#once(`file ${sha256}`, () => this.#file(known));
    this.#last = { sha256, bytes };
    return bytes;
  }

  async #page(name: string): Promise<Listing> {
    const key = await sha256Hex(new TextEncoder().encode(`page ${PAGE_FORMAT} ${this.url} ${name}`));
    const kept = await this.#keptPage(key);
    const age = Date.now() - (kept?.fetchedAt ?? 0);
    if (kept && age >= 0 && age < kept.maxAgeMs) return kept.listing;
    try {
      const page = await this.#fetchPage(name, kept);
      await this.cache.put(key, new TextEncoder().encode(JSON.stringify(page)));
      return page.listing;
    } catch (error) {
      if (!(error instanceof Refusal) || error.reason !== "offline" || !kept) throw error;
      return kept.listing;
    }
  }

  async #keptPage(key: string): Promise<KeptPage | undefined> {
    const bytes = await this.cache.get(key);
    return bytes && keptPage.safeParse(JSON.parse(new TextDecoder().decode(bytes))).data;
  }

  async #fetchPage(name: string, kept: KeptPage | undefined): Promise<KeptPage> {
    const headers = { accept: ACCEPT, ...(kept?.etag && { "if-none-match": kept.etag }) };
    const answer = await this.downloader.get(`${this.url}${name}/`, { maxBytes: PAGE_MAX_BYTES, headers });
    const fetched = { fetchedAt: Date.now(), maxAgeMs: maxAge(answer.headers) };
    if (answer.status === 304 && kept) return { ...kept, ...fetched };
    if (answer.status === 404 || answer.status === 410) {
      throw new Refusal("not_found", `the index has no project "${name}"`);
    }
    if (answer.status !== 200) throw refusedStatus(answer.status, `the page of "${name}"`);
    const type = answer.headers.get("content-type") ?? "";
    const body = new TextDecoder().decode(answer.body);
    const etag = answer.headers.get("etag");
    return { ...fetched, etag, listing: parsePage(body, type, answer.url, name) };
  }

  async #file({ url, sha256, maxBytes }: KnownFile): Promise<Uint8Array> {
    const kept = await this.cache.get(sha256);
    if (kept && await sha256Hex(kept) === sha256) return kept;
    const { status, body } = await this.downloader.get(url, { maxBytes });
    if (status !== 200) throw refusedStatus(status, "a file");
    if (await sha256Hex(body) !== sha256) {
      const name = new URL(url).pathname.split("/").at(-1);
      throw new Refusal(
        "hash_mismatch",
        `${name} is not the file that the index describes: its SHA-256 differs`,
      );
    }
    await this.cache.put(sha256, body);
    return body;
  }

  #remember({ url, sha256, metadata }: ListedFile): void {
    const files = [
      { url, sha256, maxBytes: this.options.fileMaxBytes },
      ...(metadata === undefined
        ? []
        : [{ url: `${url}.metadata`, sha256: metadata, maxBytes: PAGE_MAX_BYTES }]),
    ];
    for (const file of files) {
      this.#known.delete(file.sha256);
      this.#known.set(file.sha256, file);
    }
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MAX_KNOWN_FILES) break;
      this.#known.delete(oldest);
    }
  }

  #once<T>(what: string, work: () => Promise<T>): Promise<T> {
    const running = this.#underWay.get(what) as Promise<T> | undefined;
    if (running) return running;
    const fresh = work().finally(() => this.#underWay.delete(what));
    this.#underWay.set(what, fresh);
    return fresh;
  }
}

/** The refusal for an unexpected status. @param what What was requested. */
export function refusedStatus(status: number, what: string): Refusal {
  if (status === 401 || status === 403) {
    return new Refusal("bad_index", `the index refused ${what}: it wants other credentials (HTTP ${status})`);
  }
  const reason = status >= 500 || status === 429 ? "offline" : "bad_index";
  return new Refusal(reason, `the index answered with HTTP ${status} for ${what}`);
}

/** How long a response is valid, in milliseconds. */
export function maxAge(headers: Headers): number {
  const control = headers.get("cache-control") ?? "";
  if (/\bno-(cache|store)\b/.test(control)) return 0;
  const seconds = /\bmax-age=(\d{1,9})\b/.exec(control)?.[1];
  return seconds === undefined ? USUAL_AGE_MS : Math.min(Number(seconds) * 1000, MAX_AGE_MS);
}
