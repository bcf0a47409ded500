/** One session's directory, as long as this server has it. */

import { type Chunk, joinSegment, splitSegment, unpackChunk } from "./chunked_segment.ts";
import {
  asideName,
  fileOf,
  hasCode,
  partOf,
  readIfThere,
  syncDirectory,
  unavailable,
  writeAll,
} from "./directory_files.ts";
import type { DirectoryPool } from "./directory_pool.ts";
import type { DirectoryStore } from "./directory_store.ts";
import { encodeHead } from "./head.ts";
import { sizeOfEntries } from "./image_entries.ts";
import { compress } from "./segment_file.ts";
import {
  type ChunkRecord,
  type Head,
  ImageRefused,
  partsOf,
  recordsOf,
  type Segment,
  type SegmentRecord,
  type SessionKey,
  type SessionPlace,
  StoreUnavailable,
} from "./store.ts";
import { encodeUnderWay } from "./under_way.ts";
import type { ImageEntry } from "../executor/wire/entry.ts";

interface Claimed {
  readonly directory: string;
  /** Open and locked. */
  readonly lock: Deno.FsFile;
  readonly found: Head | undefined;
  readonly interrupted: readonly string[];
}

export class DirectoryPlace implements SessionPlace {
  readonly found: Head | undefined;
  readonly interrupted: readonly string[];
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
    store.usage.opened(directory, partsOf(found ? recordsOf(found) : []));
  }

  /** Removes what no head names: a server ended between a segment and its head. */
  async tidy(): Promise<void> {
    const known = partsOf(this.found ? recordsOf(this.found) : []);
    const gone: string[] = [];
    for await (const { name } of Deno.readDir(this.directory)) {
      const id = partOf(name);
      if (id === undefined ? !name.endsWith(".new") : known.has(id)) continue;
      await Deno.remove(`${this.directory}/${name}`);
      if (id !== undefined) gone.push(id);
    }
    await this.#pool.tidy(gone);
  }

  async put({ entries, ...rest }: Segment): Promise<SegmentRecord> {
    const id = `${rest.generation}-${crypto.randomUUID()}`;
    const added: string[] = [];
    try {
      const { bytes, sha256, chunks } = await splitSegment(entries, async (chunk) => {
        if (!this.store.usage.holds(this.directory, chunk.id)) added.push(chunk.id);
        return await this.#keep(chunk);
      });
      await this.#write(id, bytes);
      const storedBytes = chunks.reduce((sum, chunk) => sum + chunk.storedBytes, bytes.length);
      return { ...rest, id, bytes: sizeOfEntries(entries), storedBytes, sha256, chunks };
    } catch (error) {
      await this.#drop(added); // of what can't be stored whole nothing takes room
      throw error;
    }
  }

  async get(record: SegmentRecord): Promise<readonly ImageEntry[]> {
    const read = async (chunk: ChunkRecord) => unpackChunk(await this.#read(chunk.id), chunk);
    return await joinSegment(
      await this.#read(record.id),
      record,
      read,
      this.store.options.segmentMaxBytes,
    );
  }

  async commit(head: Head): Promise<void> {
    const { fsync, keys } = this.store.options;
    await this.store.replace(`${this.directory}/head`, encodeHead(head, keys), fsync);
    this.store.usage.used(this.directory, { named: head.checkpoints.length > 0 });
    if (!fsync) return; // after a loss of power it might say more than the head
    const file = this.store.generationFile(this.directory);
    try {
      await Deno.writeTextFile(file, String(head.generation), { mode: 0o600 });
    } catch {
      await Deno.mkdir(file.slice(0, file.lastIndexOf("/")), { recursive: true, mode: 0o700 }).catch(
        () => {},
      );
      await Deno.writeTextFile(file, String(head.generation), { mode: 0o600 }).catch(() => {});
    }
  }

  async remove(records: readonly SegmentRecord[], kept: readonly SegmentRecord[]): Promise<void> {
    if (records.length === 0) return;
    const needed = partsOf(kept);
    await this.#drop([...partsOf(records).keys()].filter((id) => !needed.has(id)));
  }

  async share(records: readonly SegmentRecord[], to: SessionPlace): Promise<void> {
    if (!(to instanceof DirectoryPlace)) throw new Error("not a place of this store");
    try {
      for (const [id, bytes] of partsOf(records)) {
        try {
          await Deno.link(this.#path(id), to.#path(id));
          this.store.usage.hold(to.directory, id, bytes);
        } catch (error) {
          if (!hasCode(error, "EEXIST")) throw error; // it has that one already
        }
      }
      if (this.store.options.fsync) await syncDirectory(to.directory);
    } catch (error) {
      throw unavailable(error);
    }
  }

  async runs(executionIds: readonly string[]): Promise<void> {
    const path = `${this.directory}/running`;
    const text = encodeUnderWay(executionIds);
    await (text === "" ? Deno.remove(path) : Deno.writeTextFile(path, text, { mode: 0o600 }))
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

  get #pool(): DirectoryPool {
    return this.store.poolOf(this.directory);
  }

  /** Stores a chunk, if no session of the principal has it. */
  async #keep({ id, bytes }: Chunk): Promise<ChunkRecord> {
    const path = this.#path(id);
    const there = await this.#pool.take(id, bytes.length, path);
    if (there) {
      this.store.usage.hold(this.directory, id, there.storedBytes);
      return there;
    }
    const packed = await compress(bytes);
    await this.#write(id, packed);
    await this.#pool.give(id, path);
    return { id, bytes: bytes.length, storedBytes: packed.length };
  }

  async #drop(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      await Deno.remove(this.#path(id)).catch(() => {}); // the next server tidies up
      this.store.usage.drop(this.directory, id);
    }
    await this.#pool.tidy(ids);
  }

  /** Writes a part as a whole, or not at all: what had its name may be others', too. @throws {StoreUnavailable} */
  async #write(id: string, bytes: Uint8Array): Promise<void> {
    const path = this.#path(id);
    await this.store.usage.take(this.directory, id, bytes.length);
    try {
      await writeAll(`${path}.new`, bytes, this.store.options.fsync);
      await Deno.rename(`${path}.new`, path);
    } catch (error) {
      await Deno.remove(`${path}.new`).catch(() => {});
      this.store.usage.drop(this.directory, id);
      throw unavailable(error);
    }
  }

  /** @throws {ImageRefused} @throws {StoreUnavailable} */
  async #read(id: string): Promise<Uint8Array> {
    const bytes = await readIfThere(this.#path(id)).catch((error: unknown) => {
      throw unavailable(error);
    });
    if (bytes) return bytes;
    // With the lock that this server holds the whole directory is gone, such as one that was unmounted.
    if (await Deno.stat(`${this.directory}/lock`).catch(() => undefined)) {
      throw new ImageRefused("a part of its image is missing");
    }
    throw new StoreUnavailable("the store's directory is not there");
  }

  #path(id: string): string {
    return `${this.directory}/${fileOf(id)}`;
  }
}
