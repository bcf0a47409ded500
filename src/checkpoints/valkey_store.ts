/**
 * The store that is a Valkey or Redis, which many servers may share.
 *
 * A session is the server's that has the lease of it. Every change shows the number that came with the lease, so that a
 * server that was cut off for longer than that can't overwrite what the next one did. Who needs a session that another
 * server has asks for it; one that is idle is handed over at once.
 */

import { ConfigError } from "../config/error.ts";
import { decodeHead } from "./head.ts";
import type { Keys } from "./keys.ts";
import {
  type CheckpointStore,
  type Head,
  ImageRefused,
  partsOf,
  type PlaceOwner,
  recordsOf,
  type SessionKey,
  type SessionPlace,
  SessionTaken,
  storedBytesOf,
  type StoredView,
} from "./store.ts";
import { decodeUnderWay } from "./under_way.ts";
import { textOf, ValkeyConnection } from "./valkey_connection.ts";
import { rootOf, sessionNames } from "./valkey_names.ts";
import { DRAFT_MS, ValkeyPlace } from "./valkey_place.ts";
import { CLAIM } from "./valkey_scripts.ts";

/** How long an owner that answers may take to let a session go. */
const HAND_OVER_MS = 5000;
const ASK_AGAIN_MS = 250;
const LOOK_AGAIN_MS = 20;
/** Renewals in the time of a lease. */
const RENEWALS = 3;
const LIST_MAX = 1000;
/** Heads that are fetched at once. */
const LIST_BATCH = 50;
/** Far more than the head of any session holds. */
const HEAD_MAX_BYTES = 4 * 1024 * 1024;
/** With COPY. */
const OLDEST_VERSION = 6.2;

export interface ValkeyStoreOptions {
  readonly url: string;
  /** Of all keys. */
  readonly prefix: string;
  /** How long a session stays a server's that says nothing. */
  readonly leaseMs: number;
  /** Most that a segment may hold. */
  readonly segmentMaxBytes: number;
  readonly keys: Keys;
}

export class ValkeyStore implements CheckpointStore {
  readonly durable = true;
  owner: PlaceOwner | undefined;
  /** This one, among all that share the store. */
  readonly server = crypto.randomUUID();
  /** By the names of the sessions' keys. */
  readonly #places = new Map<string, ValkeyPlace>();
  readonly #renewing: ReturnType<typeof setInterval>;
  #closed = false;

