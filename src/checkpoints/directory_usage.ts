/** What each session of a directory store takes, and which one goes when there is no room. */

import { partOf, readIfThere, unavailable } from "./directory_files.ts";
import type { DirectoryStore } from "./directory_store.ts";
import { StoreUnavailable } from "./store.ts";

interface Use {
  /** What each part of it takes, by name; others may have the same. */
  readonly parts: Map<string, number>;
  /** Milliseconds of the epoch. */
  usedAt: number;
  /** It has checkpoints with names. */
  named: boolean;
  /** This server has it. */
  open: boolean;
}

/** What a session takes beside its segments: directory, head, and the blocks that are not full. */
const SESSION_BYTES = 16 * 1024;

/** In the head of a session that has none with names. */
const NO_CHECKPOINTS = '"checkpoints":[]';

export class DirectoryUsage {
  readonly #uses = new Map<string, Use>();
  /** How many sessions of its principal have a part. */
  readonly #holders = new Map<string, number>();
  #total = 0;
  /** Of what earlier servers left; begins with the first part that is added. */
  #scan: Promise<void> | undefined;
  #scanState: "under way" | "done" | "failed" = "under way";
  #making: Promise<void> = Promise.resolve();

  constructor(readonly store: DirectoryStore) {}

  /** What all sessions take; of what several have, once. */
  get total(): number {
    return this.#total;
  }

  /** @param parts What it has, as its head says: another server may have had it meanwhile. */
  opened(directory: string, parts: ReadonlyMap<string, number>): void {
    const use = this.#use(directory);
    use.open = true;
    for (const id of [...use.parts.keys()]) if (!parts.has(id)) this.drop(directory, id);
    for (const [id, bytes] of parts) this.hold(directory, id, bytes);
  }

  closed(directory: string): void {
    const use = this.#use(directory);
    use.open = false;
    use.usedAt = Date.now();
  }

  /** Whether a session has a part. */
  holds(directory: string, id: string): boolean {
    return this.#uses.get(directory)?.parts.has(id) ?? false;
  }

  /** A session has a part, which is there. */
  hold(directory: string, id: string, bytes: number): void {
    const { parts } = this.#use(directory);
    if (parts.has(id)) return;
    parts.set(id, bytes);
    const key = keyOf(directory, id);
    const holders = this.#holders.get(key) ?? 0;
    if (holders === 0) this.#total += bytes;
    this.#holders.set(key, holders + 1);
  }

  drop(directory: string, id: string): void {
    const parts = this.#uses.get(directory)?.parts;
    const bytes = parts?.get(id);
    if (bytes === undefined) return;
    parts!.delete(id);
    const key = keyOf(directory, id);
    const holders = this.#holders.get(key)! - 1;
    if (holders > 0) this.#holders.set(key, holders);
    else {
      this.#holders.delete(key);
      this.#total -= bytes;
    }
  }

  used(directory: string, { named }: { named: boolean }): void {
    Object.assign(this.#use(directory), { named, usedAt: Date.now() });
  }

  forget(directory: string): void {
    const use = this.#uses.get(directory);
    if (!use) return;
    for (const id of [...use.parts.keys()]) this.drop(directory, id);
    this.#uses.delete(directory);
    this.#total -= SESSION_BYTES;
  }

  /**
   * Waits until a part can be added to a session, and adds it; gives up others for it.
   *
   * @throws {StoreUnavailable} if there are none.
   */
  take(directory: string, id: string, bytes: number): Promise<void> {
    const made = this.#making.then(async () => {
      await this.#makeRoom(bytes);
      this.hold(directory, id, bytes);
    });
    this.#making = made.catch(() => {}); // one after another: two would give up more than it takes
    return made;
  }

  async #makeRoom(bytes: number): Promise<void> {
    const { maxBytes } = this.store.options;
    const fits = () => this.#total + bytes <= maxBytes;
    this.#scan ??= this.#beginScan();
    // Of thousands of sessions it takes seconds, in which what is known so far has to fit. The end makes up for it.
    if (this.#scanState === "failed" || !fits()) {
      await this.#scan.catch((error: unknown) => {
        throw unavailable(error);
      });
    }
    if (fits()) return;
    const idle = [...this.#uses].filter(([, { open }]) => !open).sort(([, a], [, b]) =>
      Number(a.named) - Number(b.named) || a.usedAt - b.usedAt
    );
    for (const [directory, use] of idle) {
      // Once its directory is gone another session may begin under its name, before this is known.
      if (await this.store.evict(directory) && !use.open) this.forget(directory);
      if (fits()) return;
    }
    throw new StoreUnavailable(
      `the store is full: its sessions may take ${maxBytes} bytes (store.max_bytes)`,
    );
  }

  #beginScan(): Promise<void> {
    const scan = this.#lookAtAll();
    scan.then(() => {
      this.#scanState = "done";
      this.#making = this.#making.then(() => this.#makeRoom(0)).catch(() => {}); // who adds more is told
    }, () => {
      this.#scanState = "failed"; // the next one looks again, and waits
      this.#scan = undefined;
    });
    return scan;
  }

  /** What earlier servers left. */
  async #lookAtAll(): Promise<void> {
    const root = `${this.store.options.path}/sessions`;
    for await (const principal of Deno.readDir(root)) {
      if (!principal.isDirectory) continue;
      for await (const session of Deno.readDir(`${root}/${principal.name}`)) {
        const directory = `${root}/${principal.name}/${session.name}`;
        if (!this.#uses.has(directory)) await this.#look(directory).catch(() => {});
      }
      await this.store.poolOf(`${root}/${principal.name}/any`).tidyAll();
    }
  }

  async #look(directory: string): Promise<void> {
    const parts = new Map<string, number>();
    for await (const { name } of Deno.readDir(directory)) {
      const id = partOf(name);
      if (id !== undefined) parts.set(id, (await Deno.stat(`${directory}/${name}`)).size);
    }
    const head = await readIfThere(`${directory}/head`);
    // A server ended while it forgot a session, or before it had stored one. What somebody has open stays.
    if (!head) return void await this.store.evict(directory);
    const { mtime } = await Deno.stat(`${directory}/head`);
    if (this.#uses.has(directory)) return; // it was opened meanwhile
    for (const [id, bytes] of parts) this.hold(directory, id, bytes);
    Object.assign(this.#use(directory), {
      usedAt: mtime?.getTime() ?? 0,
      named: !new TextDecoder().decode(head).includes(NO_CHECKPOINTS), // only who goes first depends on it
    });
  }

  #use(directory: string): Use {
    let use = this.#uses.get(directory);
    if (!use) {
      use = { parts: new Map(), usedAt: Date.now(), named: false, open: false };
      this.#total += SESSION_BYTES;
      this.#uses.set(directory, use);
    }
    return use;
  }
}

/** Of a part that sessions of one principal may share. */
function keyOf(directory: string, id: string): string {
  return `${directory.slice(0, directory.lastIndexOf("/"))}/${id}`;
}
