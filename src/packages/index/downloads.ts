/** Requests to an index: only to its own hosts, checked at each redirect, and bounded while data arrives. */

import { concatBytes } from "../../bytes.ts";
import { VERSION } from "../../version.ts";
import { Refusal } from "./refusal.ts";

const MAX_REDIRECTS = 5;
/** Simultaneous downloads, for all sessions together. */
const MAX_CONCURRENT = 8;

export interface DownloadOptions {
  readonly maxBytes: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Download {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer>;
  /** Where it was found, after redirects. */
  readonly url: string;
}

export interface DownloaderOptions {
  /** The only place that receives the credentials. */
  readonly index: URL;
  /** The value of an Authorization header. */
  readonly authorization: string | undefined;
  /** Other hosts, with a port if it is not the default one. */
  readonly fileHosts: readonly string[];
  readonly timeoutMs: number;
  /** Certificates in PEM format, trusted besides the platform's. */
  readonly certificates: readonly string[];
}

export class Downloader {
  readonly #options: DownloaderOptions;
  readonly #client: Deno.HttpClient | undefined;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(options: DownloaderOptions) {
    this.#options = options;
    if (options.certificates.length > 0) {
      this.#client = Deno.createHttpClient({ caCerts: [...options.certificates] });
    }
  }

  /** Whether a file may be fetched from there. */
  reaches(url: string): boolean {
    return URL.canParse(url) && this.#permitted(new URL(url));
  }

  /** @throws {Refusal} offline, too_large, bad_index. */
  async get(url: string, options: DownloadOptions): Promise<Download> {
    if (this.#running >= MAX_CONCURRENT) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running++;
    try {
      return await this.#follow(new URL(url), options);
    } finally {
      this.#running--;
      this.#waiting.shift()?.();
    }
  }

  async #follow(start: URL, options: DownloadOptions): Promise<Download> {
    const signal = AbortSignal.timeout(this.#options.timeoutMs);
    let url = start;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      if (!this.#permitted(url)) {
        const place = url.host || `a URL of ${url.protocol}`;
        const message =
          `the index refers to ${place}, which is neither its own host nor in packages.file_hosts`;
        throw new Refusal("bad_index", message);
      }
      const response = await this.#fetch(url, options, signal);
      const location = response.headers.get("location");
      if (![301, 302, 303, 307, 308].includes(response.status) || location === null) {
        const body = await bodyOf(response, options.maxBytes, signal);
        return { status: response.status, headers: response.headers, body, url: url.href };
      }
      await response.body?.cancel();
      if (!URL.canParse(location, url)) {
        throw new Refusal("bad_index", "the index redirects to an invalid URL");
      }
      url = new URL(location, url);
    }
    throw new Refusal("bad_index", `the index redirects more than ${MAX_REDIRECTS} times`);
  }

  async #fetch(url: URL, { headers }: DownloadOptions, signal: AbortSignal): Promise<Response> {
    const { authorization, index } = this.#options;
    try {
      return await fetch(url, {
        redirect: "manual",
        signal,
        headers: {
          "user-agent": `wasmbox/${VERSION}`,
          ...headers,
          ...(authorization !== undefined && url.origin === index.origin && { authorization }),
        },
        ...(this.#client && { client: this.#client }),
      });
    } catch {
      throw unreachable(url);
    }
  }

  #permitted(url: URL): boolean {
    const { index, fileHosts } = this.#options;
    if (url.username !== "" || url.password !== "") return false;
    if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url.hostname))) return false;
    return url.origin === index.origin || fileHosts.includes(url.host);
  }
}

/** Only there is plain http permitted: for tests, and for mirrors on this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

async function bodyOf(
  response: Response,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const piece of response.body ?? []) {
      bytes += piece.length;
      if (bytes > maxBytes) {
        throw new Refusal("too_large", `the index sent more than ${maxBytes} bytes in one response`);
      }
      pieces.push(piece);
    }
  } catch (error) {
    if (error instanceof Refusal) throw error;
    if (signal.aborted) throw new Refusal("offline", "the index did not send everything in time");
    throw new Refusal("offline", "the connection to the index broke");
  }
  return concatBytes(pieces);
}

function unreachable({ host }: URL): Refusal {
  return new Refusal("offline", `${host} can't be reached`);
}
