/**
 * The chunks of a principal's sessions in a directory store, by their names: where a session finds what another one has.
 *
 * Each session has files of its own, which are links to the same; the pool only leads to them. So nothing depends on it: a
 * name that is lost costs room and no session, and a store that was copied without links has all that it had.
 */

import { hasCode } from "./directory_files.ts";
import { type ChunkRecord, ImageRefused } from "./store.ts";
import { unpackChunk } from "./chunked_segment.ts";

export class DirectoryPool {
  /** @param directory Of the principal's chunks; made when it is needed. */
  constructor(readonly directory: string) {}

  /**
   * Links a chunk into a session, if another one has it and it is whole: what is damaged is not passed on.
   *
   * @returns Undefined if it has to be written.
   */
  async take(id: string, bytes: number, path: string): Promise<ChunkRecord | undefined> {
    try {
      await Deno.link(this.#path(id), path);
    } catch (error) {
      if (!hasCode(error, "EEXIST")) return undefined; // or links are not to be had: then it is written
    }
    try {
      const packed = await Deno.readFile(path);
      const record = { id, bytes, storedBytes: packed.length };
      await unpackChunk(packed, record);
      return record;
    } catch (error) {
      if (error instanceof ImageRefused) await Deno.remove(this.#path(id)).catch(() => {});
      return undefined;
    }
  }

  /** Others may have what a session has written. */
  async give(id: string, path: string): Promise<void> {
    const link = () => Deno.link(path, this.#path(id));
    await link().catch(async (error: unknown) => {
      if (!hasCode(error, "ENOENT")) return;
      await Deno.mkdir(this.directory, { recursive: true, mode: 0o700 });
      await link();
    }).catch(() => {}); // somebody else did, or nobody will find it
  }

  /** Forgets chunks that no session has any more. */
  async tidy(ids: Iterable<string>): Promise<void> {
    for (const id of ids) {
      const { nlink } = await Deno.stat(this.#path(id)).catch(() => ({ nlink: null }));
      // Who links it at this moment has it, and it is found no more.
      if (nlink === 1) await Deno.remove(this.#path(id)).catch(() => {});
    }
  }

  /** Forgets all that no session has any more. */
  async tidyAll(): Promise<void> {
    try {
      for await (const { name } of Deno.readDir(this.directory)) await this.tidy([name]);
    } catch (error) {
      if (!hasCode(error, "ENOENT")) throw error;
    }
  }

  #path(id: string): string {
    return `${this.directory}/${id}`;
  }
}