  private constructor(
    readonly connection: ValkeyConnection,
    readonly options: ValkeyStoreOptions,
    /** Whether what is stored survives the end of Valkey itself. */
    readonly persistent: boolean,
  ) {
    this.#renewing = setInterval(() => void this.#renew(), options.leaseMs / RENEWALS);
    Deno.unrefTimer(this.#renewing);
    connection.client.on("ready", () => {
      void this.#renew();
      this.owner?.available();
    });
  }

  /** @throws {ConfigError} if it can't be reached or is none that keeps what it is given. */
  static async open(options: ValkeyStoreOptions): Promise<ValkeyStore> {
    let connection: ValkeyConnection;
    try {
      connection = await ValkeyConnection.open(options.url);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new ConfigError(`store.url: the store can't be reached (${reason.slice(0, 200)})`);
    }
    try {
      const info = textOf(await connection.call("INFO"));
      const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1];
      if (policy !== undefined && policy !== "noeviction") {
        throw new ConfigError(
          `store.url: the store's maxmemory-policy is "${policy}": it would throw parts of sessions away. ` +
            'Set it to "noeviction".',
        );
      }
      const version = /^redis_version:(\d+\.\d+)/m.exec(info)?.[1];
      if (version !== undefined && Number(version) < OLDEST_VERSION) {
        throw new ConfigError(
          `store.url: the store is of version ${version}; it has to be ${OLDEST_VERSION}`,
        );
      }
      const store = new ValkeyStore(connection, options, /^aof_enabled:1/m.test(info));
      await connection.listen(store.#channelOf(store.server), (message) => {
        const [by = "", session = ""] = message.split(" ");
        store.#places.get(session)?.wanted(by);
      });
      return store;
    } catch (error) {
      connection[Symbol.dispose]();
      if (error instanceof ConfigError) throw error;
      throw new ConfigError(`store.url: ${error instanceof Error ? error.message : error}`);
    }
  }

  async claim(key: SessionKey): Promise<SessionPlace> {
    const { session, root } = sessionNames(this.options.prefix, key);
    const started = performance.now();
    let asked = -Infinity;
    for (;;) {
      if (this.#places.has(session)) throw new SessionTaken("this server has it, and is about to let it go");
      const { leaseMs } = this.options;
      const [owner, ...claimed] = await this.connection.run(
        CLAIM,
        [session, root],
        this.server,
        leaseMs,
        DRAFT_MS,
      ) as [Uint8Array, ...unknown[]];
      if (owner.length === 0) return await this.#claimed(key, claimed as [Uint8Array, Uint8Array]);
      const waited = performance.now() - started;
      if (performance.now() - asked >= ASK_AGAIN_MS) {
        asked = performance.now();
        const request = `${this.server} ${session}`;
        const heard = await this.connection.call("PUBLISH", this.#channelOf(textOf(owner)), request);
        // Of an owner that has gone nothing is to be expected but the end of its lease.
        const patience = heard === 0 ? Math.max(HAND_OVER_MS, leaseMs + ASK_AGAIN_MS) : HAND_OVER_MS;
        if (waited >= patience) {
          throw new SessionTaken(
            heard === 0 ? "the server that has it does not answer" : "another server is at work in it",
          );
        }
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
  }

  async has(key: SessionKey): Promise<boolean> {
    const { session } = sessionNames(this.options.prefix, key);
    return await this.connection.call("HEXISTS", session, "head") === 1;
  }

  async list(principal: string): Promise<readonly StoredView[]> {
    const root = rootOf(this.options.prefix, principal);
    const names = await this.connection.call(
      "ZRANGE",
      `${root}:index`,
      0,
      LIST_MAX - 1,
      "REV",
    ) as Uint8Array[];
    const views: StoredView[] = [];
    for (let at = 0; at < names.length; at += LIST_BATCH) {
      const heads = await Promise.all(
        names.slice(at, at + LIST_BATCH).map((name) =>
          this.connection.call("HMGET", `${root}:s:${textOf(name)}`, "head", "running")
        ),
      );
      for (const [index, fields] of heads.entries()) {
        const [bytes, running] = fields as unknown[];
        const head = bytes instanceof Uint8Array ? tryDecode(bytes, this.options.keys) : undefined;
        if (head?.key.principal !== principal) continue;
        const { name } = sessionNames(this.options.prefix, head.key);
        if (name !== textOf(names[at + index])) continue;
        const ran = running instanceof Uint8Array ? decodeUnderWay(textOf(running)) : [];
        const { key: { sessionId }, facts } = head;
        views.push({ sessionId, facts, storedBytes: storedBytesOf(head), ran });
      }
    }
    return views;
  }

  /** A place is this server's no more. */
  gone(place: ValkeyPlace): void {
    if (this.#places.get(place.names.session) === place) this.#places.delete(place.names.session);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    clearInterval(this.#renewing);
    await Promise.all([...this.#places.values()].map((place) => place.release()));
    this.connection[Symbol.dispose]();
  }

  async #claimed(
    key: SessionKey,
    [fence, bytes, running, own]: readonly unknown[],
  ): Promise<SessionPlace> {
    let found: Head | undefined;
    let refused: unknown;
    const stored = bytes as Uint8Array;
    try {
      if (stored.length > HEAD_MAX_BYTES) throw new ImageRefused("its envelope is too large");
      if (stored.length > 0) found = decodeHead(stored, this.options.keys, key);
    } catch (error) {
      refused = error;
    }
    const known = partsOf(found ? recordsOf(found) : []);
    const stale = (own as Uint8Array[]).map(textOf).filter((id) => !known.has(id));
    const interrupted = found ? decodeUnderWay(textOf(running), found.facts.lastExecutionId) : [];
    const place = new ValkeyPlace(this, key, { fence: textOf(fence), found, interrupted, stale });
    if (refused) {
      if (await place.setAside() !== undefined) await place.delete();
      else await place.release();
      throw refused;
    }
    this.#places.set(place.names.session, place);
    return place;
  }

  async #renew(): Promise<void> {
    if (this.#closed) return;
    // What is lost tells so itself; what can't be renewed now may be the next time.
    const renewed = [...this.#places.values()].map((place) => place.renew().catch(() => {}));
    await Promise.all([...renewed, this.connection.check()]);
  }

  #channelOf(server: string): string {
    return `${this.options.prefix}:wanted:${server}`;
  }
}

function tryDecode(head: Uint8Array, keys: Keys): Head | undefined {
  try {
    return decodeHead(head, keys);
  } catch {
    return undefined;
  }
}
