/** The cache of stages: directories named for what they were made from. */

import { join } from "node:path";
import { releaseMounts } from "./isolation.ts";

/** Results kept per stage: those of the branches somebody goes back and forth between. A chroot takes 1 GB. */
const KEPT: Readonly<Record<string, number>> = { root: 2 };
const KEPT_BY_DEFAULT = 4;

/** A stage's result: its directory in the cache, and the digest of all that it was made from. */
export interface Stage {
  readonly directory: string;
  readonly digest: string;
}

/**
 * Directories by stage and digest. An entry is there entirely or not at all: it is made in a scratch directory and
 * renamed at the end. Calls must hold the lock of the build.
 */
export class StageStore {
  readonly #stages: string;
  readonly #scratch: string;
  readonly #making = new Map<string, Promise<string>>();

  /** @param directory On one file system, since entries are renamed into place. */
  constructor(readonly directory: string) {
    this.#stages = join(directory, "stages");
    this.#scratch = join(directory, "scratch");
  }

  /** The directory of an entry, if it is there. */
  async find(stage: string, digest: string): Promise<string | undefined> {
    const path = join(this.#stages, stage, digest);
    const now = new Date();
    try {
      await Deno.utime(path, now, now);
      return path;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw error;
    }
  }

  /** Whether there is no entry of a stage. */
  async isEmpty(stage: string): Promise<boolean> {
    try {
      for await (const _ of Deno.readDir(join(this.#stages, stage))) return false;
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
    return true;
  }

  /** The directory of an entry; `make` fills it first if it is not there, once for all who ask meanwhile. */
  async obtain(stage: string, digest: string, make: (directory: string) => Promise<void>): Promise<string> {
    const entry = join(stage, digest);
    const making = this.#making.get(entry) ??
      this.#obtain(stage, digest, make).finally(() => this.#making.delete(entry));
    this.#making.set(entry, making);
    return await making;
  }

  async #obtain(stage: string, digest: string, make: (directory: string) => Promise<void>): Promise<string> {
    const found = await this.find(stage, digest);
    if (found) return found;
    const scratch = join(this.#scratch, `${stage}-${crypto.randomUUID()}`);
    await Deno.mkdir(scratch, { recursive: true });
    try {
      await make(scratch);
      await Deno.mkdir(join(this.#stages, stage), { recursive: true });
      await Deno.rename(scratch, join(this.#stages, stage, digest));
    } finally {
      await releaseMounts(scratch);
      await Deno.remove(scratch, { recursive: true }).catch(() => {});
    }
    await this.#prune(stage);
    return join(this.#stages, stage, digest);
  }

  /** Removes what interrupted builds left. @throws {AssetsError} if some of that is mounted and can't be unmounted. */
  async clearScratch(): Promise<void> {
    await releaseMounts(this.#scratch);
    await Deno.remove(this.#scratch, { recursive: true }).catch((error) => {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    });
  }

  async #prune(stage: string): Promise<void> {
    const entries = [];
    for await (const { name } of Deno.readDir(join(this.#stages, stage))) {
      const path = join(this.#stages, stage, name);
      entries.push({ path, used: (await Deno.stat(path)).mtime?.getTime() ?? 0 });
    }
    entries.sort((a, b) => b.used - a.used);
    for (const { path } of entries.slice(KEPT[stage] ?? KEPT_BY_DEFAULT)) {
      await Deno.remove(path, { recursive: true });
    }
  }
}
