/**
 * The store that is a directory.
 *
 *     sessions/PRINCIPAL/SESSION/    lock, head, running, *.segment, *.chunk: one session
 *     chunks/PRINCIPAL/              chunks that other sessions may have too, which are links to the same
 *     generations/PRINCIPAL/SESSION  the newest generation: who puts an older session back is found out
 *     aside/                         what was refused
 *
 * PRINCIPAL is a digest: principals may be called anything. A session belongs to the server that holds its lock, which the
 * system gives free when that server ends, however it does.
 */

import type { Keys } from "./keys.ts";
import {
  asideName,
  hasCode,
  lockOrClose,
  partOf,
  principalDirectory,
  readIfThere,
  sessionDirectory,
  syncDirectory,
  unavailable,
  writeAll,
} from "./directory_files.ts";
import { DirectoryPlace } from "./directory_place.ts";
import { DirectoryPool } from "./directory_pool.ts";
import { DirectoryUsage } from "./directory_usage.ts";
import { decodeHead } from "./head.ts";
import {
  type CheckpointStore,
  type Head,
  ImageRefused,
  type SessionKey,
  type SessionPlace,
  SessionTaken,
  storedBytesOf,
  type StoredView,
} from "./store.ts";
import { decodeUnderWay } from "./under_way.ts";

/** Attempts to lock a session that another server forgets at that moment. */
const LOCK_ATTEMPTS = 5;
/** What is said to be stored on one page of a list. */
const LIST_MAX = 1000;

export interface DirectoryStoreOptions {
  readonly path: string;
  /** Most that all sessions together may take; those unused the longest go first. */
  readonly maxBytes: number;
  /** Most that a segment may hold. */
  readonly segmentMaxBytes: number;
  /** Whether what was acknowledged survives a loss of power too, not only one of the server. */
  readonly fsync: boolean;
  readonly keys: Keys;
  /** Told of sessions that were given up for want of room. */
  readonly evicted?: (key: SessionKey) => void;
}

export class DirectoryStore implements CheckpointStore {
  readonly durable = true;
  readonly usage: DirectoryUsage;

  private constructor(readonly options: DirectoryStoreOptions) {
    this.usage = new DirectoryUsage(this);
  }

  /** @throws {StoreUnavailable} if it can't be written. */
  static async open(options: DirectoryStoreOptions): Promise<DirectoryStore> {
    try {
      for (const name of ["sessions", "generations", "aside"]) {
        await Deno.mkdir(`${options.path}/${name}`, { recursive: true, mode: 0o700 });
      }
      const probe = `${options.path}/sessions/.probe-${crypto.randomUUID()}`;
      await Deno.writeFile(probe, new Uint8Array(1), { mode: 0o600 });
      await Deno.remove(probe);
    } catch (error) {
      throw unavailable(error);
    }
    return new DirectoryStore(options);
  }

  directoryOf({ principal, sessionId }: SessionKey): string {
    return `${this.options.path}/sessions/${principalDirectory(principal)}/${sessionDirectory(sessionId)}`;
  }

  /** Chunks of the principal whose session has that directory. */
  poolOf(directory: string): DirectoryPool {
    return new DirectoryPool(`${this.options.path}/chunks/${directory.split("/").at(-2)}`);
  }

  /** Of the session whose directory that is. */
  generationFile(directory: string): string {
    return `${this.options.path}/generations/${directory.split("/").slice(-2).join("/")}`;
  }

  async claim(key: SessionKey): Promise<SessionPlace> {
    const directory = this.directoryOf(key);
    const lock = await this.#lock(directory);
    try {
      const found = await this.#read(key, directory);
      const interrupted = found ? await readRunning(directory, found.facts.lastExecutionId) : [];
      const place = new DirectoryPlace(this, key, { directory, lock, found, interrupted });
      await place.tidy().catch((error: unknown) => {
        this.usage.closed(directory);
        throw error;
      });
      return place;
    } catch (error) {
      if (error instanceof ImageRefused) await this.setAside(directory);
      lock.close();
      throw error instanceof ImageRefused ? error : unavailable(error);
    }
  }

  async has(key: SessionKey): Promise<boolean> {
    try {
      return (await Deno.stat(`${this.directoryOf(key)}/head`)).isFile;
    } catch (error) {
      if (hasCode(error, "ENOENT", "ENOTDIR")) return false;
      throw unavailable(error);
    }
  }

