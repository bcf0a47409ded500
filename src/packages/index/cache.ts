/**
 * Downloads on disk, shared by all sessions and all servers of a user.
 *
 * An entry is a file that begins with the SHA-256 of the rest, so that a truncated or damaged file is recognised. It gets its
 * name only once it is complete, so that nobody sees half of one. Another server may remove any entry at any time.
 */

import { concatBytes } from "../../bytes.ts";
import { logger } from "../../telemetry/log.ts";

const log = logger("packages");

const DIGEST_BYTES = 32;
/** Entries are removed until this share of the bound is free; else each new entry would have to search all others. */
const ROOM = 0.1;
/** Files that a server never finished writing are removed at this age. */
const ABANDONED_MS = 60 * 60 * 1000;
const UNFINISHED = ".new";

interface Entry {
  readonly path: string;
  readonly bytes: number;
  readonly usedAt: number;
}

export class DiskCache {
  readonly #directory: string;
  /** The size of all entries, as far as this server knows. */
  #bytes: number | undefined;
  #trimming: Promise<void> | undefined;

  constructor(directory: string, readonly maxBytes: number) {
    this.#directory = directory;
  }

  /**
   * @param key Lower-case hex SHA-256 of whatever identifies the entry.
   * @returns undefined if there is no such entry, or it is damaged.
   */
  async get(key: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const path = this.#path(key);
    let stored: Uint8Array<ArrayBuffer>;
    try {
      stored = await Deno.readFile(path);
    } catch {
      return undefined;
    }
    const bytes = stored.subarray(DIGEST_BYTES);
    const digest = await sha256(bytes);
    if (stored.length < DIGEST_BYTES || digest.some((byte, index) => byte !== stored[index])) {
      log.warn("a damaged cache entry was removed: {path}", { path });
      await remove(path);
      return undefined;
    }
    await Deno.utime(path, new Date(), new Date()).catch(() => {}); // another server removed it
    return bytes;
  }

  /** Stores an entry if possible; otherwise it will be downloaded again. */
  async put(key: string, bytes: Uint8Array): Promise<void> {
    const size = DIGEST_BYTES + bytes.length;
    if (size > this.maxBytes) return;
    const path = this.#path(key);
    const fresh = `${path}.${crypto.randomUUID()}${UNFINISHED}`;
    try {
      await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true, mode: 0o700 });
      await Deno.writeFile(fresh, concatBytes([await sha256(bytes), bytes]), { mode: 0o600 });
      await Deno.rename(fresh, path);
    } catch (error) {
      log.warn("a download could not be stored in {directory}", { directory: this.#directory, error });
      await remove(fresh);
      return;
    }
    if (this.#bytes !== undefined) this.#bytes += size;
    if (this.#bytes === undefined || this.#bytes > this.maxBytes) {
      this.#trimming ??= this.#trim().finally(() => this.#trimming = undefined);
      await this.#trimming;
    }
  }

  /** Removes the least recently used entries. */
  async #trim(): Promise<void> {
    const entries = await this.#entries();
    let bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
    if (bytes > this.maxBytes) {
      entries.sort((a, b) => a.usedAt - b.usedAt);
      for (const entry of entries) {
        if (bytes <= this.maxBytes * (1 - ROOM)) break;
        await remove(entry.path);
        bytes -= entry.bytes;
      }
    }
    this.#bytes = bytes;
  }

  async #entries(): Promise<Entry[]> {
    const entries: Entry[] = [];
    for (const folder of await names(this.#directory)) {
      for (const name of await names(`${this.#directory}/${folder}`)) {
        const path = `${this.#directory}/${folder}/${name}`;
        const info = await Deno.stat(path).catch(() => undefined);
        if (!info?.isFile) continue;
        const usedAt = info.mtime?.getTime() ?? 0;
        if (name.endsWith(UNFINISHED) && Date.now() - usedAt > ABANDONED_MS) await remove(path);
        else entries.push({ path, bytes: info.size, usedAt });
      }
    }
    return entries;
  }

  #path(key: string): string {
    return `${this.#directory}/${key.slice(0, 2)}/${key}`;
  }
}

export async function sha256(bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>));
}

export async function sha256Hex(bytes: Uint8Array): Promise<string> {
  return [...await sha256(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function names(directory: string): Promise<string[]> {
  const found: string[] = [];
  try {
    for await (const { name } of Deno.readDir(directory)) found.push(name);
  } catch {
    // It does not exist yet, or is not a directory.
  }
  return found;
}

async function remove(path: string): Promise<void> {
  await Deno.remove(path).catch(() => {}); // another server was faster
}
