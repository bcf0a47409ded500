/** What each session of a directory store takes, and which one goes when there is no room. */

import { type DirectoryStore, unavailable } from "./directory_store.ts";
import { StoreUnavailable } from "./store.ts";

interface Use {
  bytes: number;
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
  #total = 0;
  #scanned: Promise<void> | undefined;
  #making: Promise<void> = Promise.resolve();

  constructor(readonly store: DirectoryStore) {}

  get total(): number {
    return this.#total;
  }

  /** @param bytes What it has, as its head says. */
  opened(directory: string, bytes: number): void {
    const use = this.#use(directory);
    this.add(directory, SESSION_BYTES + bytes - use.bytes); // another server may have had it meanwhile
    use.open = true;
  }

  closed(directory: string): void {
    const use = this.#use(directory);
    use.open = false;
    use.usedAt = Date.now();
  }

  add(directory: string, bytes: number): void {
    this.#use(directory).bytes += bytes;
    this.#total += bytes;
  }

  used(directory: string, { named }: { named: boolean }): void {
    Object.assign(this.#use(directory), { named, usedAt: Date.now() });
  }

  forget(directory: string): void {
    this.#total -= this.#uses.get(directory)?.bytes ?? 0;
    this.#uses.delete(directory);
  }

  /**
   * Waits until so much can be added to a session, and adds it; gives up others for it.
   *
   * @throws {StoreUnavailable} if there are none.
   */
  take(directory: string, bytes: number): Promise<void> {
    const made = this.#making.then(async () => {
      await this.#makeRoom(bytes);
      this.add(directory, bytes);
    });
    this.#making = made.catch(() => {}); // one after another: two would give up more than it takes
    return made;
  }

  async #makeRoom(bytes: number): Promise<void> {
    const { maxBytes } = this.store.options;
    this.#scanned ??= this.#scan();
    await this.#scanned.catch((error: unknown) => {
      this.#scanned = undefined; // the next one looks again
      throw unavailable(error);
    });
    if (this.#total + bytes <= maxBytes) return;
    const idle = [...this.#uses].filter(([, { open }]) => !open).sort(([, a], [, b]) =>
      Number(a.named) - Number(b.named) || a.usedAt - b.usedAt
    );
    for (const [directory] of idle) {
      if (await this.store.evict(directory)) this.forget(directory);
      if (this.#total + bytes <= maxBytes) return;
    }
    throw new StoreUnavailable(
      `the store is full: its sessions may take ${maxBytes} bytes (store.max_bytes)`,
    );
  }

  /** What earlier servers left. */
  async #scan(): Promise<void> {
    const root = `${this.store.options.path}/sessions`;
    for await (const principal of Deno.readDir(root)) {
      if (!principal.isDirectory) continue;
      for await (const session of Deno.readDir(`${root}/${principal.name}`)) {
        const directory = `${root}/${principal.name}/${session.name}`;
        if (!this.#uses.has(directory)) await this.#look(directory).catch(() => {});
      }
    }
  }

  async #look(directory: string): Promise<void> {
    let bytes = 0;
    for await (const { name } of Deno.readDir(directory)) {
      if (name.endsWith(".segment")) bytes += (await Deno.stat(`${directory}/${name}`)).size;
    }
    const head = await Deno.readTextFile(`${directory}/head`);
    const { mtime } = await Deno.stat(`${directory}/head`);
    if (this.#uses.has(directory)) return; // it was opened meanwhile
    this.add(directory, bytes);
    Object.assign(this.#use(directory), {
      usedAt: mtime?.getTime() ?? 0,
      named: !head.includes(NO_CHECKPOINTS), // only who goes first depends on it
    });
  }

  #use(directory: string): Use {
    let use = this.#uses.get(directory);
    if (!use) {
      use = { bytes: SESSION_BYTES, usedAt: Date.now(), named: false, open: false };
      this.#total += use.bytes;
      this.#uses.set(directory, use);
    }
    return use;
  }
}