  async list(principal: string): Promise<readonly StoredView[]> {
    const views: StoredView[] = [];
    const parent = `${this.options.path}/sessions/${principalDirectory(principal)}`;
    try {
      for await (const { name } of Deno.readDir(parent)) {
        // One that can't be read, as what another user has left there, does not hide the others: its own calls say so.
        const bytes = await readIfThere(`${parent}/${name}/head`).catch(() => undefined);
        const head = bytes && tryDecode(bytes, this.options.keys);
        if (head?.key.principal !== principal || sessionDirectory(head.key.sessionId) !== name) continue;
        const { sessionId } = head.key;
        const ran = await readRunning(`${parent}/${name}`).catch(() => undefined);
        views.push({ sessionId, facts: head.facts, storedBytes: storedBytesOf(head), ran });
        if (views.length === LIST_MAX) break;
      }
    } catch (error) {
      if (!hasCode(error, "ENOENT")) throw unavailable(error);
    }
    return views.sort((a, b) => b.facts.lastUsedAt - a.facts.lastUsedAt);
  }

  /** Keeps a session's directory where people find it. @returns Its path, relative to the store's. */
  async setAside(directory: string): Promise<string | undefined> {
    const name = asideName(directory);
    try {
      await Deno.rename(directory, `${this.options.path}/${name}`);
      this.usage.forget(directory);
      await this.#forgetGeneration(directory);
      return name;
    } catch {
      return undefined;
    }
  }

  /** Gives up a session that nobody has open, for want of room. @returns False if somebody has. */
  async evict(directory: string): Promise<boolean> {
    let lock: Deno.FsFile;
    try {
      lock = await this.#lock(directory);
    } catch {
      return false;
    }
    try {
      const head = await readIfThere(`${directory}/head`);
      const key = head && tryDecode(head, this.options.keys)?.key;
      await this.forget(directory);
      if (key) this.options.evicted?.(key);
      return true;
    } catch {
      return false;
    } finally {
      lock.close();
    }
  }

  /**
   * Removes a session's directory. Its head goes first: what is left after a crash is no session any more. The lock goes
   * last: from then on another session may begin under its name.
   */
  async forget(directory: string): Promise<void> {
    await Deno.remove(`${directory}/head`).catch((error: unknown) => {
      if (!hasCode(error, "ENOENT")) throw error;
    });
    await this.#forgetGeneration(directory);
    const parts: string[] = [];
    for await (const { name } of Deno.readDir(directory)) parts.push(partOf(name) ?? "");
    await Deno.remove(directory, { recursive: true });
    await this.poolOf(directory).tidy(parts);
  }

  /** Writes a file as a whole or not at all. @throws {StoreUnavailable} */
  async replace(path: string, bytes: Uint8Array, fsync: boolean): Promise<void> {
    try {
      await writeAll(`${path}.new`, bytes, fsync);
      await Deno.rename(`${path}.new`, path);
      if (fsync) await syncDirectory(path.slice(0, path.lastIndexOf("/")));
    } catch (error) {
      await Deno.remove(`${path}.new`).catch(() => {});
      throw unavailable(error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  /** @throws {SessionTaken} @throws {StoreUnavailable} */
  async #lock(directory: string): Promise<Deno.FsFile> {
    const path = `${directory}/lock`;
    for (let attempt = 0; attempt < LOCK_ATTEMPTS; attempt++) {
      let file: Deno.FsFile;
      try {
        await Deno.mkdir(directory, { recursive: true, mode: 0o700 });
        file = await Deno.open(path, { write: true, create: true, mode: 0o600 });
      } catch (error) {
        if (hasCode(error, "ENOENT")) continue; // it was forgotten between the two
        throw unavailable(error);
      }
      if (!await lockOrClose(file, path)) throw new SessionTaken("another server has the session");
      // Whoever forgets a session removes the lock that it holds: then this one is of nothing.
      const [held, there] = [await file.stat(), await Deno.stat(path).catch(() => undefined)];
      if (there && held.ino === there.ino && held.dev === there.dev) return file;
      file.close();
    }
    throw new SessionTaken("another server is about to forget the session");
  }

  /** @throws {ImageRefused} */
  async #read(key: SessionKey, directory: string): Promise<Head | undefined> {
    const bytes = await readIfThere(`${directory}/head`);
    if (!bytes) {
      // Left by one of that name that is gone: the one that begins would be taken for an older copy of it.
      await this.#forgetGeneration(directory);
      return undefined;
    }
    const head = decodeHead(bytes, this.options.keys, key);
    const newest = await readIfThere(this.generationFile(directory));
    const generation = newest ? Number(new TextDecoder().decode(newest)) : 0;
    if (head.generation < generation) {
      throw new ImageRefused("it is older than what was stored last: somebody put it back");
    }
    return head;
  }

  async #forgetGeneration(directory: string): Promise<void> {
    await Deno.remove(this.generationFile(directory)).catch(() => {}); // whoever begins under its name tries again
  }
}

/** What ran and waited when that was last written. @param ended The execution whose end is stored. */
async function readRunning(directory: string, ended?: string): Promise<string[]> {
  const running = await readIfThere(`${directory}/running`);
  return decodeUnderWay(new TextDecoder().decode(running), ended);
}

function tryDecode(head: Uint8Array, keys: Keys): Head | undefined {
  try {
    return decodeHead(head, keys);
  } catch {
    return undefined;
  }
}
