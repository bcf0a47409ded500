/** One session's directory, as long as this server has it. */

import { asideName, hasCode, readIfThere, syncDirectory, writeAll } from "./directory_files.ts";
import { type DirectoryStore, unavailable } from "./directory_store.ts";
import { encodeHead } from "./head.ts";
import { sizeOfEntries } from "./image_entries.ts";
import { decodeSegment, encodeSegment } from "./segment_file.ts";
import {
  type Head,
  ImageRefused,
  recordsOf,
  type Segment,
  type SegmentRecord,
  type SessionKey,
  type SessionPlace,
  StoreUnavailable,
} from "./store.ts";
import type { ImageEntry } from "../executor/wire/entry.ts";

interface Claimed {
  readonly directory: string;
  /** Open and locked. */
  readonly lock: Deno.FsFile;
  readonly found: Head | undefined;
  readonly interrupted: string | undefined;
}

export class DirectoryPlace implements SessionPlace {
  readonly found: Head | undefined;
  readonly interrupted: string | undefined;
  readonly directory: string;
  readonly #lock: Deno.FsFile;

  constructor(
    readonly store: DirectoryStore,
    readonly key: SessionKey,
    { directory, lock, found, interrupted }: Claimed,
  ) {
    this.directory = directory;
    this.#lock = lock;
    this.found = found;
    this.interrupted = interrupted;
    const records = found ? recordsOf(found) : [];
    store.usage.opened(directory, records.reduce((sum, { storedBytes }) => sum + storedBytes, 0));
  }

  /** Removes what no head names: a server ended between a segment and its head. */
  async tidy(): Promise<void> {
    const known = new Set((this.found ? recordsOf(this.found) : []).map(({ id }) => fileOf(id)));
    for await (const { name } of Deno.readDir(this.directory)) {
      const stale = name.endsWith(".segment") ? !known.has(name) : name.endsWith(".new");
      if (stale) await Deno.remove(`${this.directory}/${name}`);
    }
  }

  async put({ entries, ...rest }: Segment): Promise<SegmentRecord> {
    const { bytes, sha256 } = await encodeSegment(entries);
    await this.store.usage.take(this.directory, bytes.length);
    const id = `${rest.generation}-${crypto.randomUUID()}`;
    const path = `${this.directory}/${fileOf(id)}`;
    try {
      await writeAll(path, bytes, this.store.options.fsync);
    } catch (error) {
      await Deno.remove(path).catch(() => {});
      this.store.usage.add(this.directory, -bytes.length);
      throw unavailable(error);
    }
    return { ...rest, id, bytes: sizeOfEntries(entries), storedBytes: bytes.length, sha256 };
  }

  async get({ id, sha256 }: SegmentRecord): Promise<readonly ImageEntry[]> {
    const bytes = await readIfThere(`${this.directory}/${fileOf(id)}`).catch((error: unknown) => {
      throw unavailable(error);
    });
    if (!bytes) {
      // With the lock that this server holds the whole directory is gone, such as one that was unmounted.
      if (await Deno.stat(`${this.directory}/lock`).catch(() => undefined)) {
        throw new ImageRefused("a part of its image is missing");
      }
      throw new StoreUnavailable("the store's directory is not there");
    }
    return await decodeSegment(bytes, sha256, this.store.options.segmentMaxBytes);
  }

  async commit(head: Head): Promise<void> {
    const { fsync, keys } = this.store.options;
    await this.store.replace(`${this.directory}/head`, encodeHead(head, keys), fsync);
    this.store.usage.used(this.directory, { named: head.checkpoints.length > 0 });
    if (!fsync) return; // after a loss of power it might say more than the head
    const file = this.store.generationFile(this.key);
    try {
      await Deno.writeTextFile(file, String(head.generation), { mode: 0o600 });
    } catch {
      await Deno.mkdir(file.slice(0, file.lastIndexOf("/")), { recursive: true, mode: 0o700 }).catch(
        () => {},
      );
      await Deno.writeTextFile(file, String(head.generation), { mode: 0o600 }).catch(() => {});
    }
  }

  async remove(records: readonly SegmentRecord[]): Promise<void> {
    for (const { id, storedBytes } of records) {
      await Deno.remove(`${this.directory}/${fileOf(id)}`).catch(() => {}); // the next server tidies up
      this.store.usage.add(this.directory, -storedBytes);
    }
  }

  async share(records: readonly SegmentRecord[], to: SessionPlace): Promise<void> {
    if (!(to instanceof DirectoryPlace)) throw new Error("not a place of this store");
    try {
      for (const { id, storedBytes } of records) {
        try {
          await Deno.link(`${this.directory}/${fileOf(id)}`, `${to.directory}/${fileOf(id)}`);
          this.store.usage.add(to.directory, storedBytes);
        } catch (error) {
          if (!hasCode(error, "EEXIST")) throw error; // it has that one already
        }
      }
      if (this.store.options.fsync) await syncDirectory(to.directory);
    } catch (error) {
      throw unavailable(error);
    }
  }

  async runs(executionId: string | null): Promise<void> {
    const path = `${this.directory}/running`;
    await (executionId === null ? Deno.remove(path) : Deno.writeTextFile(path, executionId, { mode: 0o600 }))
      .catch(() => {}); // a notice less
  }

  async setAside(): Promise<string | undefined> {
    const { path } = this.store.options;
    const name = asideName(this.directory);
    try {
      await Deno.mkdir(`${path}/${name}`, { mode: 0o700 });
      for await (const { name: file } of Deno.readDir(this.directory)) {
        if (file !== "lock") await Deno.link(`${this.directory}/${file}`, `${path}/${name}/${file}`);
      }
      return name;
    } catch {
      return undefined;
    }
  }

  async delete(): Promise<void> {
    try {
      await this.store.forget(this.directory);
      await Deno.remove(this.store.generationFile(this.key)).catch(() => {});
      this.store.usage.forget(this.directory);
    } catch (error) {
      this.store.usage.closed(this.directory);
      throw unavailable(error);
    } finally {
      this.#lock.close();
    }
  }

  async release(): Promise<void> {
    this.store.usage.closed(this.directory);
    this.#lock.close();
    await Promise.resolve();
  }
}

function fileOf(id: string): string {
  return `${id}.segment`;
}
